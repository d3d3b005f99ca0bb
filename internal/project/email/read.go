package email

import (
	"regexp"
	"strings"

	"github.com/askhub/askhub/plan"
)

// readQuestion makes a plan of a question by plain rules; ok is false where none fits.
// It sees the question alone, no data.
func readQuestion(question string) (call plan.Call, ok bool) {
	q := strings.Join(strings.Fields(strings.Trim(strings.ToLower(question), " ?!.")), " ")
	q = strings.NewReplacer("’", "'", "e-mail", "email").Replace(q)
	q, since := cutDay(q)
	state := plan.Argument{Name: "state", Null: true}
	if unreadWord.MatchString(q) {
		state = plan.Argument{Name: "state", Value: string(Unread)}
	}
	text := func(name, value string) plan.Argument {
		return plan.Argument{Name: name, Value: strings.TrimSpace(value), Null: value == ""}
	}
	who := firstGroup(q, fromWho, didWho)
	switch {
	case waitingWord.MatchString(q):
		return plan.Call{Tool: ToolWaiting}, true
	case fileWord.MatchString(q):
		name := firstGroup(q, fileName)
		if kind := fileKind.FindString(q); name == "" && kind != "" {
			name = strings.TrimSuffix(kind, "s")
		}
		return plan.Call{Tool: ToolAttachments, Args: []plan.Argument{text("name", name), text("sender", who)}}, true
	case who != "":
		return plan.Call{Tool: ToolFrom, Args: []plan.Argument{text("sender", who), text("about", firstGroup(q, aboutWhat)), state, text("since", since)}}, true
	}
	if about := firstGroup(q, aboutWhat); about != "" {
		return plan.Call{Tool: ToolAbout, Args: []plan.Argument{text("words", about), state, text("since", since)}}, true
	}
	switch {
	case newestWord.MatchString(q):
		return plan.Call{Tool: ToolNewest, Args: []plan.Argument{state}}, true
	case since != "" && (anyMail.MatchString(q) || mailWord.MatchString(q) || own.MatchString(q)):
		until := plan.Argument{Name: "until", Null: true}
		if onDay.MatchString(question) {
			until = plan.Argument{Name: "until", Value: since}
		}
		return plan.Call{Tool: ToolSince, Args: []plan.Argument{text("date", since), until, state}}, true
	case state.Value != "" || anyMail.MatchString(q):
		return plan.Call{Tool: ToolUnread}, true
	}
	return plan.Call{}, false
}

var (
	unreadWord  = regexp.MustCompile(`\b(?:unread|unopened|new)\b`)
	waitingWord = regexp.MustCompile(`\b(?:waiting (?:for|on) (?:me|my|us|a|an)|wait(?:s|ing)? for (?:me|my|a decision|an answer)|needs? (?:me|my|an? (?:answer|reply|response|decision))|need(?:s)? to (?:answer|reply|respond|decide)|(?:have|has|do i) (?:got )?(?:to )?(?:answer|reply|respond)|should (?:i|we) (?:answer|reply)|unanswered)\b`)
	fileWord    = regexp.MustCompile(`\b(?:attachments?|attached|files?|pdfs?)\b`)
	fileKind    = regexp.MustCompile(`\b(?:pdfs?|images?|videos?|calendars?|spreadsheets?)\b`)
	fileName    = regexp.MustCompile(`\b(?:called|named|about|with the name|for)\s+(?:the\s+)?(.+?)(?:\s+from\b.*)?$`)
	fromWho     = regexp.MustCompile(`\b(?:from|by)\s+(.+?)(?:\s+(?:about|regarding|in (?:my|the) (?:inbox|mail|email)|yet|lately|recently)\b.*)?$`)
	didWho      = regexp.MustCompile(`^(?:did|has|have)\s+(.+?)\s+(?:write|written|wrote|email(?:ed)?|mail(?:ed)?|reply|replied|answer(?:ed)?|respond(?:ed)?|send|sent|got(?:ten)? back|get back|been in touch)\b`)
	aboutWhat   = regexp.MustCompile(`\b(?:about|regarding|concerning|mention(?:s|ing)?)\s+(.+?)(?:\s+in (?:my|the) (?:inbox|mail|email))?$`)
	newestWord  = regexp.MustCompile(`\b(?:newest|latest|last|most recent)\b`)
	anyMail     = regexp.MustCompile(`\b(?:any|how many|got|have|check)\b.*\b(?:mails?|emails?|messages?|post|inbox)\b`)
	mailWord    = regexp.MustCompile(`\b(?:mails?|emails?|messages?|post|inbox|subject|came|arrived)\b`)
	own         = regexp.MustCompile(`\b(?:i|i've|we|we've|me|us|my|our)\b`) // a day of somebody else's is no question about the asker's mail
	dayWord     = regexp.MustCompile(`\s*\b(?:since|on|from|that came|of)?\s*\b(today|yesterday|monday|tuesday|wednesday|thursday|friday|saturday|sunday|\d{4}-\d{2}-\d{2})$`)
	onDay       = regexp.MustCompile(`(?i)\b(?:on\s+\w+day|yesterday)\b`)
)

// cutDay takes a day off the end of a question.
func cutDay(q string) (rest, day string) {
	at := dayWord.FindStringSubmatchIndex(q)
	if at == nil {
		return q, ""
	}
	return q[:at[0]], q[at[2]:at[3]]
}

// firstGroup is what the first pattern that fits found.
func firstGroup(s string, patterns ...*regexp.Regexp) string {
	for _, p := range patterns {
		if m := p.FindStringSubmatch(s); m != nil {
			return m[1]
		}
	}
	return ""
}
