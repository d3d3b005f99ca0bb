package words

import (
	"slices"
	"strings"
	"sync"
)

// goods are things that a household buys again and again, in the singular or as they are sold.
// What is said of anything else ("we need a plumber", "we're out of time") puts nothing on a list.
var goods = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, g := range strings.FieldsFunc(goodsText, func(r rune) bool { return r == ',' || r == '\n' }) {
		if g = strings.TrimSpace(g); g != "" {
			set[g] = true
		}
	}
	return set
})

const goodsText = `
milk, cream, butter, margarine, cheese, cheddar, mozzarella, parmesan, feta, yoghurt, yogurt, egg, custard, creme fraiche, ice cream
bread, loaf, roll, bun, bagel, baguette, pitta, wrap, tortilla, toast, croissant, crumpet, muffin, pastry, cake, biscuit, cookie, cracker, oatcake
flour, sugar, yeast, baking powder, cocoa, honey, syrup, treacle, jam, marmalade, peanut butter, nutella, chocolate, sweets, crisp, popcorn, pretzel
rice, pasta, spaghetti, penne, macaroni, lasagne, noodle, couscous, quinoa, lentil, chickpea, bean, oat, porridge, muesli, granola, cereal, cornflakes, weetabix
salt, pepper, spice, cinnamon, paprika, cumin, turmeric, oregano, basil, thyme, rosemary, parsley, coriander, stock cube, gravy, vinegar, oil, mustard, ketchup
mayonnaise, mayo, soy sauce, pesto, hummus, salsa, sauce, tomato puree, passata, soup, tuna, salmon, cod, haddock, prawn, fish, fish finger, sardine, anchovy
chicken, beef, pork, lamb, turkey, mince, steak, bacon, ham, sausage, salami, chorizo, burger, tofu, quorn
apple, banana, orange, pear, grape, strawberry, raspberry, blueberry, blackberry, berry, cherry, peach, plum, nectarine, apricot, mango, melon, pineapple, kiwi, lemon
lime, grapefruit, satsuma, clementine, tangerine, avocado, raisin, sultana, fruit, nut, almond, cashew, walnut, peanut
potato, onion, carrot, garlic, ginger, leek, celery, cucumber, lettuce, salad, spinach, kale, cabbage, broccoli, cauliflower, courgette, aubergine, mushroom, pea
sweetcorn, parsnip, turnip, swede, radish, beetroot, asparagus, tomato, chilli, pumpkin, vegetable, veg, herb, olive, chip, frozen chips
coffee, tea, teabag, tea bag, juice, squash, water, lemonade, cola, coke, beer, wine, cider, gin, vodka, whisky, prosecco, tonic, oat milk
toilet roll, toilet paper, loo roll, loo paper, kitchen roll, kitchen towel, paper towel, tissue, napkin, nappy, diaper, wipes, cotton wool, cotton bud
soap, shampoo, conditioner, shower gel, toothpaste, toothbrush, mouthwash, dental floss, deodorant, razor, razor blade, shaving foam, sun cream, suncream, tampon, sanitary towel, plaster
washing powder, washing liquid, washing up liquid, washing-up liquid, detergent, fabric softener, dishwasher tablet, dishwasher salt, rinse aid, bleach, descaler, sponge, scourer, dustbin bag
bin bag, bin liner, freezer bag, sandwich bag, tin foil, foil, cling film, clingfilm, baking paper, greaseproof paper, printer paper, wrapping paper, matches, candle, firelighter
battery, light bulb, lightbulb, stamp, envelope, sellotape, glue, printer ink, paracetamol, ibuprofen, calpol, vitamin, charcoal, firewood, bird seed
cat food, dog food, fish food, bird food, baby food, baby milk, cat litter, dog treat
marmite, vegemite, dressing, seasoning, stuffing, icing, pudding, bedding, cracker, pepper, flower, skewer, hanger, filter, marker, lotion, ointment, condiment, vanilla essence
`

// needs are how people say that something is to be bought, where nobody is asked to do more.
var needs = []string{
	"we need to buy", "we need to get", "we also need to buy", "we also need", "we still need", "we need",
	"we're nearly out of", "we're almost out of", "we are nearly out of", "we are almost out of", "we're out of", "we are out of",
	"we've run out of", "we have run out of", "we ran out of", "we're running out of", "we are running out of",
	"we're running low on", "we are running low on", "we're low on", "we are low on", "add",
}

// noneLeft stand around what there is no more of.
var noneLeft = []string{"we've got no", "we have got no", "we've no", "we have no", "we haven't any", "we don't have any"}

// unnamed are words that stand in no name of a thing to buy: those with them say something else.
var unnamed = strings.Fields(`to on at for in into from by with without of off and or that this these those the my our your his her their its is are was were be been being
	have has had do does did will would can could should shall may might must not no if when while because before after until till than as who whom which what where why how
	i you he she it we they me him us them someone somebody anyone anybody everyone less fewer enough no hot now today tomorrow tonight yesterday every each but so then`)

// Wanted is what ParseGoods takes for a thing to buy.
type Wanted bool

// Known are the things that households buy again and again, and Anything is also what nobody has
// heard of ("we need gochujang"), where it is a thing and not help, time or a plumber.
const (
	Known    Wanted = false
	Anything Wanted = true
)

// ParseGoods reads "we need milk", "we're out of milk and eggs", "add milk": what is to be bought,
// in the words as they were said. It is false where anything else is said, or asked.
func ParseGoods(text string, wanted Wanted) (item string, ok bool) {
	if strings.ContainsAny(text, "?？") {
		return "", false
	}
	s := fold(text).after("please", "hey", "ok", "okay", "oh", "well", "also", "and", "jervis", "can you", "could you").offEnd("please", "thanks", "too", "again", "now")
	what, found := said{}, false
	for _, lead := range needs {
		w := strings.Fields(lead)
		if hasWords(s.low, w...) {
			what, found = s.from(len(w)), true
			if lead == "add" { // which may be to anything
				wanted = Known
			}
			break
		}
	}
	for _, lead := range noneLeft {
		w := strings.Fields(lead)
		if !found && hasWords(s.low, w...) && s.low[len(s.low)-1] == "left" {
			what, found = s.from(len(w)).upTo(len(s.low)-len(w)-1), true
		}
	}
	if !found || len(what.low) > maxOrder {
		return "", false
	}
	var items []string
	for _, one := range Items(what.text()) {
		all := fold(one)
		thing := all.after("some", "more", "any", "another", "a", "an")
		single := len(all.low) > 0 && slices.Contains([]string{"a", "an", "another"}, all.low[0])
		switch {
		case len(thing.low) == 0 || thing.hasStop():
			return "", false
		case !thing.isGoods() && (wanted == Known || single || !thing.isThing()):
			return "", false
		case slices.Contains(served, thing.low[len(thing.low)-1]) && single && all.low[0] != "another" && !thing.has("of"):
			return "", false
		}
		items = append(items, thing.text())
	}
	switch n := len(items); n {
	case 0:
		return "", false
	case 1:
		return strings.TrimRight(items[0], ",;: "), true
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1], true
	}
}

// atTheShop are the words that may stand behind what is needed, where a list is asked for.
var atTheShop = strings.Fields("to buy get from at in the shop shops supermarket store today")

// neededOnes begin the question whether one thing is needed, neededAll the one what all is.
var (
	neededOnes = []string{"do we need to buy", "do we need to get", "do we still need", "do we need"}
	neededAll  = []string{"what do we need", "what else do we need", "what do we still need", "do we need anything"}
)

// ParseNeeded reads "do we need milk?" and "what do we need from the shop?": what is looked for on
// the list of things to buy, nothing where all of it is asked for.
func ParseNeeded(text string) (item string, ok bool) {
	s := fold(text).after("please", "hey", "ok", "okay", "oh", "well", "also", "and", "so", "jervis", "can you tell me", "tell me")
	for _, lead := range neededAll {
		if w := strings.Fields(lead); hasWords(s.low, w...) {
			return "", len(s.from(len(w)).offEnd(atTheShop...).low) == 0
		}
	}
	for _, lead := range neededOnes {
		if w := strings.Fields(lead); hasWords(s.low, w...) {
			what := s.from(len(w)).after("any", "some", "more").offEnd(atTheShop...)
			return what.text(), what.isGoods() && !what.hasStop()
		}
	}
	return "", false
}

// served are things of which one is had at once: "we need a coffee".
var served = strings.Fields("coffee tea beer wine cider gin whisky juice water soup steak burger salad toast chocolate")

// hasStop is whether a sentence ends before the words do.
func (s said) hasStop() bool {
	return len(s.raw) > 1 && slices.ContainsFunc(s.raw[:len(s.raw)-1], func(w string) bool { return strings.ContainsAny(w[len(w)-1:], ".;:!") })
}

// what is the thing of which an amount is named, "two pints of milk"; false where "of" says
// something else.
func (s said) what() (said, bool) {
	i := slices.Index(s.low, "of")
	if i < 1 || i > 3 {
		return s, true
	}
	counted := !slices.ContainsFunc(s.low[:i], func(w string) bool { return slices.Contains(unnamed, w) }) && amount(s.low[i-1])
	return s.from(i + 1), counted
}

// isGoods is whether the words name one thing to buy, and say nothing else: how much of it, a
// word or two of which kind, and what it is.
func (s said) isGoods() bool {
	s, ok := s.what()
	if !ok {
		return false
	}
	const most = 5
	if len(s.low) == 0 || len(s.low) > most {
		return false
	}
	for n := min(3, len(s.low)); n > 0; n-- {
		at := len(s.low) - n
		if isGood(strings.Join(s.low[at:], " ")) {
			return !slices.ContainsFunc(s.low[:at], func(w string) bool { return slices.Contains(unnamed, w) })
		}
	}
	return false
}

// noThings are what people need that no shop has, or that is not bought with the groceries; with
// the words that say how somebody is ("we need ready").
var noThings = strings.Fields(`help time sleep rest peace quiet silence space room light lights heat heating air rain sun sunshine snow love luck advice idea information change action proof
	permission support approval wifi internet power electricity signal order patience hope music fun exercise holiday break volunteer people friend kid child children man men woman women
	family company money cash petrol fuel diesel progress discipline energy courage faith trust attention feedback practice training results answer plan rule reason evidence clarity
	minute hour day week month year second moment degree percent thing stuff nothing something anything everything somebody yes urgent urgently badly desperately ready go
	darkness warmth cooling ventilation privacy security insurance childcare transport lift ticket reservation appointment doctor ambulance police fire car taxi house here there up down away together alone`)

// noThing are the endings of such words where nobody listed them: relaxation, plumbers.
var noThing = strings.Fields("tion sion ness ity ism ship hood ance ing ers ors ists ians")

// isThing is whether the words may name a thing that nobody has heard of, in one to three words
// of which none begins like a name.
func (s said) isThing() bool {
	s, ok := s.what()
	const most = 3
	if !ok || len(s.low) == 0 || len(s.low) > most {
		return false
	}
	for i, w := range s.low {
		if slices.Contains(unnamed, w) || s.raw[i] != strings.ToLower(s.raw[i]) || strings.ContainsAny(w, "0123456789'") {
			return false
		}
	}
	last := s.low[len(s.low)-1]
	return !slices.Contains(noThings, last) && !slices.Contains(noThings, strings.TrimSuffix(last, "s")) &&
		!slices.ContainsFunc(noThing, func(end string) bool { return strings.HasSuffix(last, end) })
}

// amounts are what things are bought in.
var amounts = strings.Fields("bottle pint litre liter carton pack packet bag box tin can jar loaf bar bunch kilo kg gram g lb pound dozen slice tub tube roll piece lot plenty couple bit crate case head punnet")

func amount(w string) bool {
	return slices.Contains(amounts, w) || slices.Contains(amounts, strings.TrimSuffix(w, "s")) || slices.Contains(amounts, strings.TrimSuffix(w, "es")) || w == "loaves"
}

// isGood is whether it is one of the goods, be it several.
func isGood(name string) bool {
	all := goods()
	if all[name] {
		return true
	}
	for _, end := range [][2]string{{"s", ""}, {"es", ""}, {"ies", "y"}, {"ves", "f"}} {
		if stem, ok := strings.CutSuffix(name, end[0]); ok && all[stem+end[1]] {
			return true
		}
	}
	return false
}
