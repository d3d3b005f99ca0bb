package plan

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Spec declares a tool (spec 4, "A tool"). Its arguments come from the struct that
// New binds to it. NewCatalogue checks all of it.
type Spec struct {
	// ID is unique in the catalogue: lower case and digits, joined by single . _ or -.
	ID string
	// Permission and Permissions are what a request must hold: all of them. A tool
	// without one is for whoever may ask the project at all.
	Permission  string
	Permissions []string
	// Description says what it does, for the planner.
	Description string
	// AttackerFields are the result paths that hold text other people wrote. It must be
	// said: a tool without such fields says []string{}.
	AttackerFields []string
	// States are the states that a sentence may claim of all or none of the rows.
	States []State
	// RowName are the fields, or "title", by which a sentence may name a row.
	RowName []string
	// GroupBy are the breakdowns with a closed list of labels.
	GroupBy []Group
	// Outputs are what a later look-up may take from this one.
	Outputs []Output
}

// State is a state's word and where a row holds it.
type State struct {
	Word string
	StateField
}

// Group is a breakdown's key and its closed list of labels.
type Group struct {
	Key    string
	Labels []string
}

// Output is one value that a later look-up may take.
type Output struct {
	Name string
	// Path is facts.<key>, rows[].ref or rows[].fields.<key>.
	Path     string
	Describe string
	// Safe lets it read an attacker field, and passes it on without an id check.
	Safe bool
	// Kind is the kind of id that it carries, or empty.
	Kind string
}

// Tool is one look-up of a catalogue. New and NewRemote make it; a catalogue read
// by ParseCatalogue has tools without code.
type Tool struct {
	name     string // for a fault of a document that cannot be read
	doc      node
	docErr   error
	faults   []string // of the argument struct
	run      func(context.Context, []Argument) (Result, error)
	describe func([]Argument) string
}

// New binds a tool's declaration to its code. A is a struct with one exported field
// for each argument, in order:
//
//	type findArgs struct {
//		Sender string  `arg:"sender" describe:"who wrote it" max:"80"`
//		Folder *Folder `arg:"folder" describe:"which folder"`
//	}
//
// A string is a text argument of at most max code points (DefaultMaxLength without
// it). A string type with a method Values() []string is an enum. A pointer is an
// argument that may be null. describe is one line for a person on what is about to
// be read. run only reads, and gets nothing that is beyond its declaration. What is
// wrong with any of it is told by NewCatalogue.
func New[A any](spec Spec, describe func(A) string, run func(context.Context, A) (Result, error)) Tool {
	bound := bind[A]()
	t := Tool{name: spec.ID, faults: bound.faults}
	if describe == nil || run == nil {
		t.faults = append(t.faults, "has no describe or no run")
	}
	t.doc, t.docErr = parseTree(spec.document(bound.args, ""))
	t.run = func(ctx context.Context, args []Argument) (Result, error) { return run(ctx, bound.value(args)) }
	t.describe = func(args []Argument) string { return describe(bound.value(args)) }
	return t
}

// QuestionArg is the argument of a remote tool that is asked in place of the
// person's own words.
const QuestionArg = "question"

// AnswerFact is the fact that holds a remote tool's answer. It is always an attacker
// field.
const AnswerFact = "answer"

// NewRemote declares a tool that asks the project named service for the same asker
// and person. Its one argument is the question.
func NewRemote(spec Spec, service string) Tool {
	t := Tool{name: spec.ID}
	if service == "" {
		t.faults = append(t.faults, "is remote, and names no service")
	}
	args := []boundArg{{Arg: Arg{
		Name: QuestionArg, Describe: "the whole question to ask there",
		MaxLength: DefaultMaxLength,
	}}}
	t.doc, t.docErr = parseTree(spec.document(args, service))
	return t
}

// document is the tool's JSON form, keys in the order of the hash.
func (s *Spec) document(args []boundArg, service string) []byte {
	b := append([]byte{}, '{')
	key := func(name string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(quoted(b, name), ':')
	}
	text := func(name, value string) {
		if value != "" {
			key(name)
			b = quoted(b, value)
		}
	}
	list := func(name string, values []string) {
		if values != nil {
			key(name)
			b = quotedList(b, values)
		}
	}
	text("id", s.ID)
	text("permission", s.Permission)
	list("permissions", s.Permissions)
	text("description", s.Description)
	key("args")
	b = object(b, args, func(b []byte, a boundArg) []byte { return a.append(b) })
	list("attackerFields", s.AttackerFields)
	if service != "" {
		text("kind", "remote")
		text("service", service)
	}
	if s.States != nil {
		key("stateFields")
		b = object(b, s.States, func(b []byte, st State) []byte { return st.append(b) })
	}
	list("rowName", s.RowName)
	if s.GroupBy != nil {
		key("groupBy")
		b = object(b, s.GroupBy, func(b []byte, g Group) []byte {
			b = append(append(quoted(b, g.Key), ':'), `{"enum":`...)
			return append(quotedList(b, g.Labels), '}')
		})
	}
	if s.Outputs != nil {
		key("outputs")
		b = object(b, s.Outputs, func(b []byte, o Output) []byte { return o.append(b) })
	}
	return append(b, '}')
}

func (a *boundArg) append(b []byte) []byte {
	b = append(quoted(b, a.Name), `:{"type":`...)
	if a.Values != nil {
		b = append(b, `"enum"`...)
	} else {
		b = append(b, `"text"`...)
	}
	b = quoted(append(b, `,"describe":`...), a.Describe)
	if a.Values != nil {
		b = quotedList(append(b, `,"values":`...), a.Values)
	}
	if a.Nullable {
		b = append(b, `,"nullable":true`...)
	}
	if a.Values == nil {
		b = appendNumber(append(b, `,"maxLength":`...), float64(a.MaxLength))
	}
	return append(b, '}')
}

func (s *State) append(b []byte) []byte {
	b = quoted(append(quoted(b, s.Word), `:{"field":`...), s.Field)
	b = append(b, `,"values":[`...)
	for i, v := range s.Values {
		if i > 0 {
			b = append(b, ',')
		}
		switch v := v.(type) {
		case string:
			b = quoted(b, v)
		case bool:
			b = (&node{kind: jsontext.Bool(v).Kind()}).appendJS(b)
		default:
			b = append(b, "null"...) // refused where the tool is checked
		}
	}
	b = append(b, ']')
	if s.Synonyms != nil {
		b = quotedList(append(b, `,"synonyms":`...), s.Synonyms)
	}
	return append(b, '}')
}

func (o *Output) append(b []byte) []byte {
	b = quoted(append(quoted(b, o.Name), `:{"path":`...), o.Path)
	b = quoted(append(b, `,"describe":`...), o.Describe)
	if o.Safe {
		b = append(b, `,"safe":true`...)
	}
	if o.Kind != "" {
		b = quoted(append(b, `,"kind":`...), o.Kind)
	}
	return append(b, '}')
}

// quoted writes a JSON string. Text that is no UTF-8 is written as it is, so that
// the strict reader of the document refuses it.
func quoted(b []byte, text string) []byte {
	n := len(b)
	out, err := jsontext.AppendQuote(b, text)
	if err != nil {
		return append(append(append(b[:n], '"'), text...), '"')
	}
	return out
}

func quotedList(b []byte, values []string) []byte {
	b = append(b, '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = quoted(b, v)
	}
	return append(b, ']')
}

func object[T any](b []byte, items []T, add func([]byte, T) []byte) []byte {
	b = append(b, '{')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = add(b, item)
	}
	return append(b, '}')
}
