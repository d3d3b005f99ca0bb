package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/askhub/askhub/chat"
)

const (
	getSettings = `SELECT person, answers, hinted FROM chat_threads WHERE thread = $1`
	codeBy      = `SELECT digits, thread, expires FROM chat_codes WHERE digits = $1 AND expires > $2`
	codeOf      = `SELECT digits, thread, expires FROM chat_codes WHERE thread = $1 AND expires > $2`
	codesFrom   = `SELECT count(*), min(expires) FROM chat_codes WHERE address = $1`
	countCodes  = `SELECT count(*) FROM chat_codes`
	spendCode   = `DELETE FROM chat_codes WHERE thread = $1`
	addCode     = `INSERT INTO chat_codes (digits, thread, address, expires) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
)

// Settings implements chat.Pairing.
func (c *Chat) Settings(ctx context.Context, t chat.Thread) (s chat.Settings, err error) {
	if err := chat.Plain(string(t)); err != nil {
		return s, err
	}
	var hinted int
	err = c.read.one(ctx, getSettings, []any{string(t)}, &s.Person, &s.Answers, &hinted)
	s.Hinted = hinted != 0
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return s, c.engine.Explain(err)
	}
	return s, nil
}

// SetUp implements chat.Pairing.
func (c *Chat) SetUp(ctx context.Context, t chat.Thread, change func(*chat.Settings)) (s chat.Settings, err error) {
	if err := chat.Plain(string(t)); err != nil {
		return s, err
	}
	err = c.write.do(ctx, &job{threads: []chat.Thread{t}, run: func(b *batch) error {
		r := b.row(t)
		s = r.settings
		change(&s)
		if err := chat.Plain(s.Person, string(s.Answers)); err != nil {
			return err
		}
		if s.Person != r.settings.Person || s.Answers != r.settings.Answers {
			r.settled(r.last)
			r.replyTo = ""
		}
		if s.Person != r.settings.Person {
			b.exec(spendCode, string(t))
		}
		r.settings = s
		b.touch(r)
		return b.fault
	}})
	if err != nil {
		return chat.Settings{}, err
	}
	return s, nil
}

// NewCode implements chat.Pairing.
func (c *Chat) NewCode(ctx context.Context, t chat.Thread, address string, now time.Time) (code chat.Code, err error) {
	if err := chat.Plain(string(t), address); err != nil {
		return code, err
	}
	// A page asks again and again: mostly there is one, and nothing to write.
	if code, err = c.Code(ctx, "", t, now); !errors.Is(err, chat.ErrUnknownCode) {
		return code, err
	}
	err = c.write.do(ctx, &job{run: func(b *batch) (err error) {
		code, err = b.newCode(t, address, now)
		return err
	}})
	return code, err
}

func (b *batch) newCode(t chat.Thread, address string, now time.Time) (chat.Code, error) {
	none := chat.Code{}
	code, err := scanCode(func(into ...any) error {
		return b.tx.QueryRowContext(b.ctx, codeOf, string(t), now.UnixNano()).Scan(into...)
	})
	if err == nil {
		return code, nil // another made it in between
	}
	if !errors.Is(err, sql.ErrNoRows) {
		b.failed(err)
		return none, err
	}
	wrote := b.wrote
	b.wrote = b.exec(dropCodes, now.UnixNano()) > 0 || wrote
	var from, all int
	var soonest sql.NullInt64
	if b.failed(b.tx.QueryRowContext(b.ctx, codesFrom, address).Scan(&from, &soonest)) ||
		b.failed(b.tx.QueryRowContext(b.ctx, countCodes).Scan(&all)) {
		return none, b.fault
	}
	switch {
	case from >= chat.MaxCodesPerAddress:
		return none, &chat.RateLimited{By: "address", After: timeOf(soonest.Int64).Sub(now)}
	case all >= chat.MaxCodes:
		return none, chat.ErrThreadLimit
	}
	code = chat.Code{Thread: t, Expires: timeOf(now.Add(chat.CodeLives).UnixNano())}
	for added := 0; added == 0 && b.fault == nil; { // until the digits are nobody else's
		code.Digits = chat.NewDigits()
		added = b.exec(addCode, code.Digits, string(t), address, code.Expires.UnixNano())
	}
	b.latest = now.UnixNano()
	return code, b.fault
}

// Code implements chat.Pairing.
func (c *Chat) Code(ctx context.Context, digits string, t chat.Thread, now time.Time) (chat.Code, error) {
	if err := chat.Plain(digits, string(t)); err != nil {
		return chat.Code{}, err
	}
	query, by := codeBy, digits
	if digits == "" {
		query, by = codeOf, string(t)
	}
	code, err := scanCode(func(into ...any) error { return c.read.one(ctx, query, []any{by, now.UnixNano()}, into...) })
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return chat.Code{}, chat.ErrUnknownCode
	case err != nil:
		return chat.Code{}, c.engine.Explain(err)
	}
	return code, nil
}

func scanCode(scan func(into ...any) error) (code chat.Code, err error) {
	var expires int64
	err = scan(&code.Digits, &code.Thread, &expires)
	code.Expires = timeOf(expires)
	return code, err
}
