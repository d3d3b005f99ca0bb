package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// Catalogue is a project's tools, checked once. It is safe for use by several
// goroutines.
type Catalogue struct {
	tools []*tool
	byID  map[string]int // into tools
	hash  string
}

// FaultError is one fault of a catalogue.
type FaultError struct {
	// Tool is the tool's id, or its place ("tool 3") where it has none; empty where the
	// fault is the catalogue's own.
	Tool string
	// Fault says what is wrong and how it should be.
	Fault string
}

func (e *FaultError) Error() string {
	if e.Tool == "" {
		return "catalogue: " + e.Fault
	}
	return e.Tool + ": " + e.Fault
}

// NewCatalogue checks the tools and registers them in this order. idKinds are the
// kinds of public id that the app knows, nil where it knows none. The error joins a
// FaultError for every fault.
func NewCatalogue(tools []Tool, idKinds []string) (*Catalogue, error) {
	c := &Catalogue{byID: make(map[string]int, len(tools))}
	var faults []error
	fault := func(tool, format string, args ...any) {
		faults = append(faults, &FaultError{Tool: tool, Fault: fmt.Sprintf(format, args...)})
	}
	if len(tools) == 0 {
		fault("", "has no tool")
	}
	for i, kind := range idKinds {
		if !idKindName.MatchString(kind) {
			fault("", "the id kind %q must be a letter and up to 39 lower case letters and _", kind)
		}
		if slices.Contains(idKinds[:i], kind) {
			fault("", "the id kind %q stands twice", kind)
		}
	}
	for i, from := range tools {
		t, wrong := checkTool(from, idKinds)
		name := fmt.Sprintf("tool %q", t.id)
		if t.id == "" {
			name = fmt.Sprintf("tool %d", i+1)
		}
		for _, text := range wrong {
			fault(name, "%s", text)
		}
		if _, twice := c.byID[t.id]; twice && t.id != "" {
			fault(name, "is registered twice")
		}
		c.byID[t.id] = i
		c.tools = append(c.tools, t)
	}
	if faults != nil {
		return nil, errors.Join(faults...)
	}
	c.hash = c.makeHash()
	return c, nil
}

// ParseCatalogue reads {"tools": [tool, …], "idKinds": ["customer", …]}, with the
// keys of spec 4. Its tools have no code: they can be validated, resolved and
// described, not run.
func ParseCatalogue(doc []byte) (*Catalogue, error) {
	wrong := func(format string, args ...any) error {
		return &FaultError{Fault: fmt.Sprintf(format, args...)}
	}
	root, err := parseTree(doc)
	if err != nil {
		return nil, wrong("%v", err)
	}
	if root.kind != '{' {
		return nil, wrong("must be an object with tools and idKinds")
	}
	for _, key := range root.keys {
		if key != "tools" && key != "idKinds" {
			return nil, wrong("has an unknown key %q", key)
		}
	}
	list := root.get("tools")
	if list == nil || list.kind != '[' {
		return nil, wrong("tools must be a list")
	}
	var idKinds []string
	if kinds := root.get("idKinds"); kinds != nil {
		names, ok := texts(kinds)
		if !ok {
			return nil, wrong("idKinds must be a list of names")
		}
		idKinds = names
	}
	tools := make([]Tool, len(list.all))
	for i, item := range list.all {
		tools[i] = Tool{doc: item}
	}
	return NewCatalogue(tools, idKinds)
}

// Hash is SHA-256, in lower case hex, over the JSON of the tools as JavaScript's
// JSON.stringify writes them (spec 4, "Describing and hashing").
func (c *Catalogue) Hash() string { return c.hash }

func (c *Catalogue) makeHash() string {
	b := []byte{'['}
	for i, t := range c.tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		first := true
		for _, key := range toolKeys {
			value := t.doc.get(key)
			if value == nil {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = append(appendText(b, key), ':')
			b = value.appendJS(b)
		}
		b = append(b, '}')
	}
	return hashOf(append(b, ']'))
}

// PromptHash is SHA-256, in lower case hex, of what a planner was told, for the
// record of a question.
func PromptHash(prompt string) string { return hashOf([]byte(prompt)) }

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Permissions are all that the tools ask for, each once, in registered order.
func (c *Catalogue) Permissions() []string {
	var all []string
	for _, t := range c.tools {
		for _, p := range t.permissions {
			if !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// Statement is what a sentence about a tool's result may rest on. ok is false for a
// tool that is not in the catalogue.
func (c *Catalogue) Statement(tool string) (says Statement, ok bool) {
	at, ok := c.byID[tool]
	if !ok {
		return Statement{}, false
	}
	return c.tools[at].says, true
}
