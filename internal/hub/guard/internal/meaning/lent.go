package meaning

import (
	"bytes"
	"slices"
)

// "Turn off the lamp and the wifi" has one verb for two things. Each part without a verb is read
// once more with the one that stands before it, as if it were said by itself.

// mostLent is how many words such a part has at most, and mostVerb how many are taken to it.
const (
	mostLent = 8
	mostVerb = 12
)

// lent are the parts about a control that have no verb of their own, each with the verb that
// is meant: "turn off" and "the wifi".
func (r *Reader) lent() (readings [][]token) {
	r.partsBuf = r.parts(r.partsBuf[:0])
	var verb, tail []token
	for i, part := range r.partsBuf {
		at := slices.IndexFunc(part, func(t token) bool { // behind "I need you to"
			cl := r.classOf(&t)
			return r.carries(&t) && cl != 'M' && cl != 'P'
		})
		switch {
		case at < 0:
		case r.acts(&part[at]):
			end := at + 1
			for end < len(part) && (r.acts(&part[end]) || r.leads(&part[end])) {
				end++
			}
			verb, tail = part[max(0, end-mostVerb):end], nil
			if last := part[len(part)-1:]; end < len(part) && r.leads(&last[0]) {
				tail = last
			}
		case part[0].brk == '.' || !r.things(part):
			verb = nil
		case verb != nil && slices.ContainsFunc(part, func(t token) bool { return r.l.class[t.concept] == 'T' }):
			reading := slices.Concat(verb, part)
			reading[len(verb)].brk = 0
			if !slices.ContainsFunc(reading, func(t token) bool { return r.leads(&t) }) {
				reading = append(reading, r.tailOf(tail, r.partsBuf[i+1:])...)
			}
			readings = append(readings, reading)
		}
	}
	return readings
}

// tailOf is the "off" of a verb whose things stand before it: that of the verb's own part, or of
// the next part that ends in one.
func (r *Reader) tailOf(tail []token, next [][]token) []token {
	for _, part := range next {
		if tail != nil || part[0].brk == '.' || slices.ContainsFunc(part, func(t token) bool { return r.acts(&t) }) {
			break
		}
		if last := part[len(part)-1:]; r.leads(&last[0]) {
			return last
		}
	}
	return tail
}

// besides are words that put one more thing beside another: "as well as the wifi".
var besides = map[string]bool{"plus": true, "as": true, "well": true, "along": true, "together": true, "with": true, "also": true, "or": true}

// parts adds what stands between full stops, commas and joining words.
func (r *Reader) parts(dst [][]token) [][]token {
	start := 0
	for i := 1; i <= len(r.tokens); i++ {
		joins := i < len(r.tokens) && (r.joins(&r.tokens[i]) || besides[string(r.text(r.tokens[i]))])
		if i < len(r.tokens) && !joins && r.tokens[i].brk == 0 && !r.ampersand(i) {
			continue
		}
		if i > start {
			dst = append(dst, r.tokens[start:i])
		}
		start = i
		if joins {
			start++
		}
	}
	return dst
}

// ampersand is whether one stands before the token at i.
func (r *Reader) ampersand(i int) bool {
	from, to := r.tokens[i-1].to, r.tokens[i].from
	return from < to && bytes.IndexByte(r.f.text[from:to], '&') >= 0
}

// beside are words that stand by a thing without saying anything of it.
var beside = map[string]bool{
	"the": true, "a": true, "an": true, "my": true, "our": true, "your": true, "his": true, "her": true, "their": true, "this": true, "that": true, "these": true,
	"those": true, "all": true, "both": true, "every": true, "each": true, "in": true, "on": true, "of": true, "for": true, "at": true, "up": true, "down": true, "too": true, "now": true,
}

// things is whether a part names things, and whose and when, and says no more: of "the wifi is
// dreadful" no verb is missing.
func (r *Reader) things(part []token) bool {
	if len(part) > mostLent {
		return false
	}
	for i := range part {
		t := &part[i]
		switch cl := r.classOf(t); {
		case beside[string(r.text(*t))], t.name, cl == 'T', cl == 'I', cl == 'D', r.leads(t), r.l.names[t.concept] == "PLEASE":
		case cl == 'P' && r.l.names[t.concept] != "ME":
		default:
			return false
		}
	}
	return true
}

// acts is whether a word is the verb of an order, and leads whether it belongs to one.
func (r *Reader) acts(t *token) bool {
	cl := r.l.class[t.concept]
	return (cl == 'A' || cl == 'a') && !r.leads(t)
}

func (r *Reader) leads(t *token) bool {
	switch r.l.names[t.concept] {
	case "OFF", "ON", "BACK":
		return true
	}
	return false
}
