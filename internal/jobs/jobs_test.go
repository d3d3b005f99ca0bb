package jobs

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/internal/hub/routing"
)

// bench files as the test says.
type bench struct {
	mu     sync.Mutex
	filed  []string // keys
	file   func(ctx context.Context) error
	looks  int
	stands Progress
	fault  error
}

func (b *bench) Draft(words string) (Draft, error) {
	title, ok := strings.CutPrefix(words, "file a job: ")
	if !ok {
		return Draft{}, ErrNoJob
	}
	action, err := jsontext.AppendQuote(nil, title)
	return Draft{Title: title, Action: jsontext.Value(`{"destination":"paperclip","title":` + string(action) + `}`)}, err
}

func (b *bench) File(ctx context.Context, key string, _ jsontext.Value) (Filed, error) {
	b.mu.Lock()
	b.filed = append(b.filed, key)
	file := b.file
	b.mu.Unlock()
	if file != nil {
		if err := file(ctx); err != nil {
			return Filed{}, err
		}
	}
	return Filed{Issue: "5c4904f9", Name: "HOU-1"}, nil
}

func (b *bench) Look(context.Context, string) (Progress, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.looks++
	return b.stands, b.fault
}

func (b *bench) set(p Progress, fault error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stands, b.fault = p, fault
}

// fault is a Failure.
type fault struct{ lost bool }

func (f fault) Error() string   { return "10.0.0.7: connection reset" }
func (f fault) Uncertain() bool { return f.lost }
func (f fault) Says() string    { return "Paperclip is not running, so nothing was filed." }

// house is a bench with its keeper and its desk, in a bubble of its own time.
type house struct {
	*testing.T
	bench     *bench
	store     Store
	approvals approve.Store
	keeper    *Keeper
	desk      *approve.Desk

	mu   sync.Mutex
	news []News
	deaf int // how many tellings fail
	slow time.Duration
}

func (h *house) Tell(_ context.Context, n News) error {
	time.Sleep(h.slow)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deaf > 0 {
		h.deaf--
		return errors.New("nobody listens")
	}
	h.news = append(h.news, n)
	return nil
}

func (h *house) told() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []string
	for _, n := range h.news {
		all = append(all, string(n.Person)+": "+n.Message)
	}
	return all
}

func (h *house) hears(want ...string) {
	h.Helper()
	synctest.Wait()
	if got := h.told(); !slices.Equal(got, want) {
		h.Errorf("told\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// start begins a process on the house's stores, and gives what ends it.
func (h *house) start() (stop func()) {
	ctx, cancel := context.WithCancel(h.Context())
	h.keeper = New(Config{
		Destination: "paperclip", Bench: h.bench, Store: h.store, Teller: h, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	var err error
	h.desk, err = approve.Open(ctx, approve.Options{
		Owner: "hub", Store: h.approvals, Execute: h.keeper.Execute, Changed: h.keeper.Changed, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		h.Fatal(err)
	}
	h.keeper.Use(h.desk)
	done := make(chan struct{})
	keeper := h.keeper
	go func() { defer close(done); keeper.Run(ctx) }()
	desk := h.desk
	return func() { desk.Close(); cancel(); <-done }
}

func (h *house) propose(words string) routing.Part {
	h.Helper()
	p, err := h.keeper.Propose(h.Context(), ask.Question{Question: words, Asker: "sam"})
	if err != nil {
		h.Fatal(err)
	}
	return p
}

func (h *house) decide(p routing.Part, answer approve.Answer) approve.Approval {
	h.Helper()
	a, err := h.desk.Get(h.Context(), p.Approval)
	if err != nil {
		h.Fatal(err)
	}
	a, err = h.desk.Decide(h.Context(), approve.Decision{ID: a.ID, Decision: answer, Digest: a.Digest, By: "tom"})
	if err != nil {
		h.Fatal(err)
	}
	return a
}

// bubble runs a test with one process.
func bubble(t *testing.T, test func(h *house)) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{T: t, bench: &bench{stands: Underway}, store: NewMemory(), approvals: approve.NewMemory()}
		stop := h.start()
		defer func() { stop() }()
		test(h)
	})
}

const plumber = "file a job: find a plumber"

func TestAJobIsAskedForInTheWordsThatWillBeFiled(t *testing.T) {
	bubble(t, func(h *house) {
		p := h.propose(plumber)
		if p.Status != routing.StatusPending || p.Answer != "I have asked for your yes in the admin app: file the job “find a plumber”." {
			h.Errorf("got %+v", p)
		}
		a, err := h.desk.Get(h.Context(), p.Approval)
		if err != nil || a.What != "File the job “find a plumber”." || a.Who != "sam" || a.Why != plumber || a.State != approve.Pending || !p.Expires.Equal(a.Expires) {
			h.Errorf("the approval is %+v, %v", a, err)
		}
		if len(h.bench.filed) != 0 {
			h.Error("it was filed before anybody said yes")
		}
		h.hears()
	})
}

func TestWhereNothingWaitsThatIsSaid(t *testing.T) {
	bubble(t, func(h *house) {
		if p := h.propose("file a job"); p.Status != routing.StatusNoAnswer || p.Reason != saysNoJob {
			h.Errorf("without a job: got %+v", p)
		}
		first := h.propose(plumber)
		time.Sleep(time.Second)
		if p := h.propose(plumber); p.Approval != first.Approval || !strings.HasPrefix(p.Answer, "That waits for your yes in the admin app already: ") {
			h.Errorf("an equal one: got %+v", p)
		}
		h.propose("file a job: mow the lawn")
		h.propose("file a job: paint the gate")
		if p := h.propose("file a job: one more"); p.Status != routing.StatusNoAnswer || p.Reason != saysTooMany {
			h.Errorf("too many: got %+v", p)
		}
		if p := h.propose("file a job: " + strings.Repeat("x", 5000)); p.Status != routing.StatusNoAnswer || p.Reason != saysNotShown {
			h.Errorf("too long: got %+v", p)
		}
		a, _ := h.desk.Get(h.Context(), first.Approval)
		if _, err := h.desk.Decide(h.Context(), approve.Decision{ID: a.ID, Decision: approve.No, Digest: a.Digest, Mute: true}); err != nil {
			h.Fatal(err)
		}
		if p := h.propose("file a job: another"); p.Status != routing.StatusNoAnswer || p.Reason != saysMuted {
			h.Errorf("muted: got %+v", p)
		}
	})
}

func TestTheAskerHearsWhatBecameOfIt(t *testing.T) {
	bubble(t, func(h *house) {
		a := h.decide(h.propose(plumber), approve.Yes)
		if a.State != approve.Done || a.Result.Message != "It is filed as HOU-1." || !slices.Equal(h.bench.filed, []string{a.ID}) {
			h.Errorf("got %+v, %+v; filed %q", a, a.Result, h.bench.filed)
		}
		h.hears("sam: The job “find a plumber” is filed as HOU-1.")
		time.Sleep(3 * time.Hour)
		h.bench.set(Finished, nil)
		time.Sleep(20 * time.Minute)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.", "sam: The job “find a plumber”, HOU-1, is done.")
		looks := h.bench.looks
		time.Sleep(24 * time.Hour)
		if h.bench.looks != looks || len(h.told()) != 2 {
			h.Errorf("what is over was looked at %d times more, and %q told", h.bench.looks-looks, h.told())
		}
		if looks > 30 {
			h.Errorf("it was looked at %d times within three hours", looks)
		}
	})
}

// A refusal, a timeout, a failure and an unknown end are never told as success.
func TestNothingElseIsToldAsSuccess(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(h *house, p routing.Part)
		want string
	}{
		"denied":  {func(h *house, p routing.Part) { h.decide(p, approve.No) }, "sam: The job “find a plumber” was not filed: Tom said no."},
		"expired": {func(*house, routing.Part) { time.Sleep(approve.Lifetime + time.Second) }, "sam: The job “find a plumber” was not filed: nobody said yes in time."},
		"failed": {
			func(h *house, p routing.Part) {
				h.bench.file = func(context.Context) error { return fault{} }
				h.decide(p, approve.Yes)
			},
			"sam: The job “find a plumber” was approved and could not be filed: Paperclip is not running, so nothing was filed.",
		},
		"lost": {
			func(h *house, p routing.Part) {
				h.bench.file = func(context.Context) error { return fault{lost: true} }
				h.decide(p, approve.Yes)
			},
			"sam: The job “find a plumber” may or may not be filed: please look at the work bench before you ask for it again.",
		},
		"out of time": {
			func(h *house, p routing.Part) {
				h.bench.file = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
				h.decide(p, approve.Yes)
			},
			"sam: The job “find a plumber” may or may not be filed: please look at the work bench before you ask for it again.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(h *house) {
				c.end(h, h.propose(plumber))
				h.hears(c.want)
				time.Sleep(24 * time.Hour)
				h.hears(c.want)
				if h.bench.looks != 0 {
					h.Error("a job was looked at that was never filed")
				}
				if strings.Contains(strings.Join(h.told(), ""), "10.0.0.7") {
					h.Error("what is inside was told")
				}
			})
		})
	}
}

func TestWhoAskedTakesItBack(t *testing.T) {
	bubble(t, func(h *house) {
		p := h.propose(plumber)
		if _, err := h.keeper.Withdraw(h.Context(), p.Approval, "tom"); !errors.Is(err, approve.ErrUnknown) {
			h.Errorf("another asker: got %v", err)
		}
		got, err := h.keeper.Withdraw(h.Context(), p.Approval, "sam")
		if err != nil || got.Status != routing.StatusDone || got.Answer != "I have withdrawn the job “find a plumber”, so nothing is filed." {
			h.Errorf("got %+v, %v", got, err)
		}
		if a := h.decide(p, approve.Yes); a.State != approve.Denied || len(h.bench.filed) != 0 {
			h.Errorf("a yes after that: %+v, filed %q", a, h.bench.filed)
		}
		time.Sleep(time.Hour)
		h.hears() // they know
	})
}

func TestItIsTooLateToTakeBackWhatIsDecided(t *testing.T) {
	bubble(t, func(h *house) {
		p := h.propose(plumber)
		h.decide(p, approve.Yes)
		got, err := h.keeper.Withdraw(h.Context(), p.Approval, "sam")
		if err != nil || got.Status != routing.StatusAnswered || got.Answer != "The job “find a plumber” is filed as HOU-1." {
			h.Errorf("got %+v, %v", got, err)
		}
		if got, err = h.keeper.Waiting(h.Context(), p.Approval, "sam"); err != nil || got.Status != routing.StatusAnswered {
			h.Errorf("got %+v, %v", got, err)
		}
	})
}

func TestAYesInWordsIsToldWhereItCounts(t *testing.T) {
	bubble(t, func(h *house) {
		p := h.propose(plumber)
		got, err := h.keeper.Waiting(h.Context(), p.Approval, "sam")
		if err != nil || got.Status != routing.StatusPending || got.Answer != "Only a yes in the admin app counts, and it still waits there: file the job “find a plumber”." {
			h.Errorf("got %+v, %v", got, err)
		}
		if len(h.bench.filed) != 0 {
			h.Error("it was filed")
		}
	})
}

func TestARestartLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{T: t, bench: &bench{stands: Underway}, store: NewMemory(), approvals: approve.NewMemory()}
		stop := h.start()
		p := h.propose(plumber)
		stop()
		stop = h.start() // it waits over the restart
		h.deaf = 1 << 30
		h.decide(p, approve.Yes)
		time.Sleep(time.Minute)
		stop() // and so does what was not told
		h.deaf = 0
		stop = h.start()
		time.Sleep(lastLook + 10*time.Minute)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.")
		stop()
		h.bench.set(Cancelled, nil)
		stop = h.start()
		defer func() { stop() }()
		time.Sleep(lastLook + 10*time.Minute)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.", "sam: The job “find a plumber”, HOU-1, was cancelled.")
	})
}

// A crash between the desk's write and the keeper's own.
func TestAnApprovalThatWasNotKeptIsTakenIn(t *testing.T) {
	bubble(t, func(h *house) {
		draft, _ := h.bench.Draft(plumber)
		a, err := h.desk.Ask(h.Context(), approve.Request{What: what(draft.Title), Who: "sam", Action: draft.Action})
		if err != nil {
			h.Fatal(err)
		}
		other := jsontext.Value(`{"destination":"elsewhere"}`)
		if _, err := h.desk.Ask(h.Context(), approve.Request{What: "Something else.", Who: "sam", Action: other}); err != nil {
			h.Fatal(err)
		}
		time.Sleep(approve.Lifetime + compareEvery)
		h.hears("sam: The job “find a plumber” was not filed: nobody said yes in time.")
		if _, err := h.store.Get(h.Context(), a.ID); err != nil {
			h.Error(err)
		}
	})
}

func TestWhatCannotBeToldIsToldLater(t *testing.T) {
	bubble(t, func(h *house) {
		h.deaf = 3
		h.decide(h.propose(plumber), approve.No)
		h.hears()
		time.Sleep(time.Hour)
		h.hears("sam: The job “find a plumber” was not filed: Tom said no.")
	})
}

func TestABenchThatIsDownEndsNoJob(t *testing.T) {
	bubble(t, func(h *house) {
		h.decide(h.propose(plumber), approve.Yes)
		h.bench.set(Underway, errors.New("down"))
		time.Sleep(48 * time.Hour)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.")
		h.bench.set(Gone, nil)
		time.Sleep(time.Hour)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.", "sam: The job “find a plumber”, HOU-1, is not on the work bench any more.")
	})
}

// A process that dies while it files something leaves nobody who knows what came of it.
func TestWhatADeadProcessWasFilingIsUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{T: t, bench: &bench{stands: Underway}, store: NewMemory(), approvals: approve.NewMemory()}
		died := make(chan struct{})
		h.bench.file = func(context.Context) error { <-died; return nil }
		stop := h.start()
		p := h.propose(plumber)
		a, err := h.desk.Get(t.Context(), p.Approval)
		if err != nil {
			t.Fatal(err)
		}
		dead := h.desk
		go dead.Decide(context.WithoutCancel(t.Context()), approve.Decision{ID: a.ID, Decision: approve.Yes, Digest: a.Digest})
		synctest.Wait()
		again := h.start() // another process, on the same stores
		time.Sleep(approve.Within + time.Minute)
		const want = "sam: The job “find a plumber” may or may not be filed: please look at the work bench before you ask for it again."
		h.hears(want)
		close(died) // what comes of it after all changes nothing
		time.Sleep(time.Hour)
		h.hears(want)
		if n := len(h.bench.filed); n != 1 {
			t.Errorf("it was filed %d times", n)
		}
		stop()
		again()
	})
}

// After a new key, the jobs that the old one filed are out of sight.
func TestAJobThatIsOutOfSightIsSaidToBeInTheEnd(t *testing.T) {
	bubble(t, func(h *house) {
		h.decide(h.propose(plumber), approve.Yes)
		time.Sleep(60 * 24 * time.Hour) // however long it is underway, nothing ends it
		h.hears("sam: The job “find a plumber” is filed as HOU-1.")
		h.bench.set(Underway, errors.New("the key may not do that there"))
		time.Sleep(25 * 24 * time.Hour)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.")
		time.Sleep(20 * 24 * time.Hour)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.", "sam: The job “find a plumber”, HOU-1, cannot be seen from here any more, so its end will not be told.")
	})
}

// Two Hubs on one store.
func TestTwoKeepersTellOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{T: t, bench: &bench{stands: Underway}, store: NewMemory(), approvals: approve.NewMemory()}
		defer h.start()()
		defer h.start()()
		for _, words := range []string{plumber, "file a job: mow the lawn"} {
			h.decide(h.propose(words), approve.Yes)
		}
		time.Sleep(time.Hour)
		h.bench.set(Finished, nil)
		time.Sleep(time.Hour)
		if got := h.told(); len(got) != 4 {
			t.Errorf("told %q, want each of four once", got)
		}
	})
}

// A process that is woken leaves to another what that one is just telling.
func TestWhatAnotherProcessTellsIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{T: t, bench: &bench{stands: Underway}, store: NewMemory(), approvals: approve.NewMemory(), slow: 10 * time.Second}
		defer h.start()()
		h.decide(h.propose(plumber), approve.Yes)
		synctest.Wait() // it is being told
		h.hears()
		defer h.start()() // a process is woken by its own start
		time.Sleep(time.Hour)
		h.hears("sam: The job “find a plumber” is filed as HOU-1.")
	})
}

// A title that is not said aloud is not told, and its job's end is.
func TestATitleThatIsNoSpeechIsLeftOut(t *testing.T) {
	for _, title := range []string{"read https://example.org/x", "look into /etc/passwd", strings.Repeat("x ", 160)} {
		bubble(t, func(h *house) {
			h.decide(h.propose("file a job: "+title), approve.Yes)
			h.hears("sam: A job of yours is filed as HOU-1.")
			for _, n := range h.news {
				if err := ask.CheckSentence(n.Message, false); err != nil {
					h.Errorf("%q %v", n.Message, err)
				}
			}
		})
	}
}
