// Package tomlfault says what is wrong with a file of settings in the words of whoever wrote
// it: the line, the field by its dotted name, and the mend. The library's own words name Go
// types, and quote a file that may hold a secret.
package tomlfault

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/askhub/askhub/internal/pattern"
	"github.com/askhub/askhub/internal/slip"
)

// Unknown is what is wrong with a field that there is none of.
const Unknown = "no such field"

// most is how many faults are told at once: a file with more of them is another file.
const most = 20

// Fault is one thing that keeps a file from being read.
type Fault struct {
	// Line counts from 1; 0 is unknown.
	Line int
	// Field is its dotted name, with [n] for the table n of a list; it may be empty.
	Field string
	// Wrong is what is wrong, Mend what to do. Neither quotes a value.
	Wrong, Mend string
}

// Decode reads src strictly into the struct at into, and gives what keeps it from being
// read. A byte order mark in front, which some editors write, is passed over.
func Decode(src []byte, into any) []Fault {
	src = withoutMark(src)
	err := toml.NewDecoder(bytes.NewReader(src)).DisallowUnknownFields().Decode(into)
	if err == nil {
		return nil
	}
	f := &finder{lines: Lines(src), text: strings.Split(string(src), "\n"), whole: reflect.TypeOf(into).Elem()}
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) {
		var all []Fault
		for i := range missing.Errors[:min(len(missing.Errors), most)] {
			e := &missing.Errors[i]
			line, _ := e.Position()
			all = append(all, f.unknown(line, e.Key()))
		}
		return all
	}
	var bad *toml.DecodeError
	if errors.As(err, &bad) {
		line, _ := bad.Position()
		return []Fault{f.bad(line, bad.Key(), bad.Error())}
	}
	return []Fault{{Wrong: "it cannot be read as TOML", Mend: "mend the file"}}
}

func withoutMark(src []byte) []byte { return bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")) }

// finder finds out which field a fault is about.
type finder struct {
	lines map[string]int
	text  []string
	whole reflect.Type
}

// unknown is a field that there is none of, or a table where there is a plain value.
func (f *finder) unknown(line int, key []string) Fault {
	field := f.at(line, key)
	parent, last := split(field)
	t := typeOf(f.whole, parent)
	for t == nil && parent != "" { // the slip is further up
		parent, last = split(parent)
		t = typeOf(f.whole, parent)
	}
	if parent != "" && t != nil && shape(t) != "" && !isTable(t) {
		return Fault{line, parent, shape(t), example(parent, t)}
	}
	var names []string
	if t != nil {
		for name := range fields(t) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if slip.One(strings.ToLower(last), name) || strings.ReplaceAll(strings.ToLower(last), "-", "_") == name {
			return Fault{line, field, Unknown, "did you mean " + name + "?"}
		}
	}
	if parent != "" && len(names) > 0 {
		return Fault{line, field, Unknown, "look for a misspelling among " + strings.Join(names, ", ") + ", or take the line out"}
	}
	return Fault{line, field, Unknown, "look for a misspelling, or take the line out"}
}

// bad is a value of another kind, a name that stands there twice, or no TOML.
func (f *finder) bad(line int, key []string, said string) Fault {
	field := f.at(line, key)
	if base := strings.TrimSuffix(field, "[0]"); base != field {
		if t := typeOf(f.whole, base); t != nil && isTable(t) { // one table, written as one of several
			field = base
		}
	}
	var t reflect.Type
	if field != "" {
		t = typeOf(f.whole, field)
	}
	here := ""
	if line > 0 && line <= len(f.text) {
		here = f.text[line-1]
	}
	switch {
	case strings.Contains(said, "already") && f.ofList(field):
		list := strings.TrimSuffix(field, "[0]")
		return Fault{line, list, "must be a table for each", "write [[" + list + "]] above each of them"}
	case strings.Contains(said, "already"):
		mend := "keep one of the two"
		if first := f.lines[field]; first > 0 && first != line {
			mend = fmt.Sprintf("line %d has it too: keep one of the two", first)
		}
		return Fault{line, field, "it stands there twice", mend}
	case strings.Contains(said, "UTF-8"):
		return Fault{line, field, "it holds characters that are no UTF-8", "save the file as UTF-8"}
	case strings.ContainsAny(here, "“”„‘’"):
		return Fault{line, field, "its quotes are curly ones", `write straight ones, as in "…"`}
	case strings.Contains(said, "expected newline"):
		return Fault{line, field, "there is more behind its value", "begin a new line for it, or put # in front of a remark"}
	case strings.Contains(said, "after array"):
		return Fault{line, field, "its list has no comma or no ] where one belongs", `write it like ["…", "…"]`}
	case strings.HasPrefix(strings.TrimSpace(here), "[") && !strings.Contains(said, "cannot"):
		return Fault{line, field, "this line names no table that can be read", "write it like [chat], or [[compass.calendars]] for one of several"}
	case t != nil && shape(t) != "":
		return Fault{line, field, shape(t), example(field, t)}
	case field == "" && !strings.Contains(here, "=") && !strings.HasPrefix(strings.TrimSpace(here), "["):
		return Fault{line, field, "this line has no =", "write NAME = VALUE, or put # in front of a remark"}
	}
	return Fault{line, field, "this line cannot be read", `mend it: text stands in quotes like "…", a list in [ ]`}
}

// ofList is whether the field is a list of tables, of which each has a head of its own.
func (f *finder) ofList(field string) bool {
	t := typeOf(f.whole, strings.TrimSuffix(field, "[0]"))
	return t != nil && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// at is the field of that line whose name ends as key does; where the library names none, or
// the line could not be read, it is what stands before the =.
func (f *finder) at(line int, key []string) string {
	best := ""
	for field, n := range f.lines {
		_, last := split(field)
		if n == line && len(key) > 0 && bare(last) == key[len(key)-1] && len(field) > len(best) {
			best = field
		}
	}
	if best != "" {
		return best
	}
	if field := f.written(line); field != "" {
		return field
	}
	return strings.Join(key, ".")
}

var (
	tableLine = pattern.Lazy(`^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]`)
	fieldLine = pattern.Lazy(`^\s*([A-Za-z0-9_.-]+)\s*=`)
)

// written is the field that the line, or else the nearest before it, is about, as it is
// written.
func (f *finder) written(line int) string {
	table, key, list := "", "", map[string]int{}
	for i, text := range f.text[:min(max(line, 0), len(f.text))] {
		if m := tableLine().FindStringSubmatch(text); m != nil {
			table, key = m[2], ""
			if m[1] == "[[" {
				table = fmt.Sprintf("%s[%d]", m[2], list[m[2]])
				list[m[2]]++
			}
			continue
		}
		if m := fieldLine().FindStringSubmatch(text); m != nil {
			key = m[1]
		} else if i == line-1 && !strings.ContainsAny(text, "]},\"'") {
			return "" // a line of its own, which is nothing
		}
	}
	if key == "" || table == "" {
		return table + key
	}
	return table + "." + key
}

// shape is what a value of that type has to be; empty where it may be a table of any names.
func shape(t reflect.Type) string {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return "must be a duration in quotes"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return "must be a table for each"
	case isTable(t):
		return "must be a table"
	}
	switch t.Kind() {
	case reflect.String:
		return "must be text in quotes"
	case reflect.Bool:
		return "must be true or false, in small letters and without quotes"
	case reflect.Int:
		return "must be a whole number without quotes"
	case reflect.Float64:
		return "must be a number without quotes"
	case reflect.Slice:
		return "must be a list of texts in quotes"
	}
	return ""
}

// example shows how such a value is written.
func example(field string, t reflect.Type) string {
	_, last := split(field)
	value := map[reflect.Kind]string{reflect.String: `"…"`, reflect.Bool: "true", reflect.Int: "30", reflect.Float64: "53.8", reflect.Slice: `["…", "…"]`}[t.Kind()]
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		value = `"8s"`
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		return "write [[" + bare(field) + "]] on a line of its own, and its fields below"
	case isTable(t):
		return "write [" + bare(field) + "] on a line of its own, and its fields below"
	}
	return "write it like " + bare(last) + " = " + value
}

func isTable(t reflect.Type) bool {
	return (t.Kind() == reflect.Struct || t.Kind() == reflect.Map) && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// typeOf is the type of the field, or nil where there is none.
func typeOf(t reflect.Type, field string) reflect.Type {
	if field == "" {
		return t
	}
	for step := range strings.SplitSeq(field, ".") {
		name, listed := bare(step), strings.HasSuffix(step, "]")
		if t.Kind() == reflect.Slice { // of a list that is written without its index
			t = t.Elem()
		}
		switch t.Kind() {
		case reflect.Struct:
			next, ok := fields(t)[name]
			if !ok {
				return nil
			}
			t = next
		case reflect.Map:
			t = t.Elem()
		default:
			return nil
		}
		if listed && t.Kind() == reflect.Slice {
			t = t.Elem()
		}
	}
	return t
}

// fields are a table's, by their names in the file.
func fields(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	if t.Kind() != reflect.Struct {
		return out
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("toml")
		switch {
		case f.Anonymous && name == "":
			for inner, of := range fields(f.Type) {
				out[inner] = of
			}
		case f.IsExported() && name != "" && name != "-":
			out[name] = f.Type
		}
	}
	return out
}

// split is the name's last step, and what stands before it.
func split(field string) (parent, last string) {
	if i := strings.LastIndexByte(field, '.'); i >= 0 {
		return field[:i], field[i+1:]
	}
	return "", field
}

var indexForm = pattern.Lazy(`\[\d+\]`)

// bare is a name without its indexes.
func bare(name string) string { return indexForm().ReplaceAllString(name, "") }
