package secrets

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The rules are those of systemd's own reader of environment.d.
var readings = []struct {
	name, text string
	want       []string // NAME=value
}{
	{"plain", "A=1\nB=two words\n", []string{"A=1", "B=two words"}},
	{"no line end at the end", "A=1", []string{"A=1"}},
	{"windows line ends", "A=1\r\nB=2\r\n", []string{"A=1", "B=2"}},
	{"comments and blank lines", "# A=1\n; B=2\n\n  # C=3\nD=4", []string{"D=4"}},
	{"a # within a value is part of it", "A=1 # one", []string{"A=1 # one"}},
	{"spaces around", "  A  =  1  \n", []string{"A=1"}},
	{"spaces within", "A=a  b \t \n", []string{"A=a  b"}},
	{"double quotes", `A=" a b "`, []string{"A= a b "}},
	{"single quotes", `A='a "b" \n'`, []string{`A=a "b" \n`}},
	{"quoted pieces join", `A='a' "b"c`, []string{"A=abc"}},
	{"a quote in a bare piece is itself", `A=it's`, []string{"A=it's"}},
	{"escapes in double quotes", `A="\"\\\` + "`" + `\$\n"`, []string{"A=\"\\`$\\n"}},
	{"a quoted value over two lines", "A=\"a\nb\"\nB=2", []string{"A=a\nb", "B=2"}},
	{"continuation", "A=a\\\nb\nB=2", []string{"A=ab", "B=2"}},
	{"continuation in quotes", "A=\"a\\\nb\"", []string{"A=ab"}},
	{"continuation keeps spaces", "A=a \\\n b\n", []string{"A=a  b"}},
	{"an escaped space stays", "A=a\\ \n", []string{"A=a "}},
	{"an escaped letter is itself", `A=\a\\b`, []string{`A=a\b`}},
	{"a backslash at the very end", `A=a\`, []string{"A=a"}},
	{"an = in a value", "A=b=c==", []string{"A=b=c=="}},
	{"the last one counts", "A=1\nA=2", []string{"A=2"}},
	{"expansion", "A=1\nB=${A}-$A-${NONE}-$NONE", []string{"A=1", "B=1-1--"}},
	{"expansion of the environment", "B=$HOME", []string{"B=/home/sam"}},
	{"expansion in single quotes too", "A=1\nB='${A}'", []string{"A=1", "B=1"}},
	{"only what stands before", "B=${A}x\nA=1", []string{"A=1", "B=x"}},
	{"two dollars are one", "A=a$$b", []string{"A=a$b"}},
	{"a dollar alone", "A=a$ b$", []string{"A=a$ b$"}},
	{"else", "B=${NONE:-x}${HOME:-y}", []string{"B=x/home/sam"}},
	{"instead", "B=${NONE:+x}${HOME:+y}", []string{"B=y"}},
	{"nested", "A=1\nB=${NONE:-${A}z}", []string{"A=1", "B=1z"}},
	{"a name that is none", "A=x${1}${}", []string{"A=x"}},
	{"not an expansion", "A=1\nB=${A:?x}${X", []string{"A=1", "B=${A:?x}${X"}},
}

func TestTheFileReadsAsSystemdReadsIt(t *testing.T) {
	for _, tt := range readings {
		t.Run(tt.name, func(t *testing.T) {
			list, problems, err := parse([]byte(tt.text))
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			found := map[string]string{}
			resolve(list, []string{"HOME=/home/sam"}, func(name, value string, _ int) { found[name] = value })
			want := map[string]string{}
			for _, pair := range tt.want {
				name, value, _ := strings.Cut(pair, "=")
				want[name] = value
			}
			if d := cmp.Diff(want, found); d != "" {
				t.Error(d)
			}
		})
	}
}

// Until version 254 systemd let a backslash carry a comment on to the next line; we
// follow the newer rule.
func TestACommentDoesNotRunOn(t *testing.T) {
	list, problems, err := parse([]byte("# A \\\nB=2"))
	if err != nil || len(problems) > 0 || len(list) != 1 || list[0].value != "2" {
		t.Error(list, problems, err)
	}
}

// Where systemd is installed, it reads the same files.
func TestSystemdAgrees(t *testing.T) {
	const generator = "/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator"
	if _, err := os.Stat(generator); err != nil {
		t.Skip("systemd's environment.d generator is not installed")
	}
	for _, tt := range readings {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "environment.d"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "environment.d", "10-secrets.conf"), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(generator)
			cmd.Env = []string{"HOME=/home/sam", "XDG_CONFIG_HOME=" + dir}
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				name, value, _ := strings.Cut(want, "=")
				_, line, ok := strings.Cut("\n"+string(out), "\n"+name+"=")
				line, _, _ = strings.Cut(line, "\n")
				if got := unquote(line); !ok || got != value {
					t.Errorf("systemd reads %s as %q, want %q", name, got, value)
				}
			}
		})
	}
}

// unquote reads the generator's output form.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' {
		return s
	}
	return strings.NewReplacer(`\n`, "\n", `\\`, `\`, `\"`, `"`, `\$`, "$", "\\`", "`").Replace(s[1 : len(s)-1])
}

func TestALineWithoutEffectIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		"A=1\nhello\n":          "line 2: this line has no effect: write it as NAME=value",
		"export A=1":            "line 1: this line has no effect: what stands before the =",
		"\n\nA-B=1":             "line 3: this line has no effect: what stands before the =",
		"1A=1":                  "line 1: this line has no effect",
		"=1":                    "line 1: this line has no effect",
		"A=":                    "line 1: this line has no effect: A has no value",
		"A=''":                  "line 1: this line has no effect: A has an empty value",
		"A=\"x\ny\"\nB=\nC=1":   "line 3: this line has no effect: B has no value",
		"A=x\\\ny\nB='a\nb'\nq": "line 5: this line has no effect",
	} {
		_, problems, err := parse([]byte(text))
		if err != nil || len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%q: %v, %v; want %s", text, problems, err, want)
		}
	}
}

func TestAFileThatCannotBeReadSafelyIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"A=1\nB=\"hidden\nC=2\n": "line 2: the quote that opens there is never closed",
		"A='x":                   "line 1: the quote",
		"A=1\nB=\xff\n":          "line 2: B is not UTF-8",
		"A=1\nB=\x00\n":          "line 2: a NUL byte",
	} {
		_, _, err := parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
			continue
		}
		if strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v shows a value", err)
		}
	}
}

// Each assignment's bytes begin and end at a line's, and what is cut out can be put back.
func FuzzParse(f *testing.F) {
	f.Add("A=1\n# c\nB=\"x\\\n$y\"\nC='a'b\\ \n")
	f.Add("A=${B:-${C:+${D}}}$$\r\n;x\nexport Q=1\n=")
	f.Fuzz(func(t *testing.T, text string) {
		list, problems, err := parse([]byte(text))
		if err != nil && (list != nil || problems != nil) {
			t.Fatal("a list beside an error")
		}
		at := 0
		for _, a := range list {
			if a.start < at || a.end <= a.start || a.end > len(text) || a.line < 1 {
				t.Fatalf("%+v after %d", a, at)
			}
			if a.start > 0 && !isNewline(text[a.start-1]) {
				t.Fatalf("%+v begins within a line of %q", a, text)
			}
			at = a.end
			again, _, err := parse([]byte(text[a.start:a.end]))
			if err != nil || len(again) != 1 || again[0].value != a.value {
				t.Fatalf("%q alone reads as %v, %v", text[a.start:a.end], again, err)
			}
		}
		resolve(list, []string{"B=1"}, func(string, string, int) {})
		_ = fmt.Sprint(problems)
	})
}
