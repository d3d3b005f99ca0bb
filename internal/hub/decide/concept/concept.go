package concept

//go:generate go run ./train weights.bin

// Concept is one kind of thing that a household asks about, whoever answers it.
type Concept uint8

// The concepts. Those from Bank to Gibberish are what most households have no
// destination for; Overview and Bare are about the question itself.
const (
	Mail Concept = iota
	School
	Health
	Screen
	Device
	Climate
	Sensor
	Timer
	Alarm
	Reminder
	Calendar
	List
	Media
	Weather
	News
	Lookup
	Announce
	Notify
	Job
	Phone
	Door
	Voice
	Chat
	Bank
	Book
	Order
	Chore
	Admin
	Gibberish
	Overview // a day summary: "what do I have on"
	Bare     // points at something that was not said: "turn it off"
	Count    // how many there are
)

// About is what is known of a concept beside its sentences.
type About struct {
	Name string
	// Say is how a person would say it in "school or email?".
	Say string
	// Seeds are topics by which a destination claims the concept.
	Seeds []string
	// Else are the concepts whose owner takes it where nobody claims it, in order:
	// whoever keeps reminders keeps lists too.
	Else []Concept
	// Near are the concepts that a short sentence may mean as well: "have the results
	// come" may be about school or about mail.
	Near []Concept
	// Carries is whether such a sentence carries words of any other topic as its
	// load: "remind me to check the email" is a reminder.
	Carries bool
}

// Abouts is what is known of each concept.
var Abouts = [Count]About{
	Mail:     {Name: "mail", Say: "email", Seeds: []string{"email", "inbox", "mail", "mailbox", "message", "unread", "unread mail"}, Near: []Concept{School, Health, Chat}},
	School:   {Name: "school", Say: "school", Seeds: []string{"school", "compass", "homework", "timetable", "class", "lesson", "exam", "teacher", "term dates"}, Near: []Concept{Mail}},
	Health:   {Name: "health", Say: "appointments", Seeds: []string{"nhs appointment", "appointment", "nhs", "doctor", "dentist", "gp", "hospital", "health", "vaccination", "medical"}, Else: []Concept{Calendar}, Near: []Concept{Mail}},
	Screen:   {Name: "screen", Say: "screen time", Seeds: []string{"screen time", "internet use", "internet usage", "time limits", "internet time", "what did the kids do online", "what did the kids do", "parental controls", "kids online"}, Near: []Concept{Timer, Device, Sensor}},
	Device:   {Name: "device", Say: "lights", Seeds: []string{"lights", "lamp", "switch", "plug", "device", "smart home", "appliance", "blinds", "curtains", "vacuum", "fan", "lighting", "home automation", "lock"}, Else: []Concept{Climate, Sensor}, Near: []Concept{Screen}},
	Climate:  {Name: "climate", Say: "heating", Seeds: []string{"thermostat", "heating", "room temperature", "hot water", "air conditioning", "boiler", "climate"}, Else: []Concept{Device, Sensor}},
	Sensor:   {Name: "sensor", Say: "the house", Seeds: []string{"sensor", "battery", "garage door", "windows", "motion", "air quality", "door sensor", "leak"}, Else: []Concept{Device, Climate}, Near: []Concept{Screen}},
	Timer:    {Name: "timer", Say: "timer", Seeds: []string{"timer", "countdown", "stopwatch"}, Else: []Concept{Alarm, Reminder}, Carries: true, Near: []Concept{Screen}},
	Alarm:    {Name: "alarm", Say: "alarm", Seeds: []string{"alarm", "alarm clock", "wake me up", "wake up"}, Else: []Concept{Timer, Reminder}},
	Reminder: {Name: "reminder", Say: "reminders", Seeds: []string{"reminder", "remind me", "remind"}, Else: []Concept{Calendar, Timer, List}, Carries: true},
	Calendar: {Name: "calendar", Say: "calendar", Seeds: []string{"calendar", "calendar event", "diary", "meeting", "agenda", "event", "family calendar", "schedule"}, Else: []Concept{Reminder}},
	List:     {Name: "list", Say: "lists", Seeds: []string{"shopping list", "list", "to do list", "todo", "groceries", "grocery list", "to do", "shopping"}, Else: []Concept{Reminder, Calendar, Timer, Device}, Carries: true},
	Media:    {Name: "media", Say: "music", Seeds: []string{"music", "song", "playlist", "radio", "media player", "tv", "volume", "play music", "podcast"}, Else: []Concept{Device}},
	Weather:  {Name: "weather", Say: "weather", Seeds: []string{"weather", "forecast", "rain", "weather forecast", "temperature outside"}, Else: []Concept{Lookup}},
	News:     {Name: "news", Say: "news", Seeds: []string{"news", "headlines", "current affairs"}, Else: []Concept{Lookup}},
	Lookup:   {Name: "lookup", Say: "a search", Seeds: []string{"search", "look up", "what is", "who is", "web search", "facts", "wikipedia", "definition", "web", "general knowledge", "internet search"}},
	Announce: {Name: "announce", Say: "the speakers", Seeds: []string{"speak", "say it out loud", "house speakers", "announce", "announcement", "broadcast", "speakers", "say out loud", "intercom announcement"}, Carries: true, Near: []Concept{Notify, Chat}},
	Notify:   {Name: "notify", Say: "a notification", Seeds: []string{"notify", "notification", "alert me", "remind my phone", "alert", "push notification"}, Carries: true, Near: []Concept{Announce, Chat}},
	Job:      {Name: "job", Say: "a job", Seeds: []string{"file a job", "plan this", "research this", "slow task", "work bench", "job", "research", "task for the work bench"}, Carries: true},
	Phone:    {Name: "phone", Say: "the phone", Seeds: []string{"phone screen", "tap", "open an app", "type on the phone", "scroll", "swipe", "phone control"}},
	Door:     {Name: "door", Say: "the front door", Seeds: []string{"visitor", "front door", "who is at the door", "doorbell", "door camera", "is the doorbell"}},
	Voice:    {Name: "voice", Say: "the house voice", Seeds: []string{"talk to the house voice", "house voice", "hey jervis", "jervis"}},
	Chat:     {Name: "chat", Say: "chat", Seeds: []string{"chat", "per-person chat", "dsh", "family chat", "chat message"}, Near: []Concept{Mail, Announce, Notify}},
	Bank:     {Name: "bank", Say: "banking", Seeds: []string{"bank", "bank account", "bank balance", "account balance", "balance", "credit card", "transactions", "payments"}},
	Book:     {Name: "book", Say: "booking", Seeds: []string{"booking", "restaurant booking", "reservation", "taxi", "flights", "hotel", "train tickets", "book a table", "tickets"}},
	Order:    {Name: "order", Say: "an order", Seeds: []string{"order", "takeaway", "food order", "online shopping", "buy"}},
	Chore:    {Name: "chore"},
	Admin:    {Name: "admin"},

	Gibberish: {Name: "gibberish"},
	Overview:  {Name: "overview", Say: "the day", Seeds: []string{"what do i have on", "what have i got on", "day summary", "my day", "what is on today"}, Else: []Concept{Calendar}},
	Bare:      {Name: "bare"},
}

// ByName is the concept of that name.
func ByName(name string) (Concept, bool) {
	for c, about := range Abouts {
		if about.Name == name {
			return Concept(c), true
		}
	}
	return 0, false
}
