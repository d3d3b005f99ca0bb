package decide

import (
	"strings"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

// minClaim is the weakest likeness of a topic and a concept that is a claim: a
// topic of two words shares one with the concept's seed.
const minClaim = 0.7

// owners are who answers each concept, as indexes of destinations.
type owners [concept.Count][]int

// seeds are the concepts' seeds as stems.
var seeds = func() (all [concept.Count][][]string) {
	for c, about := range concept.Abouts {
		for _, s := range about.Seeds {
			all[c] = append(all[c], stems(s))
		}
	}
	return all
}()

func stems(s string) []string {
	words := concept.Words(s)
	for i, w := range words {
		words[i] = stem(w)
	}
	return words
}

// claim is how surely a topic means a concept, for each concept it may mean.
type claim struct {
	concept  concept.Concept
	strength float64
}

// claimsOf are the concepts that a topic means best. None: nobody foresaw that topic.
func claimsOf(topic []string) (best []claim) {
	for c := range seeds {
		strength := 0.0
		for _, seed := range seeds[c] {
			strength = max(strength, likenessOf(topic, seed))
		}
		switch {
		case strength < minClaim:
		case len(best) == 0 || strength > best[0].strength:
			best = append(best[:0], claim{concept.Concept(c), strength})
		case strength == best[0].strength:
			best = append(best, claim{concept.Concept(c), strength})
		}
	}
	return best
}

// likenessOf is 1 for a topic that is the seed, less where one holds the other.
func likenessOf(topic, seed []string) float64 {
	switch {
	case contains(topic, seed):
		return 0.4 + 0.6*float64(len(seed))/float64(len(topic))
	case contains(seed, topic) && len(topic) > 1:
		return 0.4 + 0.6*float64(len(topic))/float64(len(seed))
	}
	return 0
}

// contains is whether part stands in whole, word after word.
func contains(whole, part []string) bool {
	return len(part) > 0 && strings.Contains(" "+strings.Join(whole, " ")+" ", " "+strings.Join(part, " ")+" ")
}

// claimConcepts gives each concept to the destinations whose topics mean it most,
// and those that nobody claims to the owner of the nearest concept that has one.
func claimConcepts(destinations []destination) owners {
	var strengths [concept.Count]float64
	var direct, own owners
	for d := range destinations {
		for _, t := range destinations[d].topics {
			for _, cl := range t.claims {
				switch {
				case cl.strength > strengths[cl.concept]+0.01:
					strengths[cl.concept], direct[cl.concept] = cl.strength, []int{d}
				case cl.strength > strengths[cl.concept]-0.01 && !has(direct[cl.concept], d):
					direct[cl.concept] = append(direct[cl.concept], d)
				}
			}
		}
	}
	own = direct
	for c, about := range concept.Abouts {
		for _, other := range about.Else {
			if len(own[c]) == 0 {
				own[c] = direct[other]
			}
		}
	}
	return own
}

func has(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}
