package target

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/pattern"
)

// ntfy is a topic of an ntfy server. It is called here and not by shoutrrr, to know from its
// status whether trying again is of use, and to give the notice's id along: a server from
// 2.16 on shows a notice that came twice once.
type ntfy struct {
	base     *url.URL
	topic    string
	token    string
	user     *url.Userinfo
	priority int
	tags     []string
}

var (
	_ notify.Sender = (*ntfy)(nil)
	_ Checker       = (*ntfy)(nil)
)

// topicForm is what ntfy takes as a topic.
var topicForm = pattern.Lazy(`^[-_A-Za-z0-9]{1,64}$`)

func ntfyOf(u *url.URL) (notify.Sender, string, error) {
	n := &ntfy{base: &url.URL{Scheme: "https", Host: u.Host, Path: "/"}, topic: strings.Trim(u.Path, "/")}
	switch u.Scheme {
	case "http", "ntfy+http":
		n.base.Scheme = "http"
	}
	switch {
	case u.Hostname() == "":
		return nil, "", &Wrong{"it names no ntfy server", "write https://HOST/TOPIC"}
	case n.topic == "":
		return nil, "", &Wrong{"it names no topic of ntfy", "write https://HOST/TOPIC; for an Apprise API server, apprise+http://HOST/notify/KEY"}
	case !topicForm().MatchString(n.topic):
		return nil, "", &Wrong{"what stands behind the host is no topic of ntfy", "a topic is at most 64 letters, digits, - and _; a webhook is written generic+https://…"}
	case u.Fragment != "":
		return nil, "", &Wrong{"it has a # part", "take it out"}
	}
	if err := n.who(u.User); err != nil {
		return nil, "", err
	}
	if err := n.settings(u.Query()); err != nil {
		return nil, "", err
	}
	return n, "ntfy at " + u.Host, nil
}

// who reads the token or the name and password that stand in front of the host.
func (n *ntfy) who(user *url.Userinfo) error {
	if user == nil {
		return nil
	}
	password, has := user.Password()
	switch name := user.Username(); {
	case name == "" && has && password != "":
		n.token = password
	case !has && strings.HasPrefix(name, "tk_"):
		n.token = name
	case name != "" && password != "":
		n.user = user
	default:
		return &Wrong{"what stands in front of the host is neither a token nor a name with its password", "write https://:$TOKEN@HOST/TOPIC, or https://NAME:$PASSWORD@HOST/TOPIC"}
	}
	return nil
}

func (n *ntfy) settings(query url.Values) error {
	for key, values := range query {
		value := values[0]
		switch strings.ToLower(key) {
		case "scheme":
			if value != "http" && value != "https" {
				return &Wrong{"its scheme is neither http nor https", "write scheme=http, or take it out"}
			}
			n.base.Scheme = value
		case "priority":
			names := map[string]int{"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "min": 1, "low": 2, "default": 3, "high": 4, "max": 5, "urgent": 5}
			if n.priority = names[strings.ToLower(value)]; n.priority == 0 {
				return &Wrong{"its priority is none of ntfy's", "write priority=1 to 5, or take it out"}
			}
		case "tags":
			n.tags = strings.Split(value, ",")
		default:
			return &Wrong{fmt.Sprintf("it has a setting %.20q that nobody here knows", key), "use scheme, priority and tags, or take it out"}
		}
	}
	return nil
}

// ntfyMessage is ntfy's JSON form of a message.
type ntfyMessage struct {
	Topic    string   `json:"topic"`
	Title    string   `json:"title"`
	Message  string   `json:"message"`
	Priority int      `json:"priority"`
	Tags     []string `json:"tags,omitzero"`
	Sequence string   `json:"sequence_id"`
}

// Send implements notify.Sender.
func (n *ntfy) Send(ctx context.Context, m *notify.Message) error {
	priority := n.priority
	if priority == 0 {
		priority = map[notify.Level]int{notify.Info: 3, notify.Important: 4, notify.Urgent: 5}[m.Level]
	}
	answer, err := post(ctx, n.base, n.authorize, &ntfyMessage{
		Topic: n.topic, Title: m.Title(), Message: m.Text, Priority: priority, Tags: n.tags, Sequence: m.ID,
	})
	if err != nil {
		return err
	}
	switch status := answer.status; {
	case status == http.StatusOK && took(answer.body):
		return nil
	case status == http.StatusOK:
		return notify.Hopeless("it answers, and not as ntfy does, so this is no ntfy server and no phone got it; a webhook is written generic+https://…")
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return notify.Hopeless("ntfy does not let askhub write to this topic; see its token, and the access that the topic gives")
	case later(status):
		fault := notify.Retry(fmt.Sprintf("ntfy answers %d just now", status))
		fault.After = answer.after
		return fault
	default:
		return notify.Hopeless(fmt.Sprintf("ntfy answers %d, so this is no ntfy server, or not its address", status))
	}
}

// took is whether a reply is the one that ntfy gives to a message which it took: the
// message itself, with its id. A server that answers 200 to all need be no ntfy.
func took(reply []byte) bool {
	var m struct {
		ID    string `json:"id"`
		Event string `json:"event"`
	}
	return json.Unmarshal(reply, &m) == nil && m.ID != "" && m.Event == "message"
}

func (n *ntfy) authorize(req *http.Request) {
	switch {
	case n.token != "":
		req.Header.Set("Authorization", "Bearer "+n.token)
	case n.user != nil:
		password, _ := n.user.Password()
		req.SetBasicAuth(n.user.Username(), password)
	}
}

// Check implements Checker. Who is asked without its token may well refuse; who answers has
// to answer as ntfy does.
func (n *ntfy) Check(ctx context.Context) error {
	answer, err := get(ctx, n.base.JoinPath("v1", "health"))
	if err != nil {
		return err
	}
	var health struct {
		Healthy *bool `json:"healthy"`
	}
	switch {
	case answer.status == http.StatusNotFound, answer.status == http.StatusOK && (json.Unmarshal(answer.body, &health) != nil || health.Healthy == nil):
		return notify.Hopeless("it answers, and not as ntfy does, so this is no ntfy server; mend its address in people.toml (a webhook is written generic+https://…)")
	case health.Healthy != nil && !*health.Healthy:
		return notify.Retry("it says that it is not healthy")
	}
	return nil
}
