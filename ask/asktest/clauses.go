package asktest

// Level is how firm a clause is.
type Level string

// The levels of the contract.
const (
	// Fixed may not be broken: a project that breaks it does not speak the contract.
	Fixed Level = "fixed"
	// Ours fills a silence of the contract: breaking it is a warning.
	Ours Level = "ours"
)

// Clause is one numbered sentence of docs/ask-contract.md.
type Clause struct {
	ID    string `json:"id"`
	Level Level  `json:"level"`
	Text  string `json:"text"`
}

// Clauses are the clauses that can be checked from outside, in the order of the document.
var Clauses = []Clause{
	{"1.1", Fixed, `GET /health answers 200 and {"ok": true}`},
	{"1.2", Fixed, "GET /capabilities answers 200 with project, topics and people"},
	{"1.3", Fixed, "topics are short and plain, and hold no private data"},
	{"1.4", Fixed, "POST /ask answers 200 with an object that has answer"},
	{"1.5", Ours, "every reply that is no error is application/json"},
	{"2.1", Fixed, "question and asker are enough; person and source may be left out"},
	{"2.2", Fixed, "person defaults to asker"},
	{"2.3", Ours, "a question of exactly 4,000 code points is taken"},
	{"3.1", Fixed, "answer: null comes with a reason"},
	{"3.2", Fixed, "what is said is one short sentence, safe to speak aloud"},
	{"3.3", Fixed, "expires, where given, is an RFC 3339 instant"},
	{"3.4", Fixed, "about a person it does not know the project says answer: null"},
	{"4.1", Fixed, "asking changes nothing"},
	{"4.2", Fixed, "the project checks that asker may see person"},
	{"4.3", Fixed, "an answer comes in under 3 seconds"},
	{"4.4", Fixed, "no secret is in a reply: no token, no internal path"},
	{"4.5", Ours, "X-Ask-Deadline is honoured: with less time left the answer comes sooner"},
	{"5.1", Ours, "/health needs no token"},
	{"5.2", Fixed, "a request without a token is refused"},
	{"5.3", Fixed, "a request with a wrong token is refused"},
	{"5.4", Ours, "the refusal is a 401 with WWW-Authenticate: Bearer"},
	{"5.5", Ours, "the token is checked before the body is read"},
	{"6.1", Ours, "a body that is not JSON is a 400"},
	{"6.2", Ours, "a second document is a 400"},
	{"6.3", Ours, "a duplicate key is a 400"},
	{"6.4", Ours, "a known key in another case is a 400"},
	{"6.5", Ours, "bad UTF-8 is a 400"},
	{"6.6", Ours, "a missing or empty question or asker is a 400"},
	{"6.7", Ours, "a value of a wrong type is a 400"},
	{"6.8", Ours, "control characters in a name are a 400"},
	{"6.9", Ours, "a content type that is not JSON is a 415"},
	{"6.10", Ours, "Transfer-Encoding beside Content-Length is a 400, and the connection closes"},
	{"6.11", Ours, "a repeated Authorization is a 400, and the connection closes"},
	{"6.12", Ours, "a repeated Host is a 400, and the connection closes"},
	{"6.13", Ours, "a body over 32 KB is a 413"},
	{"6.14", Ours, "a question over 4,000 code points is a 413"},
	{"6.15", Ours, "a wrong method is a 405 with Allow"},
	{"6.16", Ours, "an error is application/problem+json with a code"},
	{"6.17", Ours, "a 400 for a field names that field"},
	{"6.18", Ours, "nothing internal is in an error"},
	{"7.1", Fixed, "unknown fields are accepted and ignored"},
}

// place is where the clause of that ID stands in Clauses. An ID that is not
// there is a slip in the case table.
func place(id string) int {
	for i, c := range Clauses {
		if c.ID == id {
			return i
		}
	}
	panic("asktest: no clause " + id)
}
