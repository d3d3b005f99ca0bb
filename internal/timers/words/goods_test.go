package words

import "testing"

func TestWhatIsToBeBoughtIsReadAsItIsSaid(t *testing.T) {
	for text, want := range map[string]string{
		"we need milk":                           "milk",
		"We need Milk.":                          "Milk",
		"we need some more milk and eggs please": "milk and eggs",
		"we need milk, bread and butter":         "milk, bread and butter",
		"we need milk, bread, and some butter":   "milk, bread and butter",
		"we need two pints of milk":              "two pints of milk",
		"we need a loaf of bread and six eggs":   "loaf of bread and six eggs",
		"we need a bag of potatoes":              "bag of potatoes",
		"we need semi skimmed milk":              "semi skimmed milk",
		"we need to buy bread":                   "bread",
		"we also need toilet paper":              "toilet paper",
		"oh and we need washing up liquid":       "washing up liquid",
		"we need cat food":                       "cat food",
		"we need light bulbs":                    "light bulbs",
		"we need new batteries":                  "new batteries",
		"we need strawberries and tomatoes":      "strawberries and tomatoes",
		"we're out of milk":                      "milk",
		"we’re out of milk":                      "milk",
		"we are out of milk and toilet rolls":    "milk and toilet rolls",
		"we've run out of eggs":                  "eggs",
		"we have run out of nappies":             "nappies",
		"we're running low on coffee":            "coffee",
		"we are nearly out of olive oil":         "olive oil",
		"we've no milk left":                     "milk",
		"we have no milk left":                   "milk",
		"we don't have any eggs left":            "eggs",
		"add milk":                               "milk",
		"add milk and eggs":                      "milk and eggs",
		"please add a bottle of wine":            "bottle of wine",
		"can you add some bananas":               "bananas",
		"we need milk. And eggs.":                "milk and eggs",
	} {
		for _, wanted := range []Wanted{Known, Anything} {
			if got, ok := ParseGoods(text, wanted); !ok || got != want {
				t.Errorf("%q is read as %q, %v; want %q", text, got, ok, want)
			}
		}
	}
}

// What only begins so puts nothing on a list: other statements, questions and orders.
func TestOtherNeedsAreNotTakenForShopping(t *testing.T) {
	for _, text := range []string{
		"we need to talk", "we need a plumber", "we need a plumber to come on Friday", "we need help", "we need an ambulance", "we need a holiday", "we need a new car", "we need",
		"we need it", "we need more time", "we're out of time", "we're out of luck", "we are out of the house", "we're out", "we're out of milk again?", "do we need milk?", "we need milk?",
		"did we run out of milk", "we don't need milk", "we need no milk", "we need less milk", "we need enough eggs for the cake", "we need milk for the cake tomorrow", "we need the milk",
		"we need to put the milk in the fridge", "we need Harry to buy milk", "Nan said we need milk", "if we need milk", "should I add milk", "don't add milk", "add milk to my coffee",
		"we need hot water", "we need a coffee", "we need a beer", "we need milk and a plumber", "we need milk and turn off the lamp", "we need milk. Turn on the light.", "we need milk. Buy eggs",
		"add dentist on Friday", "add milk on Friday", "add some more light", "add five minutes", "add Harry", "add", "we need more light", "we need the internet", "we need milk today or tomorrow",
		"we had no milk left", "we have milk left", "we have no time left", "turn on the light", "we need a bread maker", "we need an egg timer", "the milk is out", "",
		"we need one thing of all that is not milk", "we need lots of people to bring wine", "what do we need", "we used to need milk",
	} {
		for _, wanted := range []Wanted{Known, Anything} {
			if got, ok := ParseGoods(text, wanted); ok {
				t.Errorf("%q is read as %q", text, got)
			}
		}
	}
}

// A thing that nobody has heard of is to be bought too; what no shop has is not.
func TestAThingThatNobodyKnowsIsToBeBought(t *testing.T) {
	for text, want := range map[string]string{
		"we need gochujang": "gochujang", "We need tempeh.": "tempeh", "we need some miso paste": "miso paste", "we need sriracha and miso paste": "sriracha and miso paste",
		"we're out of tahini": "tahini", "we've run out of freekeh": "freekeh", "we need more fertiliser": "fertiliser", "we need milk, tempeh and eggs": "milk, tempeh and eggs",
		"we need two bags of compost": "two bags of compost", "we also need dowels": "dowels", "we have no tahini left": "tahini", "we need star anise please": "star anise",
	} {
		if got, ok := ParseGoods(text, Anything); !ok || got != want {
			t.Errorf("%q is read as %q, %v; want %q", text, got, ok, want)
		}
		if got, ok := ParseGoods(text, Known); ok {
			t.Errorf("%q is read as %q, which is nothing that is known", text, got)
		}
	}
	for _, text := range []string{
		"we need help", "we need rain", "we need time", "we need more time", "we need money", "we need peace and quiet", "we need silence", "we need patience", "we need holidays", "we need a gochujang",
		"we need an electrician", "we need plumbers", "we need volunteers", "we need electricians", "we need information", "we need answers", "we need Emma", "we need you", "we need each other",
		"we need to go", "we need tempeh tonight", "we need tempeh for tonight", "add tempeh", "add gochujang and rice", "we need milk and patience", "we're out of luck", "we're out of ideas", "we're out of here",
		"we're out of order", "we're low on cash", "we need 5 people", "we need five minutes", "we need another plan", "we need less tempeh", "do we need tempeh", "we need tempeh?", "we need the tempeh",
		"we need heating", "we need training", "we need cooling down", "we need two of them", "we need action", "we need happiness", "we need Nan's recipe", "we need ten degrees", "we need it done",
	} {
		if got, ok := ParseGoods(text, Anything); ok {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func TestWhatIsNeededIsAskedOfTheList(t *testing.T) {
	for text, want := range map[string]string{
		"do we need milk?": "milk", "Do we need any eggs": "eggs", "do we need to buy some bread": "bread", "do we still need washing up liquid?": "washing up liquid", "so do we need milk from the shop": "milk",
		"what do we need?": "", "what do we need from the shop": "", "what else do we need to buy at the supermarket": "", "do we need anything from the shop?": "", "can you tell me what do we need to get": "",
	} {
		if got, ok := ParseNeeded(text); !ok || got != want {
			t.Errorf("%q is read as %q, %v; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"do we need a plumber", "do we need to talk", "do we need to leave now", "what do we need to do", "what do we need for school", "what do we need to bring", "we need milk", "do we need milk for the cake",
		"do we need hats on Friday", "do we need help", "do we need", "do we need milk. Turn on the lamp", "do we need milk and turn on the lamp", "",
	} {
		if got, ok := ParseNeeded(text); ok {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}
