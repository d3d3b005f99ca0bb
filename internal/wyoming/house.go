package wyoming

import (
	"context"
	"strings"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/askedback"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/hub"
	"github.com/askhub/askhub/internal/hub/dispatch"
	"github.com/askhub/askhub/internal/hub/reply"
	"github.com/askhub/askhub/internal/hub/routing"
	"github.com/askhub/askhub/internal/pace"
)

// WayIn is the name under which the record has questions that came by this protocol. No
// configured way in has it.
const WayIn = config.WyomingName

// source is what says where it was asked.
const source = "esp32"

// Hub answers one question.
type Hub interface {
	Ask(ctx context.Context, req hub.Request) hub.Reply
}

// Place is a device: as whom it asks, and in which room it stands.
type Place struct {
	Asker ask.Asker
	Room  string
}

// House asks the Hub for the devices of a household. It is safe for concurrent use.
type House struct {
	Hub Hub
	// Places are by what the assistant calls a satellite or a device; Else is all others.
	Places map[string]Place
	Else   Place
	// Limits hold all devices together.
	Limits *pace.Limiter
	Now    func() time.Time
	// Observe is told of each answer; it may be nil.
	Observe func(handled bool)

	asked askedback.Memory
}

// maxConversation is the longest id of a conversation that is kept.
const maxConversation = 200

// Answer has the Hub answer what was heard.
func (h *House) Answer(ctx context.Context, t Transcript) Answer {
	a := h.answer(ctx, t)
	if h.Observe != nil {
		h.Observe(a.Handled)
	}
	return a
}

func (h *House) answer(ctx context.Context, t Transcript) Answer {
	place := h.place(t.Context)
	req := hub.Request{
		Question: ask.Question{Question: strings.TrimSpace(t.Text), Asker: place.Asker, Source: source},
		WayIn:    WayIn, Want: reply.Speech, Heard: dispatch.Heard{Room: place.Room},
	}
	if dispatch.LanguageTag(t.Language) {
		req.Heard.Language = t.Language
	}
	if req.Question.Question == "" {
		return Answer{Text: "I heard nothing."}
	}
	if p := req.Question.Validate(); p != nil {
		if p.Code == ask.CodeQuestionTooLong {
			return Answer{Text: "That was too long for me; say it in fewer words."}
		}
		return Answer{Text: "I could not make that out."}
	}
	if _, ok := h.Limits.Enter(h.Now()); !ok {
		return Answer{Text: "That was too much at once; ask again in a minute."}
	}
	defer h.Limits.Leave()
	return h.ask(ctx, req, t.Context.Conversation)
}

// ask asks, continuing what was asked back in the same conversation.
func (h *House) ask(ctx context.Context, req hub.Request, conversation string) Answer {
	talk := askedback.Talk{WayIn: WayIn, Asker: string(req.Asker), Mark: conversation}
	kept := conversation != "" && len(conversation) <= maxConversation
	if kept {
		req.InReplyTo = h.asked.Take(talk, h.Now())
	}
	r := h.Hub.Ask(ctx, req)
	if kept && askedback.Continues(r.Status) {
		h.asked.Put(talk, r.ID, h.Now())
	}
	return Answer{Text: r.Reply, Handled: r.Status != routing.StatusNoMatch && r.Status != routing.StatusUnavailable}
}

// place is where it was heard: the satellite's own place, or the device's, or anywhere.
func (h *House) place(c TranscriptContext) Place {
	for _, id := range []string{c.Satellite, c.Device} {
		if p, known := h.Places[id]; known && id != "" {
			return p
		}
	}
	return h.Else
}
