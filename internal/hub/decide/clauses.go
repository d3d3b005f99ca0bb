package decide

import "github.com/askhub/askhub/internal/hub/decide/concept"

// maxClauses is how many clauses of a question are looked at for topics of their own.
const maxClauses = 6

// clause is a stretch of words that may have a topic of its own.
type clause struct {
	from, to int
	// starts is whether it begins like a question or an order of its own.
	starts bool
}

// starters begin a question or an order.
var starters = set("what", "who", "when", "where", "which", "how", "why", "is", "are", "was", "were", "do", "does", "did",
	"has", "have", "had", "can", "could", "will", "would", "any", "tell", "check", "read", "turn", "switch", "set", "show",
	"whether", "if", "remind", "add", "put", "play", "announce", "say", "send", "notify", "open", "close", "give", "look", "search", "lock", "start", "stop", "find")

// links join clauses; a comma or a semicolon does too.
var links = set("and", "plus", "also", "then", "as")

// governs are words that take what follows them as their object: in "emails about
// the trip and the homework" the homework is what the emails are about.
var governs = set("about", "regarding", "between", "from", "for", "of", "with", "called", "saying", "that", "to", "named", "titled", "versus", "vs", "or", "mentioning", "on")

func set(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// clauses cuts a text at its commas and links. One clause: there was nothing to cut.
func clauses(t *concept.Text, out []clause) []clause {
	from := 0
	for i := 1; i <= t.Len(); i++ {
		cut := i == t.Len()
		if !cut {
			switch t.Word(i).Mark {
			case ',', ';', '.', '?', '!':
				cut = true
			}
			cut = cut || links[string(t.Bytes(i))]
		}
		if !cut {
			continue
		}
		for from < i && links[string(t.Bytes(from))] {
			from++
		}
		if from < i {
			if len(out) == maxClauses {
				out[len(out)-1].to = i
			} else {
				out = append(out, clause{from, i, starters[string(t.Bytes(from))]})
			}
		}
		from = i
	}
	return out
}

// governed is whether the clause ends in the object of a preposition, so that what
// is joined to it may be more of that object.
func governed(t *concept.Text, c clause) bool {
	for i := max(c.from+1, c.to-4); i < c.to; i++ {
		if governs[string(t.Bytes(i))] {
			return true
		}
	}
	return false
}
