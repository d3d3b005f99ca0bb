package answer

import "strings"

func list(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

var (
	// glue are words that hold a sentence together and claim nothing. What is not here
	// must rest on a result.
	glue = list(`a an the there it its this that these those they them their he she him his her hers you your yours i me
		is are was were be been being has have had got will
		at on in from to by with about of for until till into as
		and or also which who whose what where when then
		thing things item items entry entries result results one ones something anything
		called named titled entitled headed saying says reads
		found find shows show lists starts start begins begin ends end finishes finish
		sorry together altogether total`)
	// posted are words of mail: they claim that something came, which only a mailbox can know.
	posted   = list("sent came arrived received wrote written writes got")
	mailStem = strings.Fields("mail email message letter sender sent received inbox post from")
	// asking are words of questions that ask for nothing by themselves.
	asking       = list("do does did can could would may please tell how many much")
	prepositions = list("at on in from to by with about of for until till into onto as per")
	// glued are verbs that a value may follow.
	glued = list("has have got had : called named titled")
	// copulas come before what is claimed.
	copulas = list("is are was were be been isn't aren't wasn't weren't seem seems become becomes")
	past    = list("was were had came arrived received sent wrote ago yesterday last wasn't weren't been did")
	negates = list("not never cannot without neither nor nobody nowhere isn't aren't wasn't weren't don't doesn't didn't hasn't haven't can't couldn't won't hadn't")
	// nots are the negations that belong to the state after them.
	nots = list("not isn't aren't wasn't weren't")
	// attributes words tell that a quotation is somebody's own words.
	attributes = list(`titled called named headed saying says said entitled labelled subject reads wrote writes written words
		from by sender title sent`)
	// titling are those of them that never tell who wrote.
	titling = list("titled called named headed entitled subject title labelled says saying said reads")
	// compares are conclusions across rows.
	compares = list(`more fewer less most least than average averaged mean usually typically mostly often always rarely
		increasing decreasing rising falling growing grew dropped rose up down trend
		highest lowest largest smallest biggest greatest longest shortest earliest latest newest oldest best worst busiest quietest
		cheapest dearest first last next previous later earlier longer shorter bigger smaller higher lower older newer
		before after between difference equal equally same twice double majority minority mainly`)
	endWords = list("until till to ends end ended finishes finish finished over closes expires")
	endKeys  = list("end ends ended until finish finishes close closes to expires expiry")
	// startKeys are the times that a bare "at nine" means.
	startKeys = list("start starts begin begins at when date day time on sent received arrived created posted")
	// unknown are the words of a sentence that says what could not be learned.
	unknownVerbs = list("know known read reached tell told say said see seen look looked answer answered answering find found reach open opened allowed")
	unknownGlue  = list(`could can may might be not cannot can't couldn't don't do am i that this it the a an your you to out
		something went wrong right now at moment just yet sorry about look-up look up is was were are what whether who which for on in of by has have been rest`)
	choiceWords = list("several which mean fit fits fitting match matches could be either more than choose pick did do meant may")
	senders     = list("from sender author writer by")
	receivers   = list("to recipient recipients cc addressee")
)

func isClaim(w string) bool {
	return glue[w] || negates[w] || compares[w] || quantifiers[w] != noQuant || w == "yes" || w == "no" || w == "only"
}

// order is which end of the times a word means.
type order int8

const (
	earliest order = 1
	latest   order = 2
	soonest  order = 3
	declared order = 4
)

// orders are the words by which a tool may say which row of its it means.
var orders = map[string]order{
	"newest": latest, "latest": latest, "last": latest, "oldest": earliest, "earliest": earliest, "first": earliest, "next": soonest,
	"highest": declared, "lowest": declared, "largest": declared, "smallest": declared, "longest": declared, "shortest": declared, "average": declared,
}

type quant uint8

const (
	noQuant quant = iota
	allOf
	noneOf
	someOf
	mostOf
	halfOf
	bothOf
	neitherOf
	nothing
	noSuch // "no" before a noun: an absence, or none of them are <state>
)

var quantifiers = map[string]quant{
	"all": allOf, "every": allOf, "each": allOf, "everything": allOf,
	"none": noneOf, "some": someOf, "most": mostOf, "half": halfOf, "both": bothOf, "neither": neitherOf,
	"nothing": nothing, "no": noSuch, "any": someOf,
}
