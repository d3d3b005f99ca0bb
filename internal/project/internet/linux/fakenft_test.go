//go:build unix

package linux

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/project/internet"
)

// fakeNft is a command in the place of nft: it lists what it is told to, takes all changes
// without making them, and fails when it is told to.
type fakeNft struct {
	t    *testing.T
	dir  string
	said strings.Builder
	o    Options
}

const fakeScript = `n=$(($(cat "$0.calls") + 1))
echo $n >"$0.calls"
if [ $n = "$(cat "$0.fail")" ]; then
	echo "Error: it is broken" >&2
	exit 1
fi
case "$*" in
*list*) cat "$0.list" ;;
*) cat >>"$0.took" ;;
esac
`

// newFakeNft is one whose sets hold those elements.
func newFakeNft(t *testing.T, held ...element) *fakeNft {
	t.Helper()
	f := &fakeNft{t: t, dir: t.TempDir()}
	f.file("", fakeScript)
	f.hold(held...)
	f.failAt(0)
	f.o = Options{
		Nft: []string{"sh", filepath.Join(f.dir, "nft")}, File: filepath.Join(f.dir, "bedtimes.json"), Zone: time.UTC,
		Now:  func() time.Time { return now },
		Slog: slog.New(slog.NewTextHandler(&f.said, nil)),
		Devices: []internet.Device{
			{Name: "Harry's tablet", Person: "harry", IDs: []string{"02:00:00:00:00:11", "192.168.1.20"}},
		},
	}
	return f
}

func (f *fakeNft) file(tail, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, "nft"+tail), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// failAt makes the nth call from now on fail, and none for 0.
func (f *fakeNft) failAt(n int) {
	f.file(".calls", "0")
	f.file(".fail", fmt.Sprint(n))
}

func (f *fakeNft) hold(held ...element) {
	var all []string
	for _, in := range []family{cutSets, bedSets, useSets} {
		for _, name := range []string{in.hardware, in.ip4, in.ip6} {
			var ids []string
			for _, e := range held {
				if e.set == name {
					ids = append(ids, fmt.Sprintf("%q", e.id))
				}
			}
			all = append(all, fmt.Sprintf(`{"set": {"name": %q, "elem": [%s]}}`, name, strings.Join(ids, ", ")))
		}
	}
	for range rulesInTable {
		all = append(all, `{"rule": {}}`)
	}
	f.file(".list", `{"nftables": [`+strings.Join(all, ", ")+`]}`)
}

// took is what it was told to change.
func (f *fakeNft) took() string {
	text, _ := os.ReadFile(filepath.Join(f.dir, "nft.took"))
	return string(text)
}

func (f *fakeNft) router() *Router {
	f.t.Helper()
	r, err := New(f.o)
	if err != nil {
		f.t.Fatal(err)
	}
	return r
}

// A bedtime that was said not to be set stayed in the file, and was kept five seconds later.
func TestAPlanThatTheRouterDidNotTakeIsTakenBack(t *testing.T) {
	bed := &internet.Bedtime{From: 20 * 60, To: 7 * 60, Days: internet.Days}
	for call := 2; call <= 3; call++ { // the sets are read again, or changed
		f := newFakeNft(t)
		r, d := f.router(), f.o.Devices[0]
		f.failAt(call)
		err := r.Apply(t.Context(), d, internet.State{}, internet.State{Bedtime: bed}, false)
		if err == nil || errors.Is(err, internet.ErrUncertain) {
			t.Errorf("call %d: it says %v", call, err)
		}
		for _, r := range []*Router{r, f.router()} {
			if s, err := r.State(t.Context(), d); err != nil || !s.Equal(internet.State{}) {
				t.Errorf("call %d: it stands as %+v, %v", call, s, err)
			}
			if err := r.byTheClock(t.Context()); err != nil || f.took() != "" {
				t.Errorf("call %d: it is kept up all the same: %v, %s", call, err, f.took())
			}
		}
	}
}

func TestAPlanThatCannotBeTakenBackIsUncertain(t *testing.T) {
	f := newFakeNft(t)
	r := f.router()
	// From the second call on, the file's folder is none.
	f.o.File = filepath.Join(f.dir, "folder", "bedtimes.json")
	r.o.File = f.o.File
	f.file("", strings.Replace(fakeScript, "echo $n >", `[ $n = 2 ] && rm -r "${0%/*}/folder" && : >"${0%/*}/folder"`+"\necho $n >", 1))
	f.failAt(2)
	err := r.Apply(t.Context(), f.o.Devices[0], internet.State{}, internet.State{Limit: 60}, false)
	if !errors.Is(err, internet.ErrUncertain) {
		t.Errorf("it says %v", err)
	}
}

// A device whose ids were changed while it was cut was called connected, with packets of it
// dropped, and could not be given back.
func TestADeviceCutBySomeOfItsIDsCanBeGivenBack(t *testing.T) {
	f := newFakeNft(t, element{"cut_mac", "02:00:00:00:00:11"})
	r, d := f.router(), f.o.Devices[0]
	s, err := r.State(t.Context(), d)
	if err != nil || !s.Off {
		t.Fatalf("it stands as %+v, %v", s, err)
	}
	if err := r.Apply(t.Context(), d, s, internet.State{}, true); err != nil {
		t.Error(err)
	}
	// The stand-in does not make the change, so that it reads back as it was.
	if err := r.Apply(t.Context(), d, s, internet.State{}, false); !errors.Is(err, internet.ErrUncertain) {
		t.Errorf("it is still held, and it says %v", err)
	}
	if !strings.Contains(f.took(), "delete element inet askhub cut_mac { 02:00:00:00:00:11 }") {
		t.Errorf("it took %s", f.took())
	}
	if err := r.cut(t.Context(), d, internet.State{Off: true}); !errors.Is(err, internet.ErrUncertain) {
		t.Errorf("half of a cut is called a cut: %v", err)
	}
}

func TestWhatIsHeldAndNoDeviceHasIsTold(t *testing.T) {
	f := newFakeNft(t, element{"cut_mac", "02:00:00:00:00:11"}, element{"cut_mac", "02:00:00:00:00:99"}, element{"bed_ip4", "192.168.1.99"}, element{"use_ip4", "192.168.1.98"})
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second) // it begins with it, or never says it
	defer cancel()
	f.o.Now = func() time.Time { // by the time that it is asked for, the sets were looked at
		if strings.Contains(f.said.String(), "192.168.1.99") && strings.Contains(f.said.String(), "00:99") {
			cancel()
		}
		return now
	}
	if err := f.router().Keep(ctx); err != nil {
		t.Error(err)
	}
	said := f.said.String()
	for _, want := range []string{"02:00:00:00:00:99", "192.168.1.99", "nft delete element inet askhub cut_mac", "some of its ids", "Harry's tablet"} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q: %s", want, said)
		}
	}
	if strings.Contains(said, "192.168.1.98") || strings.Contains(said, `id=02:00:00:00:00:11`) {
		t.Errorf("it says what holds nothing back, or is a device's: %s", said)
	}
}

func TestPlansOfNoDeviceAreTold(t *testing.T) {
	f := newFakeNft(t)
	if err := os.WriteFile(f.o.File, []byte(`{"bedtimes": {"Old phone": {"from": "21:00", "to": "07:00", "days": ["mon"]}}, "limits": {"Old laptop": 60, "Harry's tablet": 60}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f.router()
	said := f.said.String()
	if !strings.Contains(said, "Old phone") || !strings.Contains(said, "Old laptop") || strings.Contains(said, "Harry's tablet") {
		t.Errorf("it says %s", said)
	}
}
