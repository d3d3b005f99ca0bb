package api

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/askhub/askhub/ask"
	"github.com/askhub/askhub/ask/approve"
	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/logtest"
	"github.com/askhub/askhub/internal/pairing"
	"github.com/askhub/askhub/internal/record"
)

var errDisk = errors.New("disk I/O error at /secret/path")

// broken is a record and a chat whose store fails.
type broken struct{ pairing.Desk }

func (broken) Get(context.Context, string) (record.Record, error) {
	return record.Record{}, errDisk
}

func (broken) Code(context.Context, string, chat.Thread, time.Time) (chat.Code, error) {
	return chat.Code{}, errDisk
}

func (broken) SetUp(context.Context, chat.Thread, func(*chat.Settings)) (chat.Settings, error) {
	return chat.Settings{}, errDisk
}

// brokenApprovals are approvals whose store fails.
type brokenApprovals struct{ Approvals }

func (brokenApprovals) List(context.Context) ([]approve.Approval, error) { return nil, errDisk }

func (brokenApprovals) Get(context.Context, string) (approve.Approval, error) {
	return approve.Approval{}, errDisk
}

func (brokenApprovals) Decide(context.Context, approve.Decision) (approve.Approval, error) {
	return approve.Approval{}, errDisk
}

// Whatever store fails behind whatever call, its caller may try again and learns nothing of the
// cause, and the log has it.
func TestAStoreThatFailsIsToldInTheLogAlone(t *testing.T) {
	said := &logtest.Log{}
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(said, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	s := serve(t)
	s.notices.err = errDisk
	s.server.cfg.Desk, s.server.cfg.Records, s.server.cfg.Past = broken{}, broken{}, &earlier{fault: errDisk}
	s.server.cfg.Approvals = brokenApprovals{}
	id := strings.Repeat("a", 32)
	for _, c := range []struct{ method, path, token, body string }{
		{"POST", "/notify", projectToken, goodNotice},
		{"GET", "/notices", adminToken, ""},
		{"GET", "/records", adminToken, ""},
		{"GET", "/ask/" + record.NewID(), kitchenToken, ""},
		{"POST", "/chat/pair", adminToken, `{"code":"12345678","person":"sam"}`},
		{"POST", "/chat/pair", adminToken, `{"thread":"a1b2c3d4e5f60718","person":"sam"}`},
		{"GET", "/approvals", adminToken, ""},
		{"GET", "/approvals/" + id, adminToken, ""},
		{"POST", "/approve", adminToken, `{"id":"` + id + `","decision":"yes","digest":"` + strings.Repeat("0", 64) + `"}`},
	} {
		told := strings.Count(said.String(), errDisk.Error())
		status, _, body := s.call(c.method, c.path, c.token, c.body)
		if p := problemOf(t, body); status != 503 || p.Code != ask.CodeUnavailable || strings.Contains(body, "secret") {
			t.Errorf("%s %s gives %d %s", c.method, c.path, status, body)
		}
		if strings.Count(said.String(), errDisk.Error()) != told+1 {
			t.Errorf("%s %s: the log has %s", c.method, c.path, said)
		}
	}
}
