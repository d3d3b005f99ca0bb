package plan

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
)

// The names of spec 4, "A tool".
var (
	toolName   = regexp.MustCompile(`^[a-z][a-z0-9]*([._-][a-z0-9]+)*$`)
	outputName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`) // a groupBy key's too
	idKindName = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)
	stateWord  = regexp.MustCompile(`^[a-z]+$`)
	fieldName  = regexp.MustCompile(`^[a-z0-9_]{1,40}$`)
	outputPath = regexp.MustCompile(`^(facts\.[a-z0-9_]+|rows\[\]\.ref|rows\[\]\.fields\.[a-z0-9_]+)$`)
	resultPath = regexp.MustCompile(`^(facts\.[a-z0-9_]+|rows\[\]\.(ref|title|snippet|fields\.[a-z0-9_]+)|breakdown\[\]\.label)$`)
)

// toolKeys are a tool's keys, in the order of the hash.
var toolKeys = []string{
	"id", "permission", "permissions", "description", "args", "attackerFields",
	"kind", "service", "stateFields", "rowName", "groupBy", "outputs",
}

// tool is a tool whose shape was checked.
type tool struct {
	Tool
	id          string
	permissions []string
	description string
	args        []Arg
	outputs     []Output
	service     string // of a remote tool
	says        Statement
}

func (t *tool) output(name string) *Output {
	for i := range t.outputs {
		if t.outputs[i].Name == name {
			return &t.outputs[i]
		}
	}
	return nil
}

// shape reads one tool's document and collects what is wrong with it.
type shape struct {
	tool   *tool
	faults []string
}

func (s *shape) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// checkTool reads the document of a tool. idKinds are the kinds of id that the app
// knows; nil, where the catalogue was told of none.
func checkTool(from Tool, idKinds []string) (*tool, []string) {
	s := shape{tool: &tool{Tool: from}, faults: slices.Clone(from.faults)}
	doc := &s.tool.doc
	switch {
	case from.docErr != nil:
		s.tool.id = from.name
		s.fault("its declaration cannot be read: %v", from.docErr)
		return s.tool, s.faults
	case doc.kind == 0:
		s.fault("was not made by New, NewRemote or ParseCatalogue")
		return s.tool, s.faults
	case doc.kind != '{':
		s.fault("is no object")
		return s.tool, s.faults
	}
	for _, key := range doc.keys {
		if !slices.Contains(toolKeys, key) {
			s.fault("has an unknown key %q", key)
		}
	}
	s.readHead(doc)
	s.readArgs(doc.get("args"))
	s.readRemote(doc)
	s.readAttackerFields(doc.get("attackerFields"))
	s.readStates(doc.get("stateFields"))
	s.readRowName(doc.get("rowName"))
	s.readGroupBy(doc.get("groupBy"))
	s.readOutputs(doc.get("outputs"), idKinds)
	s.tool.says.Tool = s.tool.id
	return s.tool, s.faults
}

func (s *shape) readHead(doc *node) {
	if id := doc.get("id"); id == nil || id.kind != '"' || !toolName.MatchString(id.text) {
		s.fault("id must be lower case letters and digits joined by single . _ or -, and start with a letter")
		if id != nil {
			s.tool.id = id.text
		}
	} else {
		s.tool.id = id.text
	}
	if p := doc.get("permission"); p != nil {
		if p.kind != '"' || p.text == "" {
			s.fault("permission must be a non-empty text")
		}
		s.tool.permissions = append(s.tool.permissions, p.text)
	}
	if p := doc.get("permissions"); p != nil {
		names, ok := texts(p)
		if !ok {
			s.fault("permissions must be a list of non-empty texts")
		}
		s.tool.permissions = append(s.tool.permissions, names...)
	}
	if d := doc.get("description"); d == nil || d.kind != '"' || strings.TrimSpace(d.text) == "" {
		s.fault("description must say what the tool does")
	} else {
		s.tool.description = d.text
	}
}

func (s *shape) readArgs(args *node) {
	if args == nil {
		return
	}
	if args.kind != '{' {
		s.fault("args must be an object of name and spec")
		return
	}
	for i, name := range args.keys {
		if name == "" || hasControl(name) {
			s.fault("an argument's name must be a text without control characters")
		}
		s.tool.args = append(s.tool.args, s.readArg(name, &args.all[i]))
	}
}

func (s *shape) readArg(name string, spec *node) Arg {
	a := Arg{Name: name}
	if spec.kind != '{' {
		s.fault("argument %q: its spec must be an object", name)
		return a
	}
	if d := spec.get("describe"); d == nil || d.kind != '"' || strings.TrimSpace(d.text) == "" {
		s.fault("argument %q: describe must say what it is", name)
	} else {
		a.Describe = d.text
	}
	if n := spec.get("nullable"); n != nil {
		if n.kind != 't' && n.kind != 'f' {
			s.fault("argument %q: nullable must be true or false", name)
		}
		a.Nullable = n.kind == 't'
	}
	kind, values, bound := spec.get("type"), spec.get("values"), spec.get("maxLength")
	switch {
	case kind != nil && kind.kind == '"' && kind.text == "text":
		a.MaxLength = DefaultMaxLength
		if bound != nil {
			if bound.kind != '0' || bound.num < 1 || bound.num != math.Trunc(bound.num) || bound.num > math.MaxInt32 {
				s.fault("argument %q: maxLength must be a whole number of code points, at least 1", name)
			}
			a.MaxLength = int(min(max(bound.num, 1), math.MaxInt32))
		}
		if values != nil {
			s.fault("argument %q: a text has no values; make it an enum, or leave them out", name)
		}
	case kind != nil && kind.kind == '"' && kind.text == "enum":
		a.Values = s.readEnum(name, values)
		if bound != nil {
			s.fault("argument %q: an enum has no maxLength; its values are its bound", name)
		}
	default:
		s.fault(`argument %q: type must be "text" or "enum"`, name)
		a.Values = []string{}
	}
	return a
}

func (s *shape) readEnum(name string, values *node) []string {
	if values == nil {
		s.fault("argument %q: an enum needs its values", name)
		return []string{}
	}
	list, ok := texts(values)
	if !ok || len(list) == 0 {
		s.fault("argument %q: values must be a list of at least one non-empty text", name)
		return []string{}
	}
	for i, v := range list {
		switch {
		case slices.Contains(list[:i], v):
			s.fault("argument %q: the value %q stands twice", name, v)
		case looksLikeReference(v) || looksLikeContext(v):
			s.fault("argument %q: the value %q looks like a reference or the context token", name, v)
		case hasControl(v):
			s.fault("argument %q: the value %q has a control character", name, v)
		}
	}
	return list
}

func (s *shape) readRemote(doc *node) {
	kind, service := doc.get("kind"), doc.get("service")
	if kind != nil && (kind.kind != '"' || kind.text != "remote") {
		s.fault(`kind must be "remote", or be left out`)
	}
	switch {
	case kind == nil && service != nil:
		s.fault("service belongs to a tool of kind remote")
	case kind != nil && (service == nil || service.kind != '"' || strings.TrimSpace(service.text) == "" || hasControl(service.text)):
		s.fault("a remote tool must name its service")
	case kind != nil:
		s.tool.service = service.text
	}
}

func (s *shape) readAttackerFields(fields *node) {
	if fields == nil {
		s.fault("attackerFields must be said: the result paths that hold text other people wrote, or an empty list")
		return
	}
	paths, ok := texts(fields)
	if !ok {
		s.fault("attackerFields must be a list of result paths")
	}
	for i, path := range paths {
		if s.tool.service != "" && path == AnswerFact { // a remote tool has but one
			paths[i] = "facts." + AnswerFact
			continue
		}
		if !resultPath.MatchString(path) {
			s.fault("attackerFields: %q is no result path, such as rows[].title, rows[].snippet, rows[].fields.subject or facts.sender", path)
		}
	}
	s.tool.says.AttackerFields = paths
	if answer := "facts." + AnswerFact; s.tool.service != "" && !slices.Contains(paths, answer) {
		s.tool.says.AttackerFields = append(paths, answer)
	}
}

func (s *shape) readStates(states *node) {
	if states == nil {
		return
	}
	if states.kind != '{' {
		s.fault("stateFields must be an object of state word and field")
		return
	}
	s.tool.says.States = make(map[string]StateField, len(states.keys))
	for i, word := range states.keys {
		if !stateWord.MatchString(word) {
			s.fault("stateFields: the state word %q must be lower case letters only", word)
		}
		spec := &states.all[i]
		if spec.kind != '{' {
			s.fault("stateFields: %q must be an object with field and values", word)
			continue
		}
		var state StateField
		if f := spec.get("field"); f == nil || f.kind != '"' || !fieldName.MatchString(f.text) {
			s.fault("stateFields: %q: field must be 1 to 40 lower case letters, digits and _", word)
		} else {
			state.Field = f.text
		}
		state.Values = s.readStateValues(word, spec.get("values"))
		if syn := spec.get("synonyms"); syn != nil {
			words, ok := texts(syn)
			if !ok || slices.ContainsFunc(words, func(w string) bool { return !stateWord.MatchString(w) }) {
				s.fault("stateFields: %q: synonyms must be a list of words of lower case letters only", word)
			}
			state.Synonyms = words
		}
		s.tool.says.States[word] = state
	}
}

func (s *shape) readStateValues(word string, values *node) []any {
	if values == nil || values.kind != '[' || len(values.all) == 0 {
		s.fault("stateFields: %q: values must be a list of at least one value", word)
		return nil
	}
	var out []any
	for _, v := range values.all {
		switch {
		case v.kind == '"' && v.text != "":
			out = append(out, v.text)
		case v.kind == 't' || v.kind == 'f':
			out = append(out, v.kind == 't')
		default:
			s.fault("stateFields: %q: a value must be a non-empty text, true or false", word)
		}
	}
	return out
}

func (s *shape) readRowName(name *node) {
	if name == nil {
		return
	}
	names, ok := []string{name.text}, name.kind == '"'
	if name.kind == '[' {
		names, ok = texts(name)
	}
	if !ok || len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !fieldName.MatchString(n) }) {
		s.fault(`rowName must be one name or a non-empty list of names: "title" or a row field of 1 to 40 lower case letters, digits and _`)
	}
	s.tool.says.RowName = names
}

func (s *shape) readGroupBy(groups *node) {
	if groups == nil {
		return
	}
	if groups.kind != '{' {
		s.fault("groupBy must be an object of key and enum")
		return
	}
	s.tool.says.GroupBy = make(map[string][]string, len(groups.keys))
	for i, key := range groups.keys {
		if !outputName.MatchString(key) {
			s.fault("groupBy: the key %q must be a letter and up to 39 lower case letters, digits and _", key)
		}
		var labels []string
		ok := groups.all[i].kind == '{'
		if enum := groups.all[i].get("enum"); enum != nil {
			labels, ok = texts(enum)
		}
		if !ok || len(labels) == 0 {
			s.fault("groupBy: %q: enum must be a list of at least one non-empty label", key)
		}
		at := slices.IndexFunc(s.tool.args, func(a Arg) bool { return a.Name == key })
		if at >= 0 && s.tool.args[at].Values == nil {
			s.fault("groupBy: %q is a text argument too: only an enum may choose a breakdown", key)
		}
		s.tool.says.GroupBy[key] = labels
	}
}

func (s *shape) readOutputs(outputs *node, idKinds []string) {
	if outputs == nil {
		return
	}
	if outputs.kind != '{' {
		s.fault("outputs must be an object of name and path")
		return
	}
	if s.tool.service != "" && len(outputs.keys) > 0 {
		s.fault("outputs: a remote tool's answer is a stranger's text, and never an output")
	}
	for i, name := range outputs.keys {
		if !outputName.MatchString(name) {
			s.fault("outputs: the name %q must be a letter and up to 39 lower case letters, digits and _", name)
		}
		if outputs.all[i].kind != '{' {
			s.fault("outputs: %q must be an object with path and describe", name)
			continue
		}
		s.tool.outputs = append(s.tool.outputs, s.readOutput(name, &outputs.all[i], idKinds))
	}
}

func (s *shape) readOutput(name string, spec *node, idKinds []string) Output {
	out := Output{Name: name}
	if safe := spec.get("safe"); safe != nil {
		if safe.kind != 't' {
			s.fault("outputs: %q: safe must be true, or be left out", name)
		}
		out.Safe = safe.kind == 't'
	}
	if d := spec.get("describe"); d == nil || d.kind != '"' || strings.TrimSpace(d.text) == "" {
		s.fault("outputs: %q: describe must say what it is", name)
	} else {
		out.Describe = d.text
	}
	path := spec.get("path")
	switch {
	case path != nil && strings.HasSuffix(path.text, ".snippet"):
		s.fault("outputs: %q: a snippet is a stranger's text, and never an output", name)
	case path == nil || path.kind != '"' || !outputPath.MatchString(path.text):
		s.fault("outputs: %q: path must be facts.<key>, rows[].ref or rows[].fields.<key>", name)
	case slices.Contains(s.tool.says.AttackerFields, path.text) && !out.Safe:
		s.fault("outputs: %q reads the attacker field %s: take another path, or mark it safe: true", name, path.text)
	}
	if path != nil {
		out.Path = path.text
	}
	if kind := spec.get("kind"); kind != nil {
		out.Kind = kind.text
		switch {
		case kind.kind != '"' || !idKindName.MatchString(kind.text):
			s.fault("outputs: %q: kind must be a letter and up to 39 lower case letters and _", name)
		case idKinds == nil:
			s.fault("outputs: %q names the kind %q, and the catalogue was not told which id kinds the app knows", name, kind.text)
		case !slices.Contains(idKinds, kind.text):
			s.fault("outputs: %q names the kind %q, which is not among the app's id kinds", name, kind.text)
		}
	}
	return out
}

// texts are the items of a list of non-empty texts; those that are one, where not
// all are.
func texts(n *node) (list []string, ok bool) {
	ok = n.kind == '['
	list = make([]string, 0, len(n.all))
	for _, item := range n.all {
		if ok && item.kind == '"' && item.text != "" {
			list = append(list, item.text)
			continue
		}
		ok = false
	}
	return list, ok
}
