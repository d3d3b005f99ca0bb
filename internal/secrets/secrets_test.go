package secrets

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/askhub/askhub/ask"
)

// tok is a token of 64 characters that is not random.
func tok(c string) string { return strings.Repeat(c, 64/len(c)) }

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "10-secrets.conf")
	put(t, path, text)
	return path
}

// put replaces the file in one step, as a careful editor does.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".tmp", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, path string, environ ...string) *Secrets {
	t.Helper()
	s, err := Open(path, environ)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func is(t *testing.T, s *Secrets, token, name string) {
	t.Helper()
	if got, ok := s.Caller(token); got != name || ok != (name != "") {
		t.Errorf("a token is %q's, want %q", got, name)
	}
}

func TestWhatTheFileHolds(t *testing.T) {
	s := open(t, file(t, "HUB_TOKEN_PHONE="+tok("a")+"\nHUB_TOKEN_FRONT_DOOR='"+tok("b")+"'\nPROJECT_TOKEN_COMPASS_NHS="+tok("c")+"\nHARRY_CALDAV_PASSWORD=\"short one\"\n"))
	is(t, s, tok("a"), "phone")
	is(t, s, tok("b"), "front_door")
	for _, not := range []string{"", tok("c"), tok("a")[1:], tok("a") + "a", "HUB_TOKEN_PHONE", strings.Repeat("x", 5000)} {
		is(t, s, not, "")
	}
	if got, ok := s.Project("compass_nhs"); !ok || string(got) != tok("c") {
		t.Error("the project's token is not there")
	}
	if _, ok := s.Project("phone"); ok {
		t.Error("a caller's token passed for a project's")
	}
	if got, ok := s.Named("HARRY_CALDAV_PASSWORD"); !ok || got != "short one" {
		t.Errorf("%q, %v", got, ok)
	}
	if _, ok := s.Named("NONE"); ok {
		t.Error("a name that is nowhere was found")
	}
	want := map[Digest]string{DigestOf(tok("a")): "phone", DigestOf(tok("b")): "front_door"}
	if d := cmp.Diff(want, s.Callers()); d != "" {
		t.Error(d)
	}
	if s.Problem() != nil {
		t.Error(s.Problem())
	}
}

func TestTheStrongerSourceWins(t *testing.T) {
	creds := t.TempDir()
	put(t, filepath.Join(creds, "HUB_TOKEN_C"), tok("3")+"\n")
	put(t, filepath.Join(creds, "unrelated"), "x")
	path := file(t, "HUB_TOKEN_A="+tok("1a")+"\nHUB_TOKEN_B="+tok("1b")+"\nHUB_TOKEN_C="+tok("1c")+"\nHUB_TOKEN_D="+tok("1d")+"\nAPPROVAL_TOKEN_E="+tok("1e")+"\nPROJECT_TOKEN_E="+tok("1f"))
	environ := []string{"HUB_TOKEN_B=" + tok("2b"), "HUB_TOKEN_C=" + tok("2c"), "HUB_TOKEN_D=", "CREDENTIALS_DIRECTORY=" + creds}
	s := open(t, path, environ...)
	for token, name := range map[string]string{
		tok("1a"): "a", tok("2b"): "b", tok("3"): "c", tok("1d"): "d",
		tok("1b"): "", tok("1c"): "", tok("2c"): "", tok("1e"): "",
	} {
		is(t, s, token, name)
	}
	list, err := List(path, environ)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range list {
		got = append(got, fmt.Sprint(i.Name, " ", i.From, " ", i.HidesFile, " ", i.Project, " ", i.Approval))
	}
	want := []string{
		"e file false false true", "a file false false false", "b environment true false false", "c credential true false false", "d file false false false",
		"e file false true false",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAFileThatIsNotGoodIsRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		want string
	}{
		"others can read it":   {"HUB_TOKEN_A=" + tok("a"), 0o644, "chmod 600 "},
		"the group can":        {"HUB_TOKEN_A=" + tok("a"), 0o640, "chmod 600 "},
		"others can write it":  {"HUB_TOKEN_A=" + tok("a"), 0o602, "chmod 600 "},
		"a short token":        {"\nHUB_TOKEN_A=s3cr3t", 0o600, "10-secrets.conf:2: HUB_TOKEN_A is shorter than 32 characters; `askhub token rotate`"},
		"31 characters":        {"PROJECT_TOKEN_A=" + tok("s3cr3t__")[:31], 0o600, "PROJECT_TOKEN_A is shorter"},
		"a space in a token":   {"HUB_TOKEN_A=\"s3cr3t " + tok("a") + "\"", 0o600, "holds a space"},
		"one token, two names": {"HUB_TOKEN_A=" + tok("a") + "\nPROJECT_TOKEN_B=" + tok("a"), 0o600, "is the same token as HUB_TOKEN_A"},
		"an open quote":        {"HUB_TOKEN_A=\"s3cr3t" + tok("a"), 0o600, "line 1: the quote"},
		"too large":            {strings.Repeat("# more\n", 20000), 0o600, "larger than 64 KB"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, tt.text)
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("%v; want %s", err, tt.want)
			}
			if strings.Contains(err.Error(), "s3cr3t") || strings.Contains(err.Error(), tok("a")) {
				t.Errorf("it shows a token: %v", err)
			}
		})
	}
	if _, err := Open(t.TempDir(), nil); err == nil {
		t.Error("a folder passed for the file")
	}
	if _, err := Lookup(file(t, "HUB_TOKEN_A=short"), nil, "HUB_TOKEN_A"); err == nil {
		t.Error("Lookup took a short token")
	}
	if _, err := Open("", []string{"CREDENTIALS_DIRECTORY=/nowhere/at/all"}); err == nil {
		t.Error("a folder of credentials that is not there passed")
	}
}

func TestLinesWithoutEffectAreTold(t *testing.T) {
	s := open(t, file(t, "HUB_TOKEN_A="+tok("a")+"\nexport HUB_TOKEN_B="+tok("b")))
	if err := s.Problem(); err == nil || !strings.Contains(err.Error(), "line 2") || strings.Contains(err.Error(), tok("b")) {
		t.Error(err)
	}
	is(t, s, tok("a"), "a")
}

func TestANameThatIsNearlyATokensIsTold(t *testing.T) {
	for _, name := range []string{"HUB_TOKEN_phone", "Hub_Token_PHONE", "HUB_TOKEN_", "project_token_a"} {
		s := open(t, file(t, "HUB_TOKEN_A="+tok("a")+"\n"+name+"="+tok("b")+"\n"))
		if err := s.Problem(); err == nil || !strings.Contains(err.Error(), ":2: "+name) || !strings.Contains(err.Error(), "capitals") {
			t.Errorf("%s: %v", name, err)
		}
		is(t, s, tok("b"), "")
	}
}

func TestAMissingFileIsToldOnlyWhereNobodyCouldCall(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.conf")
	if err := open(t, path).Problem(); err == nil || !strings.Contains(err.Error(), "askhub init") {
		t.Error(err)
	}
	if err := open(t, path, "HUB_TOKEN_A="+tok("a")).Problem(); err != nil {
		t.Error(err)
	}
}

func TestAChildHoldsOnlyWhatItAskedFor(t *testing.T) {
	path := file(t, "PROJECT_TOKEN_A="+tok("a")+"\nPROJECT_TOKEN_B=short\nPASSWORD=p\n")
	got, err := Lookup(path, []string{"OTHER=1", "PASSWORD=stronger"}, "PROJECT_TOKEN_A", "PASSWORD", "NONE")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]string{"PROJECT_TOKEN_A": tok("a"), "PASSWORD": "stronger"}, got); d != "" {
		t.Error(d)
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	s := open(t, file(t, "HUB_TOKEN_A="+tok("a")+"\nPROJECT_TOKEN_B="+tok("b")))
	project, _ := s.Project("b")
	for _, form := range []string{"%s", "%v", "%+v", "%#v"} {
		text := fmt.Sprintf(form, s) + fmt.Sprintf(form, project) + fmt.Sprintf(form, Pair{"B", project})
		if strings.Contains(text, tok("b")) || strings.Contains(text, tok("a")) {
			t.Errorf("%s shows %s", form, text)
		}
	}
}

func TestNamesInTheEnvironment(t *testing.T) {
	for name, want := range map[string]string{
		"phone": "HUB_TOKEN_PHONE", "compass_nhs": "HUB_TOKEN_COMPASS_NHS", "a-b": "HUB_TOKEN_A_B", "é1": "HUB_TOKEN__1",
	} {
		if got := CallerVar(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestAnEditLeavesEverythingElseAlone(t *testing.T) {
	const text = "# ours\nOTHER=\"a \\\nb\"\n\nHUB_TOKEN_A=old   \n  HUB_TOKEN_B='x'\n; end\nLAST=1"
	for name, tt := range map[string]struct {
		do   func(path string) error
		want string
	}{
		"rotate": {
			func(path string) error { return Replace(path, Pair{"HUB_TOKEN_A", ask.BearerToken(tok("n"))}) },
			strings.Replace(text, "HUB_TOKEN_A=old   ", "HUB_TOKEN_A="+tok("n"), 1),
		},
		"revoke": {
			func(path string) error { return Remove(path, "HUB_TOKEN_B") },
			strings.Replace(text, "  HUB_TOKEN_B='x'\n", "", 1),
		},
		"new": {
			func(path string) error {
				_, err := Append(path, Pair{"HUB_TOKEN_C", ask.BearerToken(tok("n"))})
				return err
			},
			text + "\nHUB_TOKEN_C=" + tok("n") + "\n",
		},
		"append": {
			func(path string) error {
				added, err := Append(path, Pair{"HUB_TOKEN_A", NewToken()}, Pair{"HUB_TOKEN_D", ask.BearerToken(tok("d"))})
				if len(added) != 1 || added[0] != "HUB_TOKEN_D" {
					return fmt.Errorf("added %q", added)
				}
				return err
			},
			text + "\nHUB_TOKEN_D=" + tok("d") + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, text)
			if err := tt.do(path); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Error(d)
			}
			if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v", info.Mode())
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
	}
}

func TestANameThatStandsTwiceIsRotatedAsOne(t *testing.T) {
	path := file(t, "HUB_TOKEN_A="+tok("1")+"\nX=1\nHUB_TOKEN_A="+tok("2")+"\n")
	if err := Replace(path, Pair{"HUB_TOKEN_A", ask.BearerToken(tok("3"))}); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "X=1\nHUB_TOKEN_A="+tok("3")+"\n" {
		t.Errorf("%q", got)
	}
}

func TestAnEditThatCannotBeDoneChangesNothing(t *testing.T) {
	appendB := func(p string) error {
		_, err := Append(p, Pair{"HUB_TOKEN_B", NewToken()})
		return err
	}
	for name, tt := range map[string]struct {
		text string
		mode os.FileMode
		do   func(path string) error
		want string
	}{
		"not there":          {"A=1\n", 0o600, func(p string) error { return Remove(p, "B") }, ErrNotThere.Error()},
		"not there, rotated": {"A=1\n", 0o600, func(p string) error { return Replace(p, Pair{"B", NewToken()}) }, ErrNotThere.Error()},
		"a line runs on":     {"A=1\\", 0o600, appendB, "runs on"},
		"an open quote":      {"A='1", 0o600, appendB, "never closed"},
		"readable":           {"A=1\n", 0o644, func(p string) error { return Remove(p, "A") }, "chmod 600"},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, tt.text)
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			if err := tt.do(path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v; want %s", err, tt.want)
			}
			if got, _ := os.ReadFile(path); string(got) != tt.text {
				t.Errorf("%q", got)
			}
		})
	}
}

func TestAnEditMakesFileAndFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "conf", "environment.d", "10-secrets.conf")
	if _, err := Append(path, Pair{"HUB_TOKEN_A", NewToken()}); err != nil {
		t.Fatal(err)
	}
	if len(open(t, path).Callers()) != 1 {
		t.Error("the token is not taken")
	}
}

// Whatever the file is like, a token is added beside what it says, or not at all.
func FuzzAppend(f *testing.F) {
	f.Add("A=1\n#x")
	f.Add("A=\"1\n2\"\\")
	f.Add("HUB_TOKEN_A='x' ")
	path := filepath.Join(f.TempDir(), "10-secrets.conf")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		before, _, err := parse([]byte(text))
		added, err2 := Append(path, Pair{"HUB_TOKEN_A", ask.BearerToken(tok("a"))})
		got, _ := os.ReadFile(path)
		if err != nil || err2 != nil || len(added) == 0 {
			if string(got) != text {
				t.Fatalf("%q became %q, although %v %v", text, got, err, err2)
			}
			return
		}
		after, _, err := parse(got)
		if err != nil || len(after) != len(before)+1 || !strings.HasPrefix(string(got), text) {
			t.Fatalf("%q became %q", text, got)
		}
		for i, a := range before {
			if after[i].name != a.name || after[i].value != a.value {
				t.Fatalf("%s changed", a.name)
			}
		}
		if last := after[len(before)]; last.name != "HUB_TOKEN_A" || last.value != tok("a") {
			t.Fatalf("%q is not what was added", last.name)
		}
	})
}

func TestALinkStaysALink(t *testing.T) {
	path := file(t, "HUB_TOKEN_A="+tok("1")+"\n")
	link := filepath.Join(t.TempDir(), "link.conf")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := Replace(link, Pair{"HUB_TOKEN_A", ask.BearerToken(tok("2"))}); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	is(t, open(t, path), tok("2"), "a")
}

func TestEditsAtOnceLoseNothing(t *testing.T) {
	path := file(t, "")
	errs := make(chan error)
	for i := range 16 {
		go func() {
			_, err := Append(path, Pair{fmt.Sprint("HUB_TOKEN_N", i), NewToken()})
			errs <- err
		}()
	}
	var all []error
	for range 16 {
		all = append(all, <-errs)
	}
	if err := errors.Join(all...); err != nil {
		t.Fatal(err)
	}
	if n := len(open(t, path).Callers()); n != 16 {
		t.Errorf("%d tokens", n)
	}
}

func TestAFreshTokenIsLongAndItsOwn(t *testing.T) {
	a, b := NewToken(), NewToken()
	if len(a) != 64 || a == b {
		t.Error("tokens of", len(a), a == b)
	}
}

func BenchmarkCaller(b *testing.B) {
	path := filepath.Join(b.TempDir(), "10-secrets.conf")
	if err := os.WriteFile(path, []byte("HUB_TOKEN_A="+tok("a")), 0o600); err != nil {
		b.Fatal(err)
	}
	s, err := Open(path, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	token := tok("a")
	for b.Loop() {
		if _, ok := s.Caller(token); !ok {
			b.Fatal("not known")
		}
	}
}
