package main

import (
	"errors"
	"time"

	"github.com/askhub/askhub/internal/admin"
	"github.com/askhub/askhub/internal/config"
)

// demoAdmin is where the demo's adult enrols this browser, with a code that lives ten minutes.
func demoAdmin(e *env, cfg *config.Config) (address string, err error) {
	db, err := openStore(e, cfg)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	code, text := admin.NewCode("sam", time.Now())
	if _, err := db.admin().NewCode(e.ctx, code, false); err != nil {
		return "", err
	}
	return cfg.AdminOrigin(cfg.Admin.Listen) + "/enrol#code=" + text, nil
}
