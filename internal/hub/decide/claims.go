package decide

import (
	"slices"
	"sync"

	"github.com/askhub/askhub/internal/hub/decide/concept"
)

// minClaim is the weakest likeness of a topic and a concept that is a claim: a
// topic of two words shares one with the concept's seed.
const minClaim = 0.7

// owners are who answers each concept, as indexes of destinations.
type owners [concept.Count][]int

// seed is one seed of a concept, as stems.
type seed struct {
	concept concept.Concept
	stems   []string
}

// seedsOf holds the seeds by each word that stands in them.
var seedsOf = sync.OnceValue(func() map[string][]seed {
	all := map[string][]seed{}
	for c, about := range concept.Abouts {
		for _, text := range about.Seeds {
			s := seed{concept.Concept(c), stems(text)}
			for i, w := range s.stems {
				if !has(s.stems[:i], w) {
					all[w] = append(all[w], s)
				}
			}
		}
	}
	return all
})

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
	seeds := seedsOf()
	for i, w := range topic {
		if has(topic[:i], w) {
			continue
		}
		for _, s := range seeds[w] {
			strength := likenessOf(topic, s.stems)
			switch {
			case strength < minClaim || strength < 1 && !qualifies(topic, s.stems):
			case len(best) == 0 || strength > best[0].strength:
				best = append(best[:0], claim{s.concept, strength})
			case strength == best[0].strength && !slices.ContainsFunc(best, func(c claim) bool { return c.concept == s.concept }):
				best = append(best, claim{s.concept, strength})
			}
		}
	}
	return best
}

// qualifies is whether the words of a topic beside a concept's seed leave it that
// concept: "kitchen lights" are lights and "unread mail" is mail, but a bus timetable is
// no school's and music practice is no playing of music.
func qualifies(topic, seed []string) bool {
	for _, w := range topic {
		if has(seed, w) || concept.Qualifies(w) {
			continue
		}
		if !slices.ContainsFunc(seed, func(s string) bool { return concept.Akin(w, s) }) {
			return false
		}
	}
	return true
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
	for i := 0; len(part) > 0 && i+len(part) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
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
				case cl.strength*t.standing() > strengths[cl.concept]+0.01:
					strengths[cl.concept], direct[cl.concept] = cl.strength*t.standing(), []int{d}
				case cl.strength*t.standing() > strengths[cl.concept]-0.01 && !has(direct[cl.concept], d):
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

func has[T comparable](list []T, x T) bool { return slices.Contains(list, x) }
