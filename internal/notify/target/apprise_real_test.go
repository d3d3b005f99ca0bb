package target

import (
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/freeport"
	"github.com/askhub/askhub/internal/notify"
)

// apprisePython is the Python that has the real apprise library.
func apprisePython(t *testing.T) (python, command string) {
	t.Helper()
	command, err := exec.LookPath("apprise")
	if err != nil {
		t.Skip("apprise is not installed")
	}
	if real, err := filepath.EvalSymlinks(command); err == nil {
		command = real
	}
	return filepath.Join(filepath.Dir(command), "python3"), command
}

// TestWhatIsAppriseNotationIsSoToApprise asks the real command which addresses are its own:
// those that are refused here as Apprise's must be, and an API server's address must not.
func TestWhatIsAppriseNotationIsSoToApprise(t *testing.T) {
	_, command := apprisePython(t)
	for address, own := range map[string]bool{
		"tgram://123456789:abcdefg_hijklmnop/12315544/":        true,
		"apprise://127.0.0.1:8000/key":                         true,
		"mailto://u:p@example.org":                             true,
		"pover://user@token":                                   true,
		"gotifys://h/AAAAAAAAAAAAAAA":                          true,
		"rockets://u:p@h/#c":                                   true,
		"jsons://h/p":                                          true,
		"http://127.0.0.1:8000/notify/key":                     false,
		"telegram://110201543:AAHdqTcvCH1vGWJx@telegram?chats": false,
	} {
		err := exec.CommandContext(t.Context(), command, "--dry-run", "--body", "x", address).Run()
		if (err == nil) != own {
			t.Errorf("%s: apprise says %v", address, err)
		}
		if _, err := Parse(address, noSecrets); own && err == nil {
			t.Errorf("%s is taken here", address)
		} else if own && !strings.Contains(err.Error(), "pprise") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// appriseServer starts the stand-in with these services, each an Apprise URL and perhaps
// its tags.
func appriseServer(t *testing.T, services ...string) (host string) {
	t.Helper()
	python, _ := apprisePython(t)
	free := freeport.For(t)
	host = free.Address
	cmd := exec.Command(python, append([]string{filepath.Join("testdata", "apprise_api.py"), strconv.Itoa(free.Number), "family"}, services...)...)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	awaitServer(t, "http://"+host+"/")
	return host
}

// awaitServer waits until a server answers.
func awaitServer(t *testing.T, address string) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(address)
		if err == nil {
			_ = resp.Body.Close()
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("%s does not answer: %v", address, err)
		}
	}
}

// TestTheAppriseLibrarySendsWhatItIsGiven goes through a stand-in for the API server with
// the real library behind it.
func TestTheAppriseLibrarySendsWhatItIsGiven(t *testing.T) {
	phone, requests := server(t, 200)
	broken, _ := server(t, 500)
	host := appriseServer(t, "json://"+phone+"/sam sam,adults", "json://"+phone+"/tom tom,adults", "json://"+broken+"/emma emma")
	if err := send(t, "apprise+http://"+host+"/notify/family?tag=adults"); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, g := range requests() {
		got[g.path] = true
		if g.body["message"] != "Zoë’s bus is late." || g.body["title"] != "compass nhs" || g.body["type"] != "warning" {
			t.Errorf("it got %+v", g)
		}
	}
	if len(got) != 2 {
		t.Errorf("it reached %v", got)
	}
	for address, words := range map[string]string{
		"/notify/family":          "none has the tag",
		"/notify/family?tag=bob":  "none has the tag",
		"/notify/family?tag=emma": "could not send it to all",
		"/notify/nobody":          "keeps nothing under this key",
	} {
		err := send(t, "apprise+http://"+host+address)
		if fault, ok := errors.AsType[*notify.Fault](err); !ok || !strings.Contains(fault.Reason, words) {
			t.Errorf("%s: %v", address, err)
		}
	}
	if len(requests()) != 2 {
		t.Error("something was sent that was told as not sent")
	}
}
