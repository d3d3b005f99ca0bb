package homeassistant

import (
	"slices"
	"strings"

	"github.com/askhub/askhub/internal/timers/words"
)

// remarkFirst are the words with which a remark begins that people put before an order, and
// mostRemarked is how many words it has at most.
var remarkFirst = setOf(`it's its i'm we're there's that's oh`)

const mostRemarked = 8

// withoutRemark is an order without what was only remarked before it: "it's dark in here, turn on
// the hall lights". A remark that says when or whether, or what is needed, is more than that.
func withoutRemark(question string) string {
	i := strings.IndexAny(question, ",.!;")
	if i < 0 || strings.ContainsAny(question, "?？") {
		return question
	}
	remark, rest := fold(question[:i]), strings.TrimSpace(question[i+1:])
	said := meant(remark)
	begins := len(said) > 1 && (remarkFirst[said[0]] || slices.Contains([]string{"it is", "i am", "we are", "there is"}, said[0]+" "+said[1]))
	if !begins || len(remark) > mostRemarked || slices.ContainsFunc(said, func(w string) bool {
		return later[stem(w)] || units[stem(w)] || number(w) || toldBy[w] || orders[w] || w == "not" || strings.HasSuffix(w, "n't")
	}) {
		return question
	}
	if _, needed := words.ParseGoods(question[:i], words.Anything); needed {
		return question
	}
	if all := sentencesOf(rest); len(all) == 0 || len(all[0].words) < 2 || !all[0].verb(0) {
		return question
	}
	return rest
}
