package plan

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Access is what one request may use of a catalogue.
type Access struct {
	// Permissions are those that the request holds.
	Permissions []string
	// Off are the ids of tools that are switched off.
	Off []string
	// Remote switches remote tools on.
	Remote bool
}

// Offer is the part of a catalogue that one request may use. What is not in it
// stands neither in the schema nor in the description, and is refused in a plan.
type Offer struct {
	catalogue *Catalogue
	offered   []bool // by the catalogue's order
}

// Offer is what a request with this access may use. A tool needs all of its
// permissions.
func (c *Catalogue) Offer(a Access) *Offer {
	o := &Offer{catalogue: c, offered: make([]bool, len(c.tools))}
	for i, t := range c.tools {
		lacks := slices.ContainsFunc(t.permissions, func(p string) bool { return !slices.Contains(a.Permissions, p) })
		o.offered[i] = !lacks && !slices.Contains(a.Off, t.id) && (t.service == "" || a.Remote)
	}
	return o
}

// Catalogue is where the offer comes from.
func (o *Offer) Catalogue() *Catalogue { return o.catalogue }

// find is the offered tool of that id, or nil.
func (o *Offer) find(id string) *tool {
	at, ok := o.catalogue.byID[id]
	if !ok || !o.offered[at] {
		return nil
	}
	return o.catalogue.tools[at]
}

func (o *Offer) tools() []*tool {
	var out []*tool
	for i, t := range o.catalogue.tools {
		if o.offered[i] {
			out = append(out, t)
		}
	}
	return out
}

// Offered is a tool as a planner knows it: no data, and no code.
type Offered struct {
	ID          string
	Description string
	Args        []Arg
	Gives       []Output
	// Remote says that another project answers.
	Remote bool
}

// Tools are the offered tools in registered order. They share nothing with the
// catalogue.
func (o *Offer) Tools() []Offered {
	var out []Offered
	for _, t := range o.tools() {
		args := slices.Clone(t.args)
		for i := range args {
			args[i].Values = slices.Clone(args[i].Values)
		}
		out = append(out, Offered{
			ID: t.id, Description: t.description, Args: args,
			Gives: slices.Clone(t.outputs), Remote: t.service != "",
		})
	}
	return out
}

// Describe is what the planner reads of the offered tools: id, what each does, its
// arguments in words, and what it gives to a later call.
func (o *Offer) Describe() string {
	var b strings.Builder
	for _, t := range o.tools() {
		fmt.Fprintf(&b, "%s: %s\n", t.id, oneLine(t.description))
		if len(t.args) == 0 {
			b.WriteString("  no arguments\n")
		}
		for _, a := range t.args {
			fmt.Fprintf(&b, "  %s: %s (%s)\n", oneLine(a.Name), oneLine(a.Describe), a.inWords())
		}
		for _, out := range t.outputs {
			fmt.Fprintf(&b, "  gives %s: %s\n", out.Name, oneLine(out.Describe))
		}
	}
	return b.String()
}

// inWords says what an argument may be.
func (a *Arg) inWords() string {
	words := fmt.Sprintf("text of at most %d characters", a.MaxLength)
	if a.Values != nil {
		values := make([]string, len(a.Values))
		for i, v := range a.Values {
			values[i] = oneLine(v)
		}
		words = "one of " + strings.Join(values, ", ")
	}
	if a.Nullable {
		words += ", or null"
	}
	return words
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// referenceLength is the length of the longest reference that a plan over these
// tools can hold, or of the context token.
func referenceLength(tools []*tool) int {
	most := len(contextToken)
	for _, t := range tools {
		for _, out := range t.outputs {
			most = max(most, utf8.RuneCountInString(reference(MaxCalls, out.Name)))
		}
	}
	return most
}
