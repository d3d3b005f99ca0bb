package chat

import (
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

// ErrCode is the machine's name of an error on the wire.
type ErrCode string

// The codes of spec 3, and two for a store that cannot keep anything just now.
const (
	CodeUnauthorized ErrCode = "unauthorized"
	CodeBodyTooLarge ErrCode = "body_too_large"
	CodeTextTooLong  ErrCode = "text_too_long"
	CodeRateLimited  ErrCode = "rate_limited"
	CodeThreadLimit  ErrCode = "thread_limit"
	CodeMethod       ErrCode = "method_not_allowed"
	CodeBadRequest   ErrCode = "bad_request"
	CodeGone         ErrCode = "gone"
	CodeStorageFull  ErrCode = "storage_full"
	CodeUnavailable  ErrCode = "unavailable"
)

// codes is the closed set, with each code's status and, where the contract fixes it,
// its text.
var codes = map[ErrCode]struct {
	status int
	text   string
}{
	CodeUnauthorized: {http.StatusUnauthorized, "missing or malformed X-Chat-Token"},
	CodeBodyTooLarge: {http.StatusRequestEntityTooLarge, "text too long (max 4000 chars)"},
	CodeTextTooLong:  {http.StatusRequestEntityTooLarge, "text too long (max 4000 chars)"},
	CodeRateLimited:  {http.StatusTooManyRequests, "rate limit reached"},
	CodeThreadLimit:  {http.StatusInsufficientStorage, "thread limit reached"},
	CodeMethod:       {http.StatusMethodNotAllowed, "Method not allowed"},
	CodeBadRequest:   {http.StatusBadRequest, "bad request"},
	CodeGone:         {http.StatusGone, "gone: post to /api/chat/post.php"},
	CodeStorageFull:  {http.StatusInsufficientStorage, "there is no room left to keep the message"},
	CodeUnavailable:  {http.StatusServiceUnavailable, "the chat cannot be read or written just now; try again"},
}

// Codes are all codes with their statuses.
func Codes() map[ErrCode]int {
	all := make(map[ErrCode]int, len(codes))
	for code, c := range codes {
		all[code] = c.status
	}
	return all
}

// Retry says whether the same call may pass later.
func (c ErrCode) Retry() bool { return c == CodeRateLimited || c == CodeUnavailable }

// problem is an error on its way to the wire.
type problem struct {
	code ErrCode
	// text replaces the code's usual one.
	text  string
	after time.Duration
}

// problemBody is what the wire has of it.
type problemBody struct {
	Success bool    `json:"success"`
	Error   string  `json:"error"`
	Code    ErrCode `json:"code"`
	// RetryAfterMS goes with rate_limited only.
	RetryAfterMS int64 `json:"retry_after_ms,omitzero"`
	// Use is where a retired address points.
	Use string `json:"use,omitzero"`
}

// unread says whether the call was refused before its body was read.
func (p *problem) unread() bool {
	switch p.code {
	case CodeMethod, CodeGone, CodeUnauthorized, CodeBodyTooLarge:
		return true
	}
	return false
}

func bad(text string) *problem { return &problem{code: CodeBadRequest, text: text} }

// write is the one writer of errors.
func (p *problem) write(w http.ResponseWriter) {
	c := codes[p.code]
	body := problemBody{Error: c.text, Code: p.code}
	if p.text != "" {
		body.Error = p.text
	}
	if p.after > 0 {
		// Never sooner than it passes, so both are rounded up.
		body.RetryAfterMS = int64((p.after + time.Millisecond - 1) / time.Millisecond)
		w.Header().Set("Retry-After", strconv.FormatInt(seconds(p.after), 10))
	}
	if p.code == CodeGone {
		body.Use = SuccessorPath
		w.Header().Set("Link", "<"+SuccessorPath+`>; rel="successor-version"`)
	}
	writeJSON(w, c.status, &body)
}

// writeJSON writes a whole reply. Nobody but the asker keeps one.
func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types are fixed and the texts are checked, so a test meets this first
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(len(b)))
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
