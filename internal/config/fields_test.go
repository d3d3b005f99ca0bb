package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// each calls f with every field of askhub.toml, by its dotted name, as it is in the struct.
func each(t reflect.Type, path string, f func(field string, t reflect.Type)) {
	switch {
	case t == reflect.TypeFor[Duration]():
		f(path, t)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			name, _ := field.Tag.Lookup("toml")
			switch {
			case field.Anonymous:
				each(field.Type, path, f)
			case field.IsExported() && name != "-":
				each(field.Type, strings.TrimPrefix(path+"."+name, "."), f)
			}
		}
	case t.Kind() == reflect.Map:
		each(t.Elem(), path+".kitchen", f)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		f(path, t)
		each(t.Elem(), path+"[0]", f)
	default:
		f(path, t)
	}
}

// setting is a file that sets the field alone, and the line of it.
func setting(field, value string) (text string, line int) {
	table, last := "", field
	if i := strings.LastIndexByte(field, '.'); i >= 0 {
		table, last = field[:i], field[i+1:]
	}
	switch {
	case table == "":
		return last + " = " + value + "\n", 1
	case strings.HasSuffix(table, "[0]"):
		return "[[" + strings.TrimSuffix(table, "[0]") + "]]\n" + last + " = " + value + "\n", 2
	}
	return "[" + table + "]\n" + last + " = " + value + "\n", 2
}

// inside are words of the program's own that help nobody.
var inside = regexp.MustCompile(`cannot decode|struct|config\.[A-Z]|\[\]|int64|float64|U\+|unexpected|toml: |already|of type|nil`)

// values are of every kind that TOML has, and no TOML.
var values = map[string][]string{
	"string": {`"x"`, `'x'`, `""`}, "int": {"7", "99999999999999999999"}, "float": {"7.5", "nan"}, "bool": {"true"},
	"list": {`["x"]`, "[]"}, "numbers": {"[7]"}, "table": {"{a = 1}"}, "tables": {"[{a = 1}]"}, "date": {"2026-01-01", "07:30:00"},
	"none": {"x", "", "'x", "yes", "True", "“x”", "1.2.3.4", "x y", "8s"},
}

// fit are the kinds that a field's own kind takes.
func fit(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[Duration]():
		return "string int float bool"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return "tables list" // an empty one
	}
	return map[reflect.Kind]string{
		reflect.String: "string", reflect.Int: "int", reflect.Float64: "float int", reflect.Bool: "bool", reflect.Slice: "list",
	}[t.Kind()]
}

// TestAWrongValueOfAnyFieldNamesLineFieldAndMend gives each field of the file a value of each
// other kind: text for a list, a number for text, and what is no TOML at all.
func TestAWrongValueOfAnyFieldNamesLineFieldAndMend(t *testing.T) {
	mend := regexp.MustCompile(`write it like |write straight ones|write \[\[|below|mend it:|begin a new line`)
	count := 0
	each(reflect.TypeFor[Config](), "", func(field string, ty reflect.Type) {
		for kind, list := range values {
			for _, value := range list {
				if strings.Contains(" "+fit(ty)+" ", " "+kind+" ") && value != "99999999999999999999" {
					continue
				}
				text, line := setting(field, value)
				_, err := parse("/x/askhub.toml", []byte(text))
				if ty.Kind() == reflect.Float64 && kind == "int" {
					continue // another check's: it is too many degrees
				}
				count++
				fault, ok := oneFault(err)
				if !ok || fault.Field != field || fault.Line != line || !mend.MatchString(fault.Problem) || inside.MatchString(fault.Problem) {
					t.Errorf("%s= %s gives\n%v\nwant line %d, %s, and the mend", text, value, err, line, field)
				}
			}
		}
	})
	if count < 1000 {
		t.Errorf("only %d were tried", count)
	}
}

// oneFault is the first fault of the file.
func oneFault(err error) (*Error, bool) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		err = joined.Unwrap()[0]
	}
	fault, ok := err.(*Error)
	return fault, ok
}

func TestASlipInAnyFieldsNameNamesIt(t *testing.T) {
	each(reflect.TypeFor[Config](), "", func(field string, _ reflect.Type) {
		last, slip := field[strings.LastIndexByte("."+field, '.'):], field+"s"
		text, line := setting(slip, "1")
		_, err := parse("/x/askhub.toml", []byte(text))
		fault, ok := oneFault(err)
		if !ok || fault.Field != slip || fault.Line != line || !strings.Contains(fault.Problem, "no such field; did you mean "+last+"?") {
			t.Errorf("%s gives %v", text, err)
		}
	})
}

func TestAFieldThatStandsThereTwiceIsNamed(t *testing.T) {
	each(reflect.TypeFor[Config](), "", func(field string, _ reflect.Type) {
		text, line := setting(field, `"x"`)
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		text += lines[len(lines)-1] + "\n"
		_, err := parse("/x/askhub.toml", []byte(text))
		fault, ok := oneFault(err)
		if !ok || fault.Field != field || fault.Line != line+1 && !strings.Contains(fault.Problem, "must be") || inside.MatchString(fault.Problem) {
			t.Errorf("%s gives %v", text, err)
		}
	})
}

// TestAnEmptyValueIsTakenOrNamed is about "" and [], which some write for "none".
func TestAnEmptyValueIsTakenOrNamed(t *testing.T) {
	each(reflect.TypeFor[Config](), "", func(field string, ty reflect.Type) {
		value := map[reflect.Kind]string{reflect.String: `""`, reflect.Slice: "[]"}[ty.Kind()]
		if value == "" {
			return
		}
		text, _ := setting(field, value)
		_, err := parse("/x/askhub.toml", []byte(text))
		if err == nil {
			return
		}
		table, _, _ := strings.Cut(field, ".")
		table, _, _ = strings.Cut(table, "[")
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.Contains(line, " "+table) || inside.MatchString(line) {
				t.Errorf("%s gives %s", text, line)
			}
		}
	})
}

func TestATableInThePlaceOfAValueAndTheReverse(t *testing.T) {
	for text, want := range map[string]string{
		"record = 7":                                `:1: record: must be a table; write [record] on a line of its own, and its fields below`,
		"[listen]\nx = 1":                           `:1: listen: must be text in quotes; write it like listen = "…"`,
		"[[record]]\ndays = 1":                      `:1: record: must be a table; write [record]`,
		"[ways_in]\nphone = \"sam\"":                `:2: ways_in.phone: must be a table; write [ways_in.phone]`,
		"[[ways_in.phone]]\naskers = [\"sam\"]":     `:1: ways_in.phone: must be a table; write [ways_in.phone]`,
		"[compass]\ncalendars = \"x.ics\"":          `:2: compass.calendars: must be a table for each; write [[compass.calendars]]`,
		"[record]\ndays = 1\n[record]\ntext = true": `:3: record: it stands there twice; line 1 has it too: keep one of the two`,
		"[[speakers.rooms]]\nname = \"a\"\n[speakers.rooms]\nname = \"b\"": `:3: speakers.rooms: must be a table for each; write [[speakers.rooms]] above each of them`,
		"[speakers.rooms]\nname = \"a\"\n[speakers.rooms]\nname = \"b\"":   `:3: speakers.rooms: must be a table for each; write [[speakers.rooms]] above each of them`,
		"internet.devices = [{nme = 1}]":                                   `:1: internet.devices[0].nme: no such field; did you mean name?`,
		"[budget]\nseconds = 8":                                            `budget: must be a duration in quotes; write it like budget = "8s"`,
		"[chat\nanswers = \"hub\"":                                         `:1: `,
		"[chat]\nanswers: hub":                                             `:2: this line has no =; write NAME = VALUE`,
		"listen = \"127.0.0.1:1\" store = \"x\"":                           `:1: listen: there is more behind its value; begin a new line`,
		"[chat]\norigins = [\n  \"a\"\n  \"b\"\n]":                         `:4: chat.origins: its list has no comma or no ] where one belongs`,
		"[chat]\nmode = 1":                                                 `:2: chat.mode: no such field; look for a misspelling among answers, command, origins, threads, webhook, webhook_token_env, or take the line out`,
		"[chat]\nwebhook-token-env = \"X\"":                                `:2: chat.webhook-token-env: no such field; did you mean webhook_token_env?`,
		"listen = \"\xff\"":                                                `:1: listen: it holds characters that are no UTF-8; save the file as UTF-8`,
		"[model]\nname = \"a\\qb\"":                                        `:2: model.name: must be text in quotes`,
		"[[internet.devices]]\n[[internet.devices]]\nids = \"x\"":          `:3: internet.devices[1].ids: must be a list of texts in quotes; write it like ids = ["…", "…"]`,
	} {
		_, err := parse("/x/askhub.toml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || inside.MatchString(strings.ReplaceAll(err.Error(), "[[", "")) {
			t.Errorf("%s\ngives %v\nwant  %s", text, err, want)
		}
	}
	if _, err := parse("/x/askhub.toml", []byte("\xef\xbb\xbflisten = \"127.0.0.1:8420\"")); err != nil {
		t.Errorf("with a byte order mark: %v", err)
	}
}

// TestEveryFieldIsDocumented holds docs/configuration.md to the struct.
func TestEveryFieldIsDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var cells []string
	for _, line := range strings.Split(string(raw), "\n") {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |"); ok && strings.HasPrefix(line, "| `") {
			cells = append(cells, cell)
		}
	}
	text := string(raw)
	each(reflect.TypeFor[Config](), "", func(field string, _ reflect.Type) {
		table, last := "", field
		if i := strings.LastIndexByte(field, '.'); i >= 0 {
			table, last = field[:i], field[i+1:]
		}
		name := strings.ReplaceAll(table, ".kitchen", ".NAME")
		listed, inList := strings.CutSuffix(name, "[0]")
		for _, cell := range cells {
			// "internet.url`, `username" are two of one table.
			if strings.Contains(cell, "`"+strings.TrimPrefix(name+"."+last, ".")+"`") || strings.HasPrefix(cell, "`"+name+".") && strings.Contains(cell, "`"+last+"`") {
				return
			}
		}
		if inList { // told in the row of the list
			for _, line := range strings.Split(text, "\n") {
				if strings.HasPrefix(line, "| `"+listed+"`") && strings.Contains(line, "`"+last+"`") {
					return
				}
			}
		}
		t.Errorf("docs/configuration.md does not tell of %s", field)
	})
}
