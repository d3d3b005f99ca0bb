package planner

import "strings"

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	// hard words hold a question together and say nothing of what is wanted.
	hard = set(`a an the is are am was were be been being do does did have has had will would can could shall may might must should
		i me my mine myself we us our ours you your yours he she it its they them their his her hers him this that these those
		what which who whom whose when where how of to in on at for by from with and or but so if as than then there here into onto up
		please hey hi hello ok okay hub any some all every each much many more not no yes too also just only very really still yet already
		now currently right s t ll ve re d m one ones let lets because about`)
	// soft words may be said freely, and count where a tool has them in its description.
	soft = set(`tell show give know see look find check list want need like get got gotten say come came coming comes arrive arrives arrived receive received go going gone
		anything something nothing anybody anyone somebody someone everything everybody thing things stuff item items
		information info detail details news update happened recently lately again else ever left us wonder wondering curious
		able possible quick quickly search read out over during between total altogether number amount new currently upcoming
		long hear heard exactly kindly thanks thank mean called named titled regarding concerning mentioning containing mention mentions contain
		contains said says word words there's isn't next late time times day days date kind sort type own person moment start starts begin begins end ends finish finishes family name house home`)
	// compare words ask for a conclusion across what is found.
	compare = set(`most least fewest average averaged usually often typically typical busiest quietest longest shortest biggest smallest highest lowest
		per compare compared comparison trend trends pattern breakdown distribution fewer majority proportion percentage mostly`)
	// breakers end a phrase.
	breakers = set(`is are was were has have had do does did that which who when where what and or but yet already please come came arrive arrived
		arrives sent send write wrote written say said says get got be been will would can could should must i you we they he she it there
		today tomorrow yesterday now again lately recently since until till if because then still`)
	determiners = set("the a an my our your his her their its any some this that these those all another me us it them him every each")

	// writeVerbs wish something to be done.
	writeVerbs = set(`add cancel delete remove create make move change reschedule postpone send forward reply answer respond unsubscribe archive
		renew reserve borrow return lend order buy pay book schedule remind set put update edit rename mark post write email mail text message call ring
		invite accept decline confirm approve block unblock turn switch start stop play pause lock unlock close cut restore extend
		increase decrease raise lower enable disable register enrol sign upload save store file note record plan arrange organise organize
		clear empty erase wipe drop assign share print install reset transfer subscribe report flag snooze dismiss draft compose tick submit complete finish`)
	// nounVerbs are things as often as wishes: they wish only before a determiner or a title.
	nounVerbs = set(`book mail email message text call order file note record post plan schedule mark set report answer reply return change update
		start stop draft share open close write drop flag`)
	titles = set("mr mrs ms miss dr doctor prof sir madam")

	// sendVerbs have a sender before them: did X write, has X replied.
	sendVerbs = set("write wrote written send sent reply replied replies answer answered respond responded mail mailed email emailed message messaged say said ask asked contact contacted writes sends")
	nobody    = set("i you we they he she it anyone anybody someone somebody any some there who everyone everybody mail mails email emails message messages the this that")

	judgementWords = set(`recommend recommended recommendation advise advice opinion worth worthwhile better best worst worse good bad important urgent
		interesting suspicious trustworthy wise sensible reasonable appropriate believe trust`)
)

// groups are words that mean much the same in a household, by stem.
var groups = makeGroups(`
mail email e-mail emails message letter post
write wrote written writes send sends sent
reply replied answer respond response
inbox mailbox
unread unopened unseen
opened seen
new newest latest recent freshest
oldest earliest
last previous
attachment attached file document pdf enclosure
picture photo image
conversation thread exchange correspondence discussion
wait waiting pending await awaiting outstanding
decision decide
sender author writer
subject topic about title headline
event appointment happening happen engagement calendar diary agenda planned commitment entry
busy booked occupied
free available spare
meeting meet
lesson class timetable
child kid children pupil
party celebration
trip excursion outing visit
holiday vacation
due deadline back
overdue late
borrow borrowed loan lent checkout lend
fine fee charge owe owed penalty
book novel title
reserve reserved reservation hold
shelf place location
count number many
bin rubbish waste refuse trash garbage recycling
bill invoice
cost price expensive
game match fixture
homework assignment
dentist orthodontist
doctor gp
film movie
task chore job todo
`)

func makeGroups(text string) map[string]int {
	m := map[string]int{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		for _, w := range strings.Fields(line) {
			m[stem(w)] = i + 1
		}
	}
	return m
}
