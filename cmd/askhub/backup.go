package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/notify/webpush"
	"github.com/askhub/askhub/internal/project/internet/linux"
	"github.com/askhub/askhub/internal/secrets"
	"github.com/askhub/askhub/internal/store/sqlite"
)

type backupCmd struct {
	File        string `arg:"" type:"path" help:"The backup to write, such as askhub.tar.gz. It must not be there yet."`
	Config      string `help:"The config folder. By default ~/.config/askhub." type:"path" placeholder:"DIR"`
	WithSecrets bool   `help:"Put the secrets file, the local CA's key and the push key in too. Whoever has the backup then has every token."`
}

// Help is the command's example.
func (backupCmd) Help() string {
	return "Works beside a running Hub. Local calendar files and tls_cert are not in it.\n\nExample:\n  askhub backup askhub-monday.tar.gz"
}

// Run writes the backup, whole or not at all.
func (c *backupCmd) Run(e *env) (err error) {
	cfg, err := loadConfig(e, c.Config)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(c.File); err == nil {
		return fmt.Errorf("%s is there already; name another file", c.File)
	}
	// Beside the backup: that is where there is room for it.
	work, err := os.MkdirTemp(filepath.Dir(c.File), ".askhub-backup-*")
	if err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	files, err := c.gather(e.ctx, cfg, work, e.environ())
	if err != nil {
		return err
	}
	packed := filepath.Join(work, "backup")
	if err := pack(e.ctx, packed, files); err != nil {
		return err
	}
	if err := placeNew(packed, c.File); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already; name another file", c.File)
	} else if err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	return c.tell(e, cfg, files)
}

// gather copies everything into work, where nothing changes while it is packed.
func (c *backupCmd) gather(ctx context.Context, cfg *config.Config, work string, environ []string) (map[string]string, error) {
	files := map[string]string{}
	from := map[string]string{
		config.FileName:    filepath.Join(cfg.Dir, config.FileName),
		config.RoutingName: cfg.RoutingPath(),
		config.PeopleName:  cfg.PeoplePath(),
	}
	if c.WithSecrets {
		// One that the Hub would refuse is not worth keeping.
		if _, err := secrets.Open(cfg.Secrets, environ); err != nil {
			return nil, err
		}
		from[secretsName] = cfg.Secrets
		from[config.LocalCAKeyName] = cfg.LocalCAKeyPath()
		from[webpush.KeyName] = filepath.Join(cfg.Dir, webpush.KeyName)
	}
	from[config.LocalCAName] = cfg.LocalCAPath()
	from[bedtimesName] = bedtimesPath(cfg)
	for name, path := range from {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && slices.Contains([]string{config.LocalCAName, config.LocalCAKeyName, webpush.KeyName, bedtimesName}, name) {
			continue // not every household has one
		}
		if err != nil {
			return nil, fmt.Errorf("the backup needs it: %w", err)
		}
		files[name] = filepath.Join(work, name)
		if err := os.WriteFile(files[name], text, 0o600); err != nil {
			return nil, err
		}
	}
	if path, ok := files[bedtimesName]; ok {
		if err := linux.CheckFile(path); err != nil {
			return nil, fmt.Errorf("%s: %w", from[bedtimesName], err)
		}
	}
	if cfg.StoreIsServer() {
		return files, nil
	}
	copied := filepath.Join(work, storeName)
	switch err := sqlite.Copy(ctx, cfg.Store, copied); {
	case errors.Is(err, fs.ErrNotExist): // the Hub has never run
	case err != nil:
		return nil, fmt.Errorf("the store: %w", err)
	default:
		files[storeName] = copied
	}
	return files, nil
}

// pack writes the backup and reads it again, as a restore would.
func pack(ctx context.Context, path string, files map[string]string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := writeArchive(ctx, f, files, time.Now()); err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	if err := f.Sync(); err != nil {
		return fmt.Errorf("the backup cannot be written: %w", err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		return err
	}
	if _, err := readArchive(ctx, f, ""); err != nil {
		return fmt.Errorf("the backup does not read back: %w", err)
	}
	return nil
}

func (c *backupCmd) tell(e *env, cfg *config.Config, files map[string]string) error {
	text := fmt.Sprintf("%s holds %s, %s, %s", c.File, config.FileName, config.RoutingName, config.PeopleName)
	if _, ok := files[bedtimesName]; ok {
		text += ", " + bedtimesName
	}
	if _, ok := files[storeName]; ok {
		text += " and the store"
	} else if cfg.StoreIsServer() {
		text += fmt.Sprintf(". The store is not in it: back it up with pg_dump %s", cfg.Redacted().Store)
	} else {
		text += "; there is no store yet"
	}
	_, hasCA := files[config.LocalCAName]
	_, hasKey := files[config.LocalCAKeyName]
	switch {
	case c.WithSecrets && hasKey:
		text += fmt.Sprintf(". It holds the secrets of %s and the local CA's key too: keep it as safe as those", cfg.Secrets)
	case c.WithSecrets:
		text += fmt.Sprintf(". It holds the secrets of %s too: keep it as safe as those", cfg.Secrets)
	case hasCA:
		text += ". The local CA is in it without its key, and the secrets are not; --with-secrets puts them in"
	default:
		text += ". The secrets are not in it; --with-secrets puts them in"
	}
	_, err := fmt.Fprintln(e.stdout, text+".")
	return err
}
