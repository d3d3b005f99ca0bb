package askserve

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/askhub/askhub/ask"
)

// approvals serves the project's approvals behind their own token; nil where it has none.
func (p *Project) approvals() (http.Handler, error) {
	if p.Approvals == nil {
		if p.ApprovalToken != "" {
			return nil, errors.New("give it Approvals, or no ApprovalToken")
		}
		return nil, nil
	}
	if err := p.ApprovalToken.Check(); err != nil {
		return nil, fmt.Errorf("ApprovalToken: %w", err)
	}
	if p.Approvals.Owner != p.Name {
		return nil, fmt.Errorf("its approvals are of %q; open them with the project's own name as Owner", p.Approvals.Owner)
	}
	digest := ask.Digest(p.ApprovalToken)
	if ask.SameDigest(digest, ask.Digest(p.Token)) {
		return nil, errors.New("give it an ApprovalToken other than its Token: who may ask may not approve")
	}
	next := p.Approvals.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if presents(w, r, digest) {
			next.ServeHTTP(w, r)
		}
	}), nil
}
