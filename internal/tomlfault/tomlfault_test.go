package tomlfault

import (
	"strings"
	"testing"
	"time"
)

// settings has a field of each kind.
type settings struct {
	Name  string           `toml:"name"`
	Wait  duration         `toml:"wait"`
	Table inner            `toml:"table"`
	Many  []inner          `toml:"many"`
	Named map[string]inner `toml:"named"`
}

type inner struct {
	Days int      `toml:"days"`
	On   bool     `toml:"on"`
	List []string `toml:"list"`
	embedded
}

type embedded struct {
	Degrees float64 `toml:"degrees"`
}

type duration struct{ time.Duration }

func (d *duration) UnmarshalText(text []byte) (err error) {
	d.Duration, err = time.ParseDuration(string(text))
	return err
}

func TestEachFaultNamesLineFieldAndMend(t *testing.T) {
	for src, want := range map[string]Fault{
		"name = 7":                            {1, "name", "must be text in quotes", `write it like name = "…"`},
		"# a\n\nname = x":                     {3, "name", "must be text in quotes", `write it like name = "…"`},
		"[table]\nlist = \"a\"":               {2, "table.list", "must be a list of texts in quotes", `write it like list = ["…", "…"]`},
		"[[many]]\non = 1\n":                  {2, "many[0].on", "must be true or false, in small letters and without quotes", "write it like on = true"},
		"[[many]]\n[[many]]\ndegrees = \"a\"": {3, "many[1].degrees", "must be a number without quotes", "write it like degrees = 53.8"},
		"[named.x]\ndays = 1.5":               {2, "named.x.days", "must be a whole number without quotes", "write it like days = 30"},
		"wait = 2026-01-01":                   {1, "wait", "must be a duration in quotes", `write it like wait = "8s"`},
		"table = []":                          {1, "table", "must be a table", "write [table] on a line of its own, and its fields below"},
		"many = 1":                            {1, "many", "must be a table for each", "write [[many]] on a line of its own, and its fields below"},
		"name = \"a\"\nname = \"b\"":          {2, "name", "it stands there twice", "line 1 has it too: keep one of the two"},
		"[table]\ndya = 1":                    {2, "table.dya", Unknown, "look for a misspelling among days, degrees, list, on, or take the line out"},
		"[table]\ndasy = 1":                   {2, "table.dasy", Unknown, "did you mean days?"},
		"[name_d.x]\ndays = 1":                {1, "name_d.x", Unknown, "did you mean named?"},
		"[tabel]\non = true":                  {1, "tabel", Unknown, "did you mean table?"},
		"[nonsense.x]\non = true":             {1, "nonsense.x", Unknown, "look for a misspelling, or take the line out"},
		"nonsense = 1":                        {1, "nonsense", Unknown, "look for a misspelling, or take the line out"},
		"name = “a”":                          {1, "name", "its quotes are curly ones", `write straight ones, as in "…"`},
		"name":                                {1, "", "this line has no =", "write NAME = VALUE, or put # in front of a remark"},
	} {
		got := Decode([]byte(src), new(settings))
		if len(got) != 1 || got[0] != want {
			t.Errorf("%q\n got %+v\nwant %+v", src, got, want)
		}
	}
	var s settings
	if faults := Decode([]byte("\xef\xbb\xbfname = \"a\"\n[[many]]\nlist = [\"b\"]\n[named.x]\non = true\n"), &s); faults != nil || s.Name != "a" || len(s.Many) != 1 || !s.Named["x"].On {
		t.Errorf("%+v, %+v", s, faults)
	}
	if two := Decode([]byte("a = 1\nb = 2\n"), new(settings)); len(two) != 2 {
		t.Errorf("of two faults it tells %+v", two)
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{"name = 7", "[table]\ndays = x", "[[many]]\nlist = [1", "named.x.days = '", "\xef\xbb\xbf[", "many = [{on = 1}]", "name = \"secret\" x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		lines := strings.Count(string(src), "\n") + 1
		for _, fault := range Decode(src, new(settings)) {
			if fault.Wrong == "" || fault.Mend == "" || fault.Line < 0 || fault.Line > lines {
				t.Errorf("%q: %+v", src, fault)
			}
		}
		Lines(src)
	})
}
