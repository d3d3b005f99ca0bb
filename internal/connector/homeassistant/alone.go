package homeassistant

// whether are words with which a question begins that speaks of an order to the end: "should I
// close the window and open the door?"
var whether = setOf(`is are was were did does do had has have should shall would could can will may might must if whether suppose how why isn't aren't didn't
	don't dont doesn't never said told nan`)

// alsoOrders is whether the words order something, alone or beside what they ask: to answer only
// how things are would drop the order without a word.
func alsoOrders(question string) bool {
	words := meant(fold(question))
	if len(words) == 0 {
		return false
	}
	if orders[words[0]] {
		return !(len(words) > 1 && words[0] == "let" && words[1] == "me")
	}
	if whether[words[0]] || asks(question) && !firsts[words[0]] {
		return false
	}
	said, ends := stopped(question)
	for i, w := range said {
		if i > 0 && orders[w] && (ends[i-1] || said[i-1] == "and" || said[i-1] == "then") {
			return true
		}
	}
	return false
}
