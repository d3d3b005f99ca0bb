package wyoming

// Transcript is what was heard.
type Transcript struct {
	Text string `json:"text"`
	// Language is a BCP 47 tag; it may be empty.
	Language string            `json:"language"`
	Context  TranscriptContext `json:"context"`
}

// TranscriptContext is where it was heard, as far as the assistant says so.
type TranscriptContext struct {
	// Conversation is the same for sentences that belong together.
	Conversation string `json:"conversation_id"`
	// Satellite and Device are what the assistant calls the one who listened.
	Satellite string `json:"satellite_id"`
	Device    string `json:"device_id"`
}

// Answer is what is said to a transcript.
type Answer struct {
	Text string
	// Handled is false where nobody here could do anything with the words, so that the
	// assistant may try somebody else.
	Handled bool
}

type spoken struct {
	Text string `json:"text"`
}

type pong struct {
	Text string `json:"text,omitzero"`
}

// info is what a describe is answered with. Services of other kinds are empty lists.
type info struct {
	Handle    []program `json:"handle"`
	ASR       []program `json:"asr"`
	TTS       []program `json:"tts"`
	Intent    []program `json:"intent"`
	Wake      []program `json:"wake"`
	Mic       []program `json:"mic"`
	Sound     []program `json:"snd"`
	Satellite *struct{} `json:"satellite,omitzero"`
}

type artifact struct {
	Name        string      `json:"name"`
	Attribution attribution `json:"attribution"`
	Installed   bool        `json:"installed"`
	Description string      `json:"description"`
	Version     string      `json:"version"`
}

type attribution struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type program struct {
	artifact

	Models []model `json:"models"`
	// HomeControl says that what is asked for may be done in the house.
	HomeControl bool `json:"supports_home_control"`
	Streaming   bool `json:"supports_handled_streaming"`
}

type model struct {
	artifact

	// Languages is empty: words of any language are taken, and handed on as they are.
	Languages []string `json:"languages"`
}

// describe is this service.
func describe(version string) info {
	self := artifact{
		Name: "askhub", Attribution: attribution{Name: "askhub"}, Installed: true, Version: version,
		Description: "The question hub of the household",
	}
	none := []program{}
	return info{
		Handle: []program{{artifact: self, Models: []model{{artifact: self, Languages: []string{}}}, HomeControl: true}},
		ASR:    none, TTS: none, Intent: none, Wake: none, Mic: none, Sound: none,
	}
}
