package doctor

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/secrets"
)

// modelMargin is what is kept of the examination's time to say that a model was slow.
const modelMargin = 500 * time.Millisecond

// model asks the household's model a question that is made up, so that nothing of the
// household is told.
func (e *exam) model(ctx context.Context) []Check {
	m := e.cfg.Model
	if !m.Configured() {
		return []Check{{Check: "model", State: OK, What: "none is configured: the embedded router decides"}}
	}
	key := ""
	if m.KeyEnv != "" {
		found, err := secrets.Lookup(e.cfg.Secrets, e.Environ, m.KeyEnv)
		key = found[m.KeyEnv]
		switch {
		case err != nil:
			return []Check{{"model.key_env", Fault, "the secrets cannot be read, so the model was not asked", "Mend the secrets file, as said under secrets.", false}}
		case key == "":
			return []Check{{"model.key_env", Fault, "its secret " + m.KeyEnv + " is missing, so the model was not asked and the embedded router decides", "Put the line " + m.KeyEnv + "=… into " + e.cfg.Secrets + ".", false}}
		}
	}
	if e.Model == nil {
		return nil
	}
	end, bounded := ctx.Deadline()
	if bounded {
		early, cancel := context.WithDeadline(ctx, end.Add(-modelMargin))
		defer cancel()
		ctx = early
	}
	took, err := e.Model(ctx, m, key)
	if err == nil {
		return []Check{e.modelAnswers(m, took)}
	}
	check := modelFault(m, err)
	if llm.KindOf(err) == llm.Unknown && e.Models != nil {
		if names, err := e.Models(ctx, m, key); err == nil && len(names) > 0 {
			check.What += "; it has " + strings.Join(firstNames(names), ", ")
		}
	}
	return []Check{check}
}

// modelAnswers says how long a question takes, beside the time that it may take.
func (e *exam) modelAnswers(m config.Model, took time.Duration) Check {
	what := fmt.Sprintf("%s at %s answers within the schema in %s", m.Name, modelPlace(m), roundly(took))
	switch {
	case m.Decide == "embedded":
		what += "; decide is embedded, so it is asked about no question"
	case m.Decide == "sure-first":
		what += "; it is asked where the embedded router is not sure"
	}
	may := min(m.Timeout.Duration, e.cfg.Budget.Duration-3*time.Second)
	if took > may && m.Decide != "embedded" {
		return Check{"model", Warn, what + ", which is too slow for the " + roundly(may) + " that a question leaves it", `Take a smaller model, make budget and model.timeout longer, or set model.decide to "sure-first". A server that keeps what it has read is quicker from the second question on.`, false}
	}
	if m.Leaves() && m.Decide != "embedded" {
		what += "; questions go there, out of the house"
	}
	return Check{Check: "model", State: OK, What: what}
}

// modelFault says what is wrong, and the mend.
func modelFault(m config.Model, err error) Check {
	at := m.Name + " at " + modelPlace(m) + ": "
	kind := llm.KindOf(err)
	what := at + err.Error()
	const meanwhile = " Until then the embedded router decides."
	switch kind {
	case llm.Down:
		return Check{"model", Fault, what, "Start its server, or mend model.url in askhub.toml." + meanwhile, true}
	case llm.Loading:
		return Check{"model", Fault, what, "Wait until it has loaded, and look at its server's log." + meanwhile, true}
	case llm.Late, llm.Stopped:
		return Check{"model", Fault, at + "it gave no reply within the time of this examination", "Ask again, for a first question can take longer; else take a smaller model, or give its server more room." + meanwhile, true}
	case llm.Rate:
		return Check{"model", Warn, what, "Wait, or raise the limit at the provider." + meanwhile, false}
	case llm.Key:
		return Check{"model.key_env", Fault, what, "Put the right key into the secrets file, and its name into model.key_env." + meanwhile, false}
	case llm.Unknown:
		return Check{"model.name", Fault, what, "Mend model.name or model.url in askhub.toml (the address usually ends in /v1), or load that model there." + meanwhile, false}
	case llm.Moved:
		return Check{"model.url", Fault, what, "Write the address that it leads to." + meanwhile, false}
	case llm.Refused:
		return Check{"model", Fault, what, "Take a model and a server that keep to a JSON schema (docs/models.md)." + meanwhile, false}
	case llm.Nonsense, llm.Cut, llm.Empty, llm.Flood:
		return Check{"model", Fault, what, "Take a larger model, or a server that keeps to a JSON schema (docs/models.md)." + meanwhile, false}
	}
	return Check{"model", Fault, what, "Look at its server's log, and whether model.url is that of an OpenAI-compatible server." + meanwhile, false}
}

// modelPlace is the host that is asked.
func modelPlace(m config.Model) string {
	if m.Provider == config.ProviderAnthropic {
		return "Anthropic"
	}
	u, err := url.Parse(m.URL)
	if err != nil {
		return "its server"
	}
	return u.Host
}

// roundly is a duration as people say it.
func roundly(d time.Duration) string {
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// firstNames are as many as a person reads.
func firstNames(names []string) []string {
	const some = 5
	names = slices.Clone(names)
	slices.Sort(names)
	if len(names) > some {
		names = append(names[:some], "others")
	}
	return names
}
