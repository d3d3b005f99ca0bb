package main

import (
	"context"
	"errors"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/doctor"
	"github.com/askhub/askhub/internal/jobs"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/postgres"
	"github.com/askhub/askhub/internal/store/sqlite"
	"github.com/askhub/askhub/internal/timers"
)

// A state is the household's open store, of whichever kind.
type state struct {
	records record.Store
	// chat gives the chat's threads held to the rules; it ends with the store.
	chat      func(chat.Rules) *store.Chat
	approvals *store.Approvals
	jobs      jobs.Store
	timers    timers.Store
	// admin gives what the admin app keeps; it ends with the store.
	admin   func() *store.Admin
	notices *store.Notices
	close   func() error
}

// openStore opens the store that the config names.
func openStore(e *env, cfg *config.Config) (*state, error) {
	if !cfg.StoreIsServer() {
		db, err := sqlite.Open(e.ctx, cfg.Store)
		if err != nil {
			return nil, err
		}
		return &state{records: db.Records(), chat: db.Chat, approvals: db.Approvals(), jobs: db.Jobs(), timers: db.Timers(), admin: db.Admin, notices: db.Notices(), close: db.Close}, nil
	}
	found, err := secrets.Lookup(cfg.Secrets, e.environ(), config.StorePassword)
	if err != nil {
		return nil, err
	}
	db, err := postgres.Open(e.ctx, cfg.Store, found[config.StorePassword])
	if err != nil {
		return nil, err
	}
	return &state{records: db.Records(), chat: db.Chat, approvals: db.Approvals(), jobs: db.Jobs(), timers: db.Timers(), admin: db.Admin, notices: db.Notices(), close: db.Close}, nil
}

// checkStore reads the whole store in the doctor's words.
func checkStore(ctx context.Context, path string) error {
	err := sqlite.Check(ctx, path)
	switch {
	case errors.Is(err, sqlite.ErrLocked):
		return doctor.ErrStoreBusy
	case errors.Is(err, sqlite.ErrNotStore):
		return doctor.ErrStoreDamaged
	}
	return err
}

// checkServer looks at a PostgreSQL store in the doctor's words.
func checkServer(ctx context.Context, address, password string) error {
	err := postgres.Check(ctx, address, password)
	switch {
	case errors.Is(err, postgres.ErrUnreachable):
		return errors.Join(doctor.ErrStoreDown, err)
	case errors.Is(err, postgres.ErrClock):
		return errors.Join(doctor.ErrStoreClock, err)
	case errors.Is(err, postgres.ErrUnsafe):
		return errors.Join(doctor.ErrStoreUnsafe, err)
	}
	return err
}
