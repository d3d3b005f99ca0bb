package api

import (
	"context"
	"net/http"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/record"
)

// Past reads earlier records, the oldest first.
type Past interface {
	Since(ctx context.Context, from time.Time, f func(record.Record) error) error
}

// What GET /records gives: the newest ones, of so long ago at most.
const (
	recordsShown  = 200
	recordsWithin = 48 * time.Hour
)

// recordList is the reply of GET /records.
type recordList struct {
	Records []recordReply `json:"records" doc:"The newest first; a project's own detail stands only in GET /ask/{id}."`
}

// recordDown is what is said where it cannot be read.
const recordDown = "The record cannot be read just now; try again."

// records serves GET /records: who asked what about whom, and how it came about.
func (s *Server) records(w http.ResponseWriter, r *http.Request, _ caller) *ask.Problem {
	if s.cfg.Past == nil {
		return ask.NewProblem(ask.CodeUnavailable, "", recordDown)
	}
	var newest []record.Record
	err := s.cfg.Past.Since(r.Context(), s.cfg.Now().Add(-recordsWithin), func(rec record.Record) error {
		if len(newest) == 2*recordsShown {
			newest = append(newest[:0], newest[recordsShown:]...)
		}
		newest = append(newest, rec)
		return nil
	})
	if err != nil {
		return storeFault(r.Context(), recordDown, err)
	}
	out := recordList{Records: []recordReply{}}
	for i := len(newest) - 1; i >= max(0, len(newest)-recordsShown); i-- {
		one := toRecord(&newest[i])
		for j := range one.Parts {
			one.Parts[j].Data = nil
		}
		if one.WayIn == config.ChatName {
			one = withoutWords(one)
		}
		out.Records = append(out.Records, one)
	}
	if err := ask.WriteJSON(w, &out); err != nil {
		s.measured.problem(ask.CodeInternal)
	}
	return nil
}

// withoutWords is a record without what was said, and without what was made of it: a chat
// is between its owner and the Hub.
func withoutWords(r recordReply) recordReply {
	r.Question, r.Reply, r.Choices, r.Decision.Why, r.Decision.Words = "", "", nil, "", nil
	for i := range r.Parts {
		r.Parts[i].Answer, r.Parts[i].Reason = "", ""
	}
	return r
}

var aboutRecords = about{
	summary:     "See what was asked",
	description: "The newest 200 records of the last 48 hours; of a chat without what was said in it.",
	reply:       recordList{}, codes: []ask.Code{ask.CodeUnavailable},
}
