// Package target reads the addresses that people.toml names under phone, and brings
// messages there: a ntfy topic, an Apprise API server, the web push of the admin app, or
// any service that shoutrrr knows. No error and no name of its holds what is secret in an
// address.
package target

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/notify"
)

// Push is the address of the admin app's web push. A person without any address has it.
const Push = "push"

// Wrong is an address that is none: what is wrong with it, and what to write instead.
type Wrong struct{ Fault, Mend string }

func (w *Wrong) Error() string { return w.Fault + "; " + w.Mend }

// Secret is a line of the secrets file.
type Secret func(name string) (value string, ok bool)

// Parse reads one address. Of an address that is secret in whole, such as $SAM_PHONE, all
// comes from the secrets file. Its error is a *Wrong. Nobody is called.
func Parse(raw string, secret Secret) (notify.Target, error) {
	address, err := expand(strings.TrimSpace(raw), secret)
	if err != nil {
		return unread(raw), err
	}
	return read(raw, address)
}

// unread is an address that nobody could make anything of.
func unread(raw string) notify.Target {
	return notify.Target{Key: keyOf(raw), Name: "an address that cannot be read"}
}

// read makes a target of an address with all secrets in it.
func read(raw, address string) (notify.Target, error) {
	t := unread(raw)
	sender, name, err := sender(address)
	if err != nil {
		return t, err
	}
	t.Sender, t.Name = sender, name
	return t, nil
}

// keyOf tells an address from others, as people.toml has it, and gives none of it away.
func keyOf(raw string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(raw)))
	return notify.KindPhone.Key(hex.EncodeToString(sum[:8]))
}

// expand puts secrets in: $NAME or ${NAME}, as they are to stand in the address; $$ is one $.
func expand(raw string, secret Secret) (string, error) {
	var out strings.Builder
	for rest := raw; rest != ""; {
		before, after, found := strings.Cut(rest, "$")
		out.WriteString(before)
		if !found {
			break
		}
		if strings.HasPrefix(after, "$") {
			out.WriteByte('$')
			rest = after[1:]
			continue
		}
		name, left := variable(after)
		if name == "" {
			return "", &Wrong{"a $ in it names no secret", "write $NAME for a line of the secrets file, and $$ for a $"}
		}
		value, ok := secret(name)
		if !ok || value == "" {
			return "", &Wrong{"the secrets file has no " + name, "put the line " + name + "=… into it"}
		}
		out.WriteString(value)
		rest = left
	}
	return out.String(), nil
}

// variable cuts a name in capitals off the start of s.
func variable(s string) (name, rest string) {
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		name, rest, closed := strings.Cut(inner, "}")
		if n, left := variable(name); !closed || n != name || left != "" {
			return "", s
		}
		return name, rest
	}
	n := 0
	for n < len(s) && (s[n] == '_' || 'A' <= s[n] && s[n] <= 'Z' || n > 0 && '0' <= s[n] && s[n] <= '9') {
		n++
	}
	return s[:n], s[n:]
}

// sender is what the address means, with a name that may be shown.
func sender(address string) (notify.Sender, string, error) {
	if address == Push {
		return nil, "", &Wrong{"push stands alone", "write \"push\" with nothing around it"}
	}
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || scheme == "" {
		return nil, "", &Wrong{"it is no address", `write "push", a ntfy topic such as "https://ntfy.sh/TOPIC", "apprise+http://HOST/notify/KEY", or a URL of shoutrrr's`}
	}
	scheme = strings.ToLower(scheme)
	read := readers[scheme]
	switch {
	case read != nil:
	case strings.HasPrefix(scheme, "apprise+"):
		return nil, "", &Wrong{"an Apprise URL of a service stands where the address of an Apprise API server belongs", "put that URL into the server's configuration, and write apprise+http://HOST/notify/KEY here"}
	default: // what Apprise writes need not be a URL to others
		return shoutrrrOf(scheme, address)
	}
	u, err := url.Parse(scheme + "://" + rest)
	if err != nil {
		return nil, "", &Wrong{"it is an address with a fault in it", "mend its form; characters such as / and @ within a part of it are written %2F and %40"}
	}
	return read(u)
}

// readers read the addresses that are called here, by their scheme.
var readers = map[string]func(*url.URL) (notify.Sender, string, error){
	"http": web, "https": web,
	"ntfy": ntfyOf, "ntfy+http": ntfyOf, "ntfy+https": ntfyOf,
	"apprise+http": appriseOf, "apprise+https": appriseOf,
}

// web is an address of the web, which is a ntfy topic where it is anything.
func web(u *url.URL) (notify.Sender, string, error) {
	if path := strings.Trim(u.Path, "/"); path == "notify" || strings.HasPrefix(path, "notify/") || strings.Contains(path, "/notify/") {
		return nil, "", &Wrong{"the address of an Apprise API server stands where a ntfy topic or a URL of a service belongs", "write apprise+" + u.Scheme + ":// in front, and keep the rest: apprise+" + u.Scheme + "://HOST/notify/KEY"}
	}
	return ntfyOf(u)
}

// notation are schemes of Apprise's own notation, with what shoutrrr calls the same.
var notation = map[string]string{ //nolint:gosec // forms with no secret in them
	"tgram": "telegram://TOKEN@telegram?chats=CHAT", "mailto": "smtp://USER:PASSWORD@HOST:PORT/?from=…&to=…", "mailtos": "smtp://USER:PASSWORD@HOST:PORT/?from=…&to=…",
	"gotifys": "gotify://HOST/TOKEN", "pover": "pushover://shoutrrr:TOKEN@USER/", "pbul": "pushbullet://TOKEN", "mmost": "mattermost://HOST/TOKEN", "mmosts": "mattermost://HOST/TOKEN",
	"rocket": "rocketchat://HOST/TOKEN", "rockets": "rocketchat://HOST/TOKEN", "ntfys": "https://HOST/TOPIC", "matrixs": "matrix://USER:PASSWORD@HOST/",
	"json": "generic+http://HOST/PATH", "jsons": "generic+https://HOST/PATH",
}

// foreign is what is wrong with a scheme that nobody here knows.
func foreign(scheme string) error {
	switch mend, known := notation[scheme]; {
	case scheme == "apprise" || scheme == "apprises":
		return &Wrong{"an Apprise URL stands where the address of an Apprise API server belongs", "write apprise+http://HOST/notify/KEY, or apprise+https://"}
	case known:
		return &Wrong{scheme + ":// is Apprise's way to write this service", "write " + mend + ", or put it into an Apprise API server's configuration and write apprise+http://HOST/notify/KEY"}
	}
	return &Wrong{
		fmt.Sprintf("nobody here knows %.20s://", scheme),
		"write push, ntfy, apprise+http or one of " + strings.Join(slices.Sorted(maps.Keys(services())), ", ") + "; an Apprise API server knows many more",
	}
}
