package target

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/askhub/askhub/internal/notify"
	"github.com/askhub/askhub/internal/people"
)

// secrets are the lines of a secrets file.
func secrets(lines map[string]string) Secret {
	return func(name string) (string, bool) { v, ok := lines[name]; return v, ok }
}

var noSecrets = secrets(nil)

func TestAnAddressHasANameThatMayBeShown(t *testing.T) {
	secret := secrets(map[string]string{"NTFY_TOKEN": "tk_very_secret", "PHONE": "https://:tk_very_secret@ntfy.home/secret-topic"})
	for raw, want := range map[string]string{
		"https://ntfy.sh/secret-topic":                         "ntfy at ntfy.sh",
		"https://:$NTFY_TOKEN@ntfy.home:8443/secret-topic":     "ntfy at ntfy.home:8443",
		"ntfy://${NTFY_TOKEN}@ntfy.home/secret-topic":          "ntfy at ntfy.home",
		"ntfy://sam:secret@ntfy.home/secret-topic?scheme=http": "ntfy at ntfy.home",
		"$PHONE": "ntfy at ntfy.home",
		"apprise+http://apprise:8000/notify/secret":                                       "Apprise API at apprise:8000",
		"apprise+https://sam:secret@apprise.home/base/notify/secret/?tag=phone":           "Apprise API at apprise.home",
		"gotify://gotify.home/Asecretsecrets1":                                            "gotify at gotify.home",
		"telegram://110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1@telegram?chats=@secret": "telegram",
		"generic+https://hooks.home/secret":                                               "generic at hooks.home",
		"Generic+HTTPS://me:secret@hooks.home:8443/secret?@X=secret":                      "generic at hooks.home:8443",
		"pushover://shoutrrr:secret@secretuser/":                                          "pushover",
		"discord://secret@secret":                                                         "discord",
		"smtp://me:secret@mail.home:25/?from=a@b&to=c@d":                                  "smtp at mail.home:25",
	} {
		got, err := Parse(raw, secret)
		if err != nil || got.Name != want || got.Sender == nil {
			t.Errorf("%s is %q, %v; want %q", raw, got.Name, err, want)
		}
		if strings.Contains(got.Key+got.Name, "secret") {
			t.Errorf("%s shows its secret: %s %s", raw, got.Key, got.Name)
		}
	}
}

func TestAnAddressThatIsNoneSaysTheMendAndNoSecret(t *testing.T) {
	secret := secrets(map[string]string{"BAD": "https://secret secret/%zz"})
	for raw, want := range map[string]string{
		"":                                     "it is no address",
		"sam":                                  "it is no address",
		"://x":                                 "it is no address",
		"http://apprise:8000/notify/secret":    "write apprise+http:// in front",
		"https://apprise.home/notify/":         "write apprise+https:// in front",
		"https://apprise.home/x/notify/secret": "write apprise+https:// in front",
		"apprise://apprise.home/secret":        "write apprise+http://HOST/notify/KEY",
		"apprises://apprise.home/secret":       "write apprise+http://HOST/notify/KEY",
		"apprise+tgram://secret/12":            "put that URL into the server's configuration",
		"apprise+http://apprise:8000/":         "it names no configuration",
		"apprise+http://apprise:8000/secret":   "it names no configuration",
		"apprise+http:///notify/secret":        "it names no Apprise API server",
		"apprise+http://a/notify/secret?x=1":   "use tag",
		"tgram://secret/12":                    "write telegram://",
		"tgram://123:secret/12":                "write telegram://",
		"telegram://12:secret/x":               "not how shoutrrr writes telegram",
		"mailto://secret@example.org":          "write smtp://",
		"nobody://secret":                      "nobody here knows nobody://",
		"logger://":                            "nobody here knows logger://",
		"https://ntfy.sh":                      "it names no topic",
		"https:///secret":                      "it names no ntfy server",
		"https://ntfy.sh/secret/more":          "no topic of ntfy",
		"https://secret@ntfy.sh/topic":         "neither a token nor a name with its password",
		"https://ntfy.sh/topic?secret=1":       "a setting",
		"https://ntfy.sh/topic?priority=9":     "priority=1 to 5",
		"https://ntfy.sh/topic#secret":         "a # part",
		"https://:$MISSING@ntfy.sh/topic":      "the secrets file has no MISSING",
		"https://:$@ntfy.sh/topic":             "a $ in it names no secret",
		"https://:${missing}@ntfy.sh/topic":    "a $ in it names no secret",
		"$BAD":                                 "an address with a fault in it",
		"telegram://secret":                    "not how shoutrrr writes telegram",
		"push://":                              "nobody here knows push://",
	} {
		_, err := Parse(raw, secret)
		wrong, ok := errors.AsType[*Wrong](err)
		if !ok || !strings.Contains(err.Error(), want) || wrong.Mend == "" {
			t.Errorf("%q: %v; want %q", raw, err, want)
		}
		if ok && raw != "https://ntfy.sh/topic?secret=1" && strings.Contains(err.Error(), "secret") && !strings.Contains(err.Error(), "secrets file") && !strings.Contains(err.Error(), "no secret") {
			t.Errorf("%q shows its secret: %v", raw, err)
		}
	}
}

// got is a request that a server took.
type got struct {
	path, authorization string
	body                map[string]any
}

// taken is what ntfy says to a message that it took.
const taken = `{"id":"sPs71M8A2T","time":1770000000,"event":"message","topic":"topic-1","message":"x"}`

// server stands in for any of the services: it answers all with that status, and a 200 as
// ntfy does.
func server(t *testing.T, status int, header ...string) (url string, requests func() []got) {
	t.Helper()
	reply := ""
	if status == http.StatusOK {
		reply = taken
	}
	return saying(t, status, reply, header...)
}

// saying is the same with a reply of one's own.
func saying(t *testing.T, status int, reply string, header ...string) (url string, requests func() []got) {
	t.Helper()
	var mu sync.Mutex
	var list []got
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		g := got{path: r.URL.Path, authorization: r.Header.Get("Authorization")}
		_ = json.Unmarshal(raw, &g.body)
		mu.Lock()
		list = append(list, g)
		mu.Unlock()
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://"), func() []got {
		mu.Lock()
		defer mu.Unlock()
		return append([]got(nil), list...)
	}
}

var message = &notify.Message{ID: "ntc_1", From: "compass_nhs", Person: "sam", Level: notify.Important, Text: "Zoë’s bus is late.", At: time.Date(2026, 10, 10, 9, 0, 0, 0, time.UTC)}

func send(t *testing.T, raw string) error {
	t.Helper()
	target, err := Parse(raw, noSecrets)
	if err != nil {
		t.Fatal(err)
	}
	return target.Sender.Send(t.Context(), message)
}

func TestNtfyGetsTitleMessagePriorityAndId(t *testing.T) {
	host, requests := server(t, 200)
	if err := send(t, "http://:tk_abc@"+host+"/topic-1?tags=a,b"); err != nil {
		t.Fatal(err)
	}
	g := requests()[0]
	if g.path != "/" || g.authorization != "Bearer tk_abc" || g.body["topic"] != "topic-1" || g.body["title"] != "compass nhs" ||
		g.body["message"] != "Zoë’s bus is late." || g.body["priority"] != 4.0 || g.body["sequence_id"] != "ntc_1" {
		t.Errorf("it got %+v", g)
	}
	if err := send(t, "ntfy://sam:pass@"+host+"/topic-1?scheme=http&priority=min"); err != nil {
		t.Fatal(err)
	}
	if g := requests()[1]; g.authorization != "Basic c2FtOnBhc3M=" || g.body["priority"] != 1.0 {
		t.Errorf("it got %+v", g)
	}
}

func TestAppriseGetsTitleBodyAndTag(t *testing.T) {
	host, requests := server(t, 200)
	if err := send(t, "apprise+http://sam:pass@"+host+"/notify/key_1?tag=phone"); err != nil {
		t.Fatal(err)
	}
	g := requests()[0]
	if g.path != "/notify/key_1" || g.authorization != "Basic c2FtOnBhc3M=" || g.body["body"] != "Zoë’s bus is late." || g.body["title"] != "compass nhs" || g.body["tag"] != "phone" || g.body["type"] != "warning" {
		t.Errorf("it got %+v", g)
	}
}

// TestOnlyA200IsSuccess also goes through what an Apprise API server says of an unknown key
// (204) and of a tag that nothing has (424).
func TestOnlyA200IsSuccess(t *testing.T) {
	for _, c := range []struct {
		form   string
		status int
		state  notify.State
		words  string
	}{
		{"apprise+http://HOST/notify/key", 204, notify.Dead, "keeps nothing under this key"},
		{"apprise+http://HOST/notify/key", 424, notify.Waiting, "none has the tag"},
		{"apprise+http://HOST/notify/key", 201, notify.Dead, "answers 201"},
		{"apprise+http://HOST/notify/key", 302, notify.Dead, "answers 302"},
		{"apprise+http://HOST/notify/key", 403, notify.Dead, "does not let askhub in"},
		{"apprise+http://HOST/notify/key", 404, notify.Dead, "answers 404"},
		{"apprise+http://HOST/notify/key", 500, notify.Waiting, "answers 500"},
		{"http://HOST/topic", 204, notify.Dead, "answers 204"},
		{"http://HOST/topic", 307, notify.Dead, "answers 307"},
		{"http://HOST/topic", 401, notify.Dead, "does not let askhub write"},
		{"http://HOST/topic", 404, notify.Dead, "answers 404"},
		{"http://HOST/topic", 429, notify.Waiting, "answers 429"},
		{"http://HOST/topic", 507, notify.Waiting, "answers 507"},
		{"generic+http://HOST/secret?disabletls=yes", 503, notify.Waiting, "503"},
	} {
		host, requests := server(t, c.status, "Retry-After", "120", "Location", "http://127.0.0.1:1/elsewhere")
		err := send(t, strings.ReplaceAll(c.form, "HOST", host))
		fault, ok := errors.AsType[*notify.Fault](err)
		if !ok || fault.State != c.state || !strings.Contains(fault.Reason, c.words) {
			t.Errorf("%s at %d: %+v", c.form, c.status, err)
			continue
		}
		if len(requests()) != 1 {
			t.Errorf("%s at %d: it was called %d times", c.form, c.status, len(requests()))
		}
		if c.status == 429 && fault.After != 2*time.Minute {
			t.Errorf("it is left alone for %s", fault.After)
		}
	}
}

// TestAServerThatIsNoNtfyIsNoSuccess goes through what answers 200 and has brought nothing
// to any phone: a web page, another API, a webhook.
func TestAServerThatIsNoNtfyIsNoSuccess(t *testing.T) {
	for _, reply := range []string{
		"", "ok", "<!doctype html><title>Log in</title>", "[]", "null", `"message"`, `{}`, `{"success":true}`,
		`{"id":"","event":"message"}`, `{"event":"message"}`, `{"id":"x"}`, `{"id":"x","event":"open"}`, `{"id":7,"event":"message"}`, taken[:40],
	} {
		host, requests := saying(t, 200, reply)
		err := send(t, "http://:tk_secret@"+host+"/topic-1")
		fault, ok := errors.AsType[*notify.Fault](err)
		if !ok || fault.State != notify.Dead || !strings.Contains(fault.Reason, "no ntfy server") || !strings.Contains(fault.Reason, "generic+https://") {
			t.Errorf("%q: %v", reply, err)
		}
		if len(requests()) != 1 {
			t.Errorf("%q: it was called %d times", reply, len(requests()))
		}
	}
	// A field that ntfy gains is none of ours.
	host, _ := saying(t, 200, strings.Replace(taken, "{", `{"new":[1],`, 1))
	if err := send(t, "http://"+host+"/topic-1"); err != nil {
		t.Error(err)
	}
	// Who was cut off may have sent it: the notice's id lets ntfy show it once.
	cut, _ := saying(t, 200, taken, "Content-Length", "500")
	if fault, ok := errors.AsType[*notify.Fault](send(t, "http://"+cut+"/topic-1")); !ok || fault.State != notify.Waiting {
		t.Errorf("a reply that broke off: %+v", fault)
	}
}

func TestAServerThatIsNoNtfyIsToldWithoutSending(t *testing.T) {
	for _, c := range []struct {
		status int
		reply  string
		state  notify.State
	}{
		{200, `{"healthy":true}`, ""},
		{401, "", ""}, // a proxy in front may ask for more
		{502, "", ""}, // whether it comes back is told by a message
		{200, `{"healthy":false}`, notify.Waiting},
		{200, `{}`, notify.Dead},
		{200, "<!doctype html>", notify.Dead},
		{404, "", notify.Dead},
	} {
		host, _ := saying(t, c.status, c.reply)
		target, err := Parse("http://"+host+"/topic-1", noSecrets)
		if err != nil {
			t.Fatal(err)
		}
		err = target.Sender.(Checker).Check(t.Context())
		fault, _ := errors.AsType[*notify.Fault](err)
		if c.state == "" && err != nil || c.state != "" && (fault == nil || fault.State != c.state) {
			t.Errorf("%d %s: %v, want %q", c.status, c.reply, err, c.state)
		}
	}
}

func TestAServiceOfShoutrrrsGetsOneText(t *testing.T) {
	host, requests := server(t, 200)
	if err := send(t, "generic+http://"+host+"/hook?template=json"); err != nil {
		t.Fatal(err)
	}
	if g := requests()[0]; g.path != "/hook" || g.body["message"] != "compass nhs: Zoë’s bus is late." {
		t.Errorf("it got %+v", g)
	}
}

func TestAServerThatIsDownGivesNothingAway(t *testing.T) {
	host, _ := server(t, 200)
	gone := "127.0.0.1:1"
	_ = host
	for _, raw := range []string{
		"http://:secret@" + gone + "/secret", "apprise+http://me:secret@" + gone + "/notify/secret",
		"generic+http://" + gone + "/secret", "gotify://" + gone + "/Asecretsecrets1?disabletls=yes",
		"http://:secret@no-such-host.invalid/secret",
	} {
		err := send(t, raw)
		fault, ok := errors.AsType[*notify.Fault](err)
		if !ok || fault.State != notify.Waiting || strings.Contains(fault.Reason, "secret") || strings.Contains(fault.Reason, gone) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestAServerThatHangsIsGivenUp(t *testing.T) {
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	defer s.Close()
	defer close(hang)
	host := strings.TrimPrefix(s.URL, "http://")
	for _, raw := range []string{"http://" + host + "/topic", "apprise+http://" + host + "/notify/key", "generic+http://" + host + "/hook"} {
		target, err := Parse(raw, noSecrets)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second meets the first, which shoutrrr goes on with
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			err = target.Sender.Send(ctx, message)
			cancel()
			if fault, ok := errors.AsType[*notify.Fault](err); !ok || fault.State != notify.Waiting {
				t.Errorf("%s: %v", raw, err)
			}
		}
	}
}

func TestACallThatNeverEndsIsPassedByInTheEnd(t *testing.T) {
	s := &service{}
	began, ok := s.begin(time.Unix(1000, 0))
	if _, second := s.begin(time.Unix(1000, 0).Add(stuck - time.Second)); !ok || second {
		t.Errorf("the first may begin: %v, the second beside it: %v", ok, second)
	}
	later, third := s.begin(time.Unix(1000, 0).Add(stuck))
	if !third {
		t.Error("nothing is sent any more")
	}
	s.end(began) // the first ends after all, and the third goes on
	if _, fourth := s.begin(later.Add(time.Second)); fourth {
		t.Error("two calls go on at once")
	}
	s.end(later)
	if _, fifth := s.begin(later.Add(time.Second)); !fifth {
		t.Error("nothing is sent any more")
	}
}

func TestAServersReachIsFoundOutWithoutSending(t *testing.T) {
	host, requests := server(t, 401)
	for _, raw := range []string{"http://:secret@" + host + "/topic", "apprise+http://me:secret@" + host + "/notify/key"} {
		target, err := Parse(raw, noSecrets)
		if err != nil {
			t.Fatal(err)
		}
		if err := target.Sender.(Checker).Check(t.Context()); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, g := range requests() {
		if g.authorization != "" || g.body != nil {
			t.Errorf("it got %+v", g)
		}
	}
	down, err := Parse("http://127.0.0.1:1/topic", noSecrets)
	if err != nil {
		t.Fatal(err)
	}
	if err := down.Sender.(Checker).Check(t.Context()); err == nil {
		t.Error("a server that is not there was found")
	}
}

func TestTheBookKnowsEachPersonsTargets(t *testing.T) {
	lines := map[string]string{"TOKEN": "tk_one"}
	b := &Book{Secret: secrets(lines), Push: nobody{}, Chat: nobody{}, Speech: voice{}}
	sam := &people.Person{Name: "sam", Role: people.RoleAdult, Phone: []string{"push", "https://:$TOKEN@ntfy.home/t", "https://:$TOKEN@ntfy.home/t", "https://:$NONE@ntfy.home/t"}, SpeakIn: []string{"bedroom", "attic"}}
	var names []string
	for _, one := range b.Of(sam) {
		names = append(names, string(one.Kind())+" "+one.Name+" "+one.Broken)
	}
	want := "chat chat |push push |phone ntfy at ntfy.home |phone an address that cannot be read (number 4 under phone) the secrets file has no NONE; put the line NONE=… into it|speech speech in the bedroom |" +
		`speech speech in the attic "attic" is no room of askhub.toml; write it under [[speakers.rooms]] there, or mend its name in speak_in`
	if got := strings.Join(names, "|"); got != want {
		t.Errorf("they are %s", got)
	}
	before := b.Of(sam)[2].Sender.(*ntfy)
	if again := b.Of(sam)[2].Sender; again != notify.Sender(before) {
		t.Error("it was read twice")
	}
	lines["TOKEN"] = "tk_two"
	if after := b.Of(sam)[2].Sender.(*ntfy); after.token != "tk_two" {
		t.Errorf("after a change of the secret it is %s", after.token)
	}
	if only := b.Of(&people.Person{Name: "alex", Role: people.RoleAdult}); len(only) != 2 || only[1].Key != "push:alex" || only[1].Sender == nil {
		t.Errorf("an adult without a phone has %+v", only)
	}
}

// Only adults sign in to the admin app, so nobody else is sent there to switch push on.
func TestWhoIsNoAdultHasNoPush(t *testing.T) {
	b := &Book{Secret: noSecrets, Push: nobody{}}
	for _, role := range []people.Role{people.RoleChild, people.RoleGuest} {
		for want, phones := range map[string][]string{
			"people.toml names no phone for tom": nil,
			"push comes from the admin app, which is for adults; write the address of tom's phone in its place": {"push"},
		} {
			got := b.Of(&people.Person{Name: "tom", Role: role, Phone: phones})
			if len(got) != 1 || got[0].Sender != nil || got[0].Broken != want || !got[0].Kind().Phone() {
				t.Errorf("a %s with the phones %q has %+v", role, phones, got)
			}
		}
	}
}

type nobody struct{}

func (nobody) Send(context.Context, *notify.Message) error { return nil }

// voice is a stand-in for a house whose kitchen and bedroom have speakers.
type voice struct{}

func (voice) Has(room string) bool { return room == "kitchen" || room == "bedroom" }

func (voice) Speak(context.Context, string, string) error { return nil }

func FuzzParse(f *testing.F) {
	for _, s := range []string{"push", "https://:$T@ntfy.sh/topic", "apprise+http://h/notify/k?tag=a", "telegram://t@telegram?chats=1", "${A", "$$", "smtp://u:p@h:25/?from=a@b&to=c@d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		target, err := Parse(raw, secrets(map[string]string{"T": "tk_1"}))
		if (err == nil) != (target.Sender != nil) {
			t.Errorf("%q: %+v, %v", raw, target, err)
		}
		if err != nil {
			if _, ok := errors.AsType[*Wrong](err); !ok {
				t.Errorf("%q: %v", raw, err)
			}
		}
	})
}
