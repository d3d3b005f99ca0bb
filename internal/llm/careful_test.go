package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/llm"
	"github.com/askhub/askhub/internal/llm/script"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

var limits = llm.Limits{Timeout: 4 * time.Second, AtOnce: 2}

func kindOf(_ []byte, err error) llm.Kind {
	if err == nil {
		return ""
	}
	return llm.KindOf(err)
}

func TestItReturnsByItsTimeWhateverTheProviderDoes(t *testing.T) {
	for name, act := range map[string]script.Act{
		"late": {Reply: "{}", After: time.Minute},
		"deaf": {Reply: "{}", After: time.Minute, Deaf: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := llm.NewCareful(script.New(act), limits)
				start := time.Now()
				if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != llm.Late || time.Since(start) != limits.Timeout {
					t.Errorf("%q after %v", got, time.Since(start))
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start = time.Now()
				if got := kindOf(c.Complete(ctx, llm.Request{})); got != llm.Late || time.Since(start) != time.Second {
					t.Errorf("with less time: %q after %v", got, time.Since(start))
				}
				<-time.After(act.After)
			})
		})
	}
}

func TestOneMoreThanAllowedIsNotKeptWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := llm.NewCareful(script.New(script.Act{Reply: "{}", After: time.Second}), limits)
		kinds := make(chan llm.Kind, 3)
		for range cap(kinds) {
			go func() { kinds <- kindOf(c.Complete(t.Context(), llm.Request{})) }()
		}
		if first := <-kinds; first != llm.Busy {
			t.Errorf("the first to come back: %q", first)
		}
		if a, b := <-kinds, <-kinds; a != "" || b != "" {
			t.Errorf("the others: %q, %q", a, b)
		}
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != "" {
			t.Errorf("after that: %q", got)
		}
	})
}

func TestOneAfterTheOtherIsNeverBusy(t *testing.T) {
	c := llm.NewCareful(script.Replies("{}"), llm.Limits{Timeout: time.Minute, AtOnce: 1})
	for range 2000 {
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != "" {
			t.Fatalf("got %q", got)
		}
	}
}

func TestAProviderThatDoesNotListenKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := llm.NewCareful(script.New(script.Act{Reply: "{}", After: time.Minute, Deaf: true}), llm.Limits{Timeout: time.Second, AtOnce: 1})
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != llm.Late {
			t.Errorf("got %q", got)
		}
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != llm.Busy {
			t.Errorf("while it goes on: %q", got)
		}
		<-time.After(time.Minute)
	})
}

func TestFailuresInARowGiveItARest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		acts := make([]script.Act, llm.DefaultFailures)
		for i := range acts {
			acts[i] = script.Act{Fault: &llm.Fault{Kind: llm.Broken, Status: 500}}
		}
		m := script.New(append(acts, script.Act{Fault: &llm.Fault{Kind: llm.Down}}, script.Act{Reply: "{}"})...)
		c := llm.NewCareful(m, limits)
		for range llm.DefaultFailures {
			if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != llm.Broken {
				t.Fatalf("got %q", got)
			}
		}
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != llm.Resting || !c.Resting() {
			t.Errorf("got %q", got)
		}
		<-time.After(llm.DefaultRest + time.Second)
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != llm.Down || !c.Resting() {
			t.Errorf("the one that tries it: %q", got)
		}
		<-time.After(llm.DefaultRest + time.Second)
		if got := kindOf(c.Complete(t.Context(), llm.Request{})); got != "" || c.Resting() {
			t.Errorf("when it is well again: %q", got)
		}
		if n := len(m.Asked()); n != llm.DefaultFailures+2 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

func TestNonsenseCountsAgainstItAndHangingUpDoesNot(t *testing.T) {
	wrong := errors.New("outcome is none of four")
	r := llm.Request{Check: func([]byte) error { return wrong }}
	c := llm.NewCareful(script.Replies("prose"), limits)
	for range llm.DefaultFailures {
		_, err := c.Complete(t.Context(), r)
		if llm.KindOf(err) != llm.Nonsense || !strings.HasSuffix(err.Error(), wrong.Error()) {
			t.Fatalf("got %v", err)
		}
	}
	if !c.Resting() {
		t.Error("nonsense did not count")
	}

	synctest.Test(t, func(t *testing.T) {
		c := llm.NewCareful(script.New(script.Act{Reply: "{}", After: time.Second}), limits)
		for range 3 * llm.DefaultFailures {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			if got := kindOf(c.Complete(ctx, llm.Request{})); got != llm.Stopped {
				t.Fatalf("got %q", got)
			}
			<-time.After(time.Second)
		}
		if c.Resting() {
			t.Error("hanging up counted against the model")
		}
	})
}

func TestWhatAProviderMayNotDoIsAFault(t *testing.T) {
	secret := errors.New("dial tcp 10.0.0.7: the key sk-1234 was refused")
	for _, c := range []struct {
		act  script.Act
		want llm.Kind
	}{
		{script.Act{Panic: true}, llm.Panic},
		{script.Act{Reply: strings.Repeat("a", llm.MaxReply+1)}, llm.Flood},
		{script.Act{Fault: secret}, "unexplained"},
	} {
		_, err := llm.NewCareful(script.New(c.act), limits).Complete(t.Context(), llm.Request{})
		if llm.KindOf(err) != c.want || strings.Contains(err.Error(), "sk-") {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	m := script.Replies("{}")
	if got := kindOf(llm.NewCareful(m, limits).Complete(ended, llm.Request{})); got != llm.Stopped || len(m.Asked()) != 0 {
		t.Errorf("for nobody: %q, asked %d times", got, len(m.Asked()))
	}
}
