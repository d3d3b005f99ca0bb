package websearch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/connector/spoken"
)

// found is SearXNG's reply, as far as it is read. Each value may be missing or null.
type found struct {
	// Answers are strings in older servers and objects in newer ones.
	Answers   []jsontext.Value `json:"answers"`
	Infoboxes each[infobox]    `json:"infoboxes"`
	Results   each[result]     `json:"results"`
	// Unresponsive are pairs of an engine's name and what was wrong with it.
	Unresponsive []jsontext.Value `json:"unresponsive_engines"`
}

// each is a list of which every item is read by itself: engines are many, and one that
// gives a number for a text takes only its own item away.
type each[T any] []T

// UnmarshalJSON is json.Unmarshaler's.
func (e *each[T]) UnmarshalJSON(data []byte) error {
	var raw []jsontext.Value
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	for _, r := range raw {
		var item T
		if json.Unmarshal(r, &item) == nil {
			*e = append(*e, item)
		}
	}
	return nil
}

type infobox struct {
	Infobox string `json:"infobox"`
	Content string `json:"content"`
	Engine  string `json:"engine"`
	URLs    []struct {
		URL string `json:"url"`
	} `json:"urls"`
}

type result struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Engine  string `json:"engine"`
}

// answer is an answer of a newer server.
type answer struct {
	Answer string `json:"answer"`
	URL    string `json:"url"`
	Engine string `json:"engine"`
}

// search asks SearXNG for words.
func (c *Connector) search(ctx context.Context, words string) (ask.Answer, error) {
	f, err := c.ask(ctx, words)
	switch {
	case errors.Is(err, ErrNoJSON), errors.Is(err, ErrBusy):
		slog.Warn("the search gave nothing", "cause", err)
		return ask.NoAnswer("The search server does not let askhub in; askhub doctor says how to mend that"), nil
	case err != nil:
		return ask.Answer{}, err
	}
	return f.say(), nil
}

// ask is one request to SearXNG.
func (c *Connector) ask(ctx context.Context, words string) (found, error) {
	v := url.Values{"q": {words}, "format": {"json"}}
	if c.cfg.Language != "" {
		v.Set("language", c.cfg.Language)
	}
	var f found
	err := c.get(ctx, c.cfg.URL+"/search?"+v.Encode(), &f)
	return f, err
}

// Check asks the search server a made-up question and says what is wrong with it: how
// many of its engines gave nothing is no fault of its own.
func (c *Connector) Check(ctx context.Context) (failed []string, err error) {
	f, err := c.ask(ctx, "lisbon")
	return f.failed(), err
}

// The length of what is quoted, in code points. A source and a quotation together are
// one short sentence.
const (
	maxQuoted = 200
	maxTitle  = 80
	maxEngine = 30
)

// say is the best of what was found: an answer, else what an encyclopedia has, else the
// first result.
func (f found) say() ask.Answer {
	for _, raw := range f.Answers {
		if s := sayAnswer(raw); s != "" {
			return f.detailed(s)
		}
	}
	for _, box := range f.Infoboxes {
		address := ""
		if len(box.URLs) > 0 {
			address = box.URLs[0].URL
		}
		if quoted := spoken.Quote(box.Content, maxQuoted); quoted != "" {
			return f.detailed(source(address, box.Engine) + " says: " + quoted)
		}
	}
	for _, r := range f.Results {
		if s := r.say(); s != "" {
			return f.detailed(s + f.failedToo())
		}
	}
	switch failed := f.failed(); {
	case len(failed) > 0:
		return ask.NoAnswer("I found nothing, and " + and(failed) + " did not answer")
	default:
		return ask.NoAnswer("I found nothing about that")
	}
}

func sayAnswer(raw jsontext.Value) string {
	var a answer
	if raw.Kind() == '"' {
		if json.Unmarshal(raw, &a.Answer) != nil {
			return ""
		}
	} else if json.Unmarshal(raw, &a) != nil {
		return ""
	}
	quoted := spoken.Quote(a.Answer, maxQuoted)
	if quoted == "" {
		return ""
	}
	return source(a.URL, a.Engine) + " says: " + quoted
}

// say quotes the result, or only its title where it has no text.
func (r result) say() string {
	if quoted := spoken.Quote(r.Content, maxQuoted); quoted != "" {
		return source(r.URL, r.Engine) + " says: " + quoted
	}
	if title := spoken.Quote(r.Title, maxTitle); title != "" {
		return "There is a page " + title + " at " + source(r.URL, r.Engine)
	}
	return ""
}

// source is who says it: the site, else the engine.
func source(address, engine string) string {
	if host := spoken.Host(address); host != "" {
		return host
	}
	if name := spoken.Clean(engine, maxEngine); name != "" && ask.CheckSentence(name, false) == nil {
		return name
	}
	return "The search"
}

// failed names the engines that did not answer.
func (f found) failed() []string {
	var names []string
	for _, raw := range f.Unresponsive {
		var pair []jsontext.Value
		var name string
		if json.Unmarshal(raw, &pair) != nil || len(pair) == 0 || json.Unmarshal(pair[0], &name) != nil {
			continue
		}
		if name = spoken.Clean(name, maxEngine); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// failedToo says so beside a result, since a better one may be missing.
func (f found) failedToo() string {
	failed := f.failed()
	if len(failed) == 0 {
		return ""
	}
	return ", and " + and(failed) + " did not answer"
}

// and joins names as people do, and counts the rest of many.
func and(names []string) string {
	const most = 2
	if len(names) > most {
		return fmt.Sprintf("%s and %d other engines", names[0], len(names)-1)
	}
	return strings.Join(names, " and ")
}

// detailed is the sentence with the engines that failed as its detail, for `askhub why`.
func (f found) detailed(sentence string) ask.Answer {
	if !strings.HasSuffix(sentence, `."`) {
		sentence += "."
	}
	if ask.CheckSentence(sentence, false) != nil {
		return ask.NoAnswer("What I found cannot be said in a sentence")
	}
	a := ask.Say(sentence)
	if failed := f.failed(); len(failed) > 0 {
		if data, err := json.Marshal(map[string][]string{"engines_that_failed": failed}); err == nil {
			a.Data = data
		}
	}
	return a
}
