package plan

import "fmt"

// Schema is the JSON Schema of a plan over the offered tools, for a model's
// structured output. It is strict and closed: every object lists all of its keys as
// required and allows no other, every closed value is an enum, and every other text
// is bounded.
func (o *Offer) Schema() []byte {
	tools := o.tools()
	b := []byte(`{"type":"object","properties":{` +
		`"intent":{"type":"string","enum":["lookup","analyse","write","none"]},` +
		`"reason":{"type":["string","null"],"enum":["no_tool","out_of_scope","needs_judgement",null]},` +
		`"calls":`)
	if len(tools) == 0 {
		b = append(b, `{"type":"array","maxItems":0,"items":{"type":"object","properties":{},"required":[],"additionalProperties":false}}`...)
	} else {
		b = append(b, fmt.Sprintf(`{"type":"array","maxItems":%d,"items":{"anyOf":[`, MaxCalls)...)
		longest := referenceLength(tools)
		for i, t := range tools {
			if i > 0 {
				b = append(b, ',')
			}
			b = t.appendSchema(b, longest)
		}
		b = append(b, `]}}`...)
	}
	return append(b, `},"required":["intent","reason","calls"],"additionalProperties":false}`...)
}

func (t *tool) appendSchema(b []byte, longest int) []byte {
	b = quotedList(append(b, `{"type":"object","properties":{"tool":{"type":"string","enum":`...), []string{t.id})
	b = append(b, `},"args":{"type":"object","properties":`...)
	b = object(b, t.args, func(b []byte, a Arg) []byte { return a.appendSchema(b, longest) })
	names := make([]string, len(t.args))
	for i := range t.args {
		names[i] = t.args[i].Name
	}
	b = quotedList(append(b, `,"required":`...), names)
	return append(b, `,"additionalProperties":false}},"required":["tool","args"],"additionalProperties":false}`...)
}

func (a *Arg) appendSchema(b []byte, longest int) []byte {
	b = append(quoted(b, a.Name), ':')
	kind := `"string"`
	if a.Nullable {
		kind = `["string","null"]`
	}
	if a.Values != nil {
		b = append(b, `{"type":`+kind+`,"enum":`...)
		b = quotedList(b, a.Values)
		if a.Nullable {
			b = append(b[:len(b)-1], `,null]`...)
		}
		return append(b, '}')
	}
	text := fmt.Sprintf(`{"type":%s,"maxLength":%d}`, kind, a.MaxLength)
	if a.MaxLength >= longest {
		return append(b, text...)
	}
	// The bound is for what a person or a model wrote; a reference may be longer.
	b = append(b, `{"anyOf":[`+text...)
	return append(b, fmt.Sprintf(`,{"type":"string","pattern":"^@(context|r[1-%d]\\.[a-z][a-z0-9_]*)$","maxLength":%d}]}`, MaxCalls, longest)...)
}
