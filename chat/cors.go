package chat

import (
	"net/http"
	"slices"
	"strings"
)

// crossOrigin lets pages of the configured origins read the answer, and answers a
// preflight itself: then it is true. A page of another origin gets no leave, and its
// browser keeps the answer from it.
func (h *Handler) crossOrigin(w http.ResponseWriter, r *http.Request, call string) (answered bool) {
	if len(h.cfg.Origins) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	origin := r.Header.Get("Origin")
	allowed := origin != "" && slices.Contains(h.cfg.Origins, origin)
	if allowed {
		w.Header().Set("Access-Control-Allow-Origin", origin)
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After")
	}
	if r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	if allowed {
		w.Header().Set("Access-Control-Allow-Methods", strings.Join(methods[call], ", "))
		w.Header().Set("Access-Control-Allow-Headers", TokenHeader+", Content-Type, "+KeyHeader+", Last-Event-ID")
		w.Header().Set("Access-Control-Max-Age", "600")
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}
