package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/askhub/askhub/internal/config"
	"github.com/askhub/askhub/internal/localca"
	"github.com/askhub/askhub/internal/reach"
)

// localCA is the two files of a new local CA, none where it is not wanted. Where one is
// there already it is kept, after it has proved to be whole.
func (c *initCmd) localCA(dir string) ([]newFile, error) {
	if !c.LocalCA {
		return nil, nil
	}
	_, noCert := os.Stat(filepath.Join(dir, config.LocalCAName))
	_, noKey := os.Stat(filepath.Join(dir, config.LocalCAKeyName))
	if !errors.Is(noCert, fs.ErrNotExist) || !errors.Is(noKey, fs.ErrNotExist) {
		if errors.Is(noCert, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s is there without %s: bring that back from a backup, or move the key away for a new CA", filepath.Join(dir, config.LocalCAKeyName), config.LocalCAName)
		}
		if _, err := reach.LoadCA(&config.Config{Dir: dir}); err != nil {
			return nil, err
		}
	}
	// Where they are there, these are not written.
	host, err := c.publicHost(dir)
	if err != nil {
		return nil, err
	}
	hosts := localca.Hosts(host, "127.0.0.1")
	name := "askhub local CA"
	if machine, err := os.Hostname(); err == nil {
		name += " of " + machine
	}
	now := time.Now()
	cert, key, err := localca.New(name+now.Format(", 2006-01-02"), hosts, now)
	if err != nil {
		return nil, fmt.Errorf("the local CA cannot be made: %w", err)
	}
	return []newFile{
		{config.LocalCAKeyName, "the local CA's key: whoever has it can pose as this Hub", key},
		{config.LocalCAName, "the local CA, which phones install", cert},
	}, nil
}

// publicHost is the host that the CA must be able to vouch for; empty where none is named.
func (c *initCmd) publicHost(dir string) (string, error) {
	if c.PublicURL != "" {
		host := hostOf(c.PublicURL)
		if host == "" {
			return "", exitError{exitUsage, errors.New("--public-url must be an address, like https://askhub.home:8420")}
		}
		return host, nil
	}
	cfg, err := config.Load(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return cfg.PublicHost(), nil
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// tellCA says what is left to do until a phone trusts the Hub. It never edits an
// askhub.toml that was there.
func (c *initCmd) tellCA(e *env, cfg *config.Config) error {
	ca, err := reach.LoadCA(cfg)
	if err != nil {
		return err
	}
	for _, host := range []string{cfg.PublicHost(), hostOf(c.PublicURL)} {
		if host != "" && !ca.Covers(host) {
			return reach.Uncovered(cfg.Dir, host)
		}
	}
	fmt.Fprintf(e.stdout, "\nThe local CA is %q. Its SHA-256 fingerprint, to compare on each phone:\n  %s\n",
		ca.Certificate().Subject.CommonName, localca.Fingerprint(ca.Certificate()))
	if lines := c.missingLines(cfg); len(lines) > 0 {
		fmt.Fprintf(e.stdout, "\n%s was there and stays as it is. Put into it, above its first [table]:\n", filepath.Join(cfg.Dir, config.FileName))
		for _, line := range lines {
			fmt.Fprintf(e.stdout, "  %s\n", line)
		}
		_, err := fmt.Fprintln(e.stdout, "\nThen start the Hub again; \"askhub doctor --qr\" gives the address for a phone.")
		return err
	}
	address := reach.Address(cfg)
	if address == "" {
		_, err := fmt.Fprintln(e.stdout, "\nNo phone can reach the Hub yet: set listen in askhub.toml to "+strconv.Quote(openListen)+", or public_url to the address that people type.")
		return err
	}
	return offerQR(e, "Once the Hub runs, open this on each phone and follow its steps:", address, c.QR)
}

// missingLines are what a config that was there needs for the local CA.
func (c *initCmd) missingLines(cfg *config.Config) []string {
	var lines []string
	if cfg.TLS != config.TLSLocalCA {
		line := `tls = "local-ca"`
		if cfg.TLS != "" {
			line += " # in place of tls = " + strconv.Quote(cfg.TLS) + " and what belongs to it"
		}
		lines = append(lines, line)
	}
	if c.PublicURL != "" && cfg.PublicURL == "" {
		lines = append(lines, "public_url = "+strconv.Quote(c.PublicURL))
	}
	if host, _, err := net.SplitHostPort(cfg.Listen); len(lines) > 0 && err == nil && config.Loopback(host) {
		lines = append(lines, "listen = "+strconv.Quote(openListen)+" # in place of listen = "+strconv.Quote(cfg.Listen))
	}
	return lines
}
