package chat

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// SuccessorPath is where the retired address points: one write path, one truth.
const SuccessorPath = "/api/chat/post.php"

// calls of the wire.
const (
	callPost   = "post"
	callPoll   = "poll"
	callStream = "stream"
	callPair   = "pair"
	callQR     = "qr"
	callGone   = "gone"
)

// paths has every address of the wire: the native ones, and the old ones, so that an
// existing client moves by changing its host.
var paths = map[string]string{
	"/api/chat/post":                             callPost,
	"/api/chat/post.php":                         callPost,
	"/spaces/newos4/api/chat/post.php":           callPost,
	"/api/chat/poll":                             callPoll,
	"/api/chat/poll.php":                         callPoll,
	"/spaces/newos4/api/chat/poll.php":           callPoll,
	"/api/chat/stream":                           callStream,
	"/api/chat/pair":                             callPair,
	"/api/chat/qr":                               callQR,
	"/api/debug/agent-replies.php":               callGone,
	"/spaces/newos4/api/debug/agent-replies.php": callGone,
}

// Paths are the addresses that a Handler answers at, in order.
func Paths() []string {
	list := make([]string, 0, len(paths))
	for p := range paths {
		list = append(list, p)
	}
	slices.Sort(list)
	return list
}

// methods are what each call takes.
var methods = map[string][]string{
	callPost:   {http.MethodPost},
	callPoll:   {http.MethodGet, http.MethodHead},
	callStream: {http.MethodGet},
	callPair:   {http.MethodGet, http.MethodHead, http.MethodPost},
	callQR:     {http.MethodGet, http.MethodHead},
	callGone:   {http.MethodPost},
}

// Config is what a Handler is built from.
type Config struct {
	Store   Store
	Pairing Pairing
	// Rules say who answers where a thread has no setting.
	Rules Rules
	// Address is where a request comes from; PeerAddress where it is nil. A server behind a
	// trusted proxy gives another.
	Address func(*http.Request) netip.Addr
	// Origins are the browser origins of other hosts that may call, such as
	// https://os.example.
	Origins []string
	// Name is a person as others know them; where it is nil, as the setting has it.
	Name func(person string) string
	// QR draws the link by which another device takes the token along, as SVG.
	QR func(r *http.Request, t Token) ([]byte, error)
	// Now is the clock.
	Now func() time.Time
	// Done ends the streams when it is closed: they would keep a server from stopping.
	Done <-chan struct{}
	// Observe is told of each call and its code, empty where it went well; it may be nil.
	Observe func(call string, code ErrCode)
	// Log gets causes that are nobody else's business.
	Log *slog.Logger
}

// Handler serves the chat's wire at Paths.
type Handler struct {
	cfg     Config
	streams streams
	// longs has a value for each long page under way.
	longs chan struct{}
}

// NewHandler is a Handler over cfg.
func NewHandler(cfg Config) *Handler {
	if cfg.Address == nil {
		cfg.Address = PeerAddress
	}
	if cfg.Name == nil {
		cfg.Name = func(person string) string { return person }
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Observe == nil {
		cfg.Observe = func(string, ErrCode) {}
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	return &Handler{cfg: cfg, longs: make(chan struct{}, maxLong)}
}

// ServeHTTP answers one call. The order of its checks is the contract's: method, token,
// size, JSON, text, limits, thread count, and then the store.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call, known := paths[r.URL.Path]
	if !known {
		http.NotFound(w, r)
		return
	}
	if h.crossOrigin(w, r, call) {
		return
	}
	p := h.answer(w, r, call)
	if p == nil {
		h.cfg.Observe(call, "")
		return
	}
	h.cfg.Observe(call, p.code)
	if p.unread() && r.ContentLength != 0 {
		linger(w, r, func() { p.write(w) })
		return
	}
	p.write(w)
}

func (h *Handler) answer(w http.ResponseWriter, r *http.Request, call string) *problem {
	if !slices.Contains(methods[call], r.Method) {
		w.Header().Set("Allow", strings.Join(methods[call], ", "))
		return &problem{code: CodeMethod}
	}
	if call == callGone { // it is gone for everybody
		return &problem{code: CodeGone}
	}
	token, ok := TokenFrom(r)
	if !ok {
		return &problem{code: CodeUnauthorized}
	}
	if call != callPost && r.ContentLength != 0 { // nobody wants it, but it is in the way
		if _, p := readBody(w, r); p != nil {
			return p
		}
	}
	thread := token.Thread()
	switch call {
	case callPost:
		return h.post(w, r, thread)
	case callStream:
		return h.stream(w, r, thread)
	case callPair:
		return h.pair(w, r, thread)
	case callQR:
		return h.qr(w, r, token)
	default:
		return h.poll(w, r, thread)
	}
}

func (h *Handler) post(w http.ResponseWriter, r *http.Request, t Thread) *problem {
	text, author, p := readPost(w, r)
	if p != nil {
		return p
	}
	key, p := readKey(r)
	if p != nil {
		return p
	}
	got, err := h.cfg.Store.Append(r.Context(), Post{
		Thread: t, Author: author, Text: text, Now: h.cfg.Now(), Key: key, Address: AddressKey(h.cfg.Address(r)),
	})
	if err != nil {
		return h.fault(r.Context(), err)
	}
	m := &got.Message
	writeJSON(w, http.StatusCreated, &Posted{Success: true, ID: m.ID, Epoch: m.Epoch, TS: m.TS(), Thread: t})
	return nil
}

func (h *Handler) poll(w http.ResponseWriter, r *http.Request, t Thread) *problem {
	since, p := readSince(r)
	if p != nil {
		return p
	}
	page, sent, err := h.page(r.Context(), t, since)
	if err != nil {
		return h.fault(r.Context(), err)
	}
	defer sent()
	out := page.Wire(t)
	writeJSON(w, http.StatusOK, &out)
	return nil
}

// fault is what a caller learns of a store's error; the cause goes to the log.
func (h *Handler) fault(ctx context.Context, err error) *problem {
	var limited *RateLimited
	switch {
	case errors.As(err, &limited):
		return &problem{code: CodeRateLimited, text: limited.Error(), after: limited.After}
	case errors.Is(err, ErrThreadLimit):
		return &problem{code: CodeThreadLimit}
	case errors.Is(err, ErrFull):
		h.cfg.Log.Error("the chat's store is full", "cause", err)
		return &problem{code: CodeStorageFull}
	case errors.Is(err, errBusy):
		return &problem{code: CodeUnavailable, text: "too many long chats are being read just now; try again"}
	case ctx.Err() != nil: // nobody waits for the answer
		return &problem{code: CodeUnavailable}
	}
	h.cfg.Log.Error("the chat's store failed", "cause", err)
	return &problem{code: CodeUnavailable}
}
