//go:build unix

// Package postgrestest runs a real PostgreSQL for tests: a cluster of its own in a
// temporary folder, by an ordinary user also where root tests.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askhub/askhub/internal/freeport"
)

// ErrNotInstalled is a machine without PostgreSQL.
var ErrNotInstalled = errors.New("postgresql is not installed")

// Superuser owns the cluster and may connect to it by its socket, without a password.
const Superuser = "askhub"

// Cluster is one PostgreSQL.
type Cluster struct {
	// Dir holds everything of it.
	Dir string
	// Port is on loopback, and names the socket too.
	Port     int
	port     *freeport.Port
	bin      string
	account  *syscall.Credential
	settings []string
	server   *exec.Cmd
	done     chan error
	log      *os.File
}

// needed are the programs that a folder of PostgreSQL's must have.
var needed = []string{"postgres", "initdb", "pg_isready", "psql"}

// Find gives the folder of PostgreSQL's programs, the newest of Debian's where there are
// several.
func Find() (string, error) {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(folders, func(a, b string) int { return version(b) - version(a) })
	for _, dir := range append(folders, filepath.SplitList(os.Getenv("PATH"))...) {
		if !slices.ContainsFunc(needed, func(program string) bool {
			_, err := exec.LookPath(filepath.Join(dir, program))
			return err != nil
		}) {
			return dir, nil
		}
	}
	return "", ErrNotInstalled
}

func version(folder string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(folder)))
	return n
}

// Start is New for a test, which it skips where PostgreSQL is not installed. The cluster
// ends with the test.
func Start(t testing.TB, settings ...string) *Cluster {
	t.Helper()
	c, err := New(settings...)
	if errors.Is(err, ErrNotInstalled) {
		t.Skip("postgresql is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// New makes a cluster and runs it. Settings are as in postgresql.conf, such as "fsync=off".
func New(settings ...string) (c *Cluster, err error) {
	bin, err := Find()
	if err != nil {
		return nil, err
	}
	// Not a test's own folder, whose parents another user may not enter.
	dir, err := os.MkdirTemp("", "askhub-pg-")
	if err != nil {
		return nil, err
	}
	c = &Cluster{Dir: dir, bin: bin, settings: settings}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Close())
		}
	}()
	if c.account, err = ordinary(); err != nil {
		return nil, err
	}
	if c.account != nil {
		if err := os.Chown(dir, int(c.account.Uid), int(c.account.Gid)); err != nil {
			return nil, err
		}
	}
	if c.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	if c.port, err = freeport.Claim(); err != nil {
		return nil, err
	}
	c.Port = c.port.Number
	if out, err := c.command("initdb", "-D", c.data(), "-U", Superuser, "-E", "UTF8", "--locale=C.UTF-8",
		"--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return c, c.Run()
}

// ordinary is whom the server runs as where this process is root; nil otherwise.
func ordinary() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil is the process's own account
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
	}
	return nil, errors.New("PostgreSQL does not run as root, and there is no user postgres or nobody")
}

func (c *Cluster) data() string { return filepath.Join(c.Dir, "data") }

// command is one of PostgreSQL's programs, run by the cluster's account.
func (c *Cluster) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(c.bin, program), args...)
	cmd.Dir = c.Dir
	cmd.Env = append(os.Environ(), "PGHOST="+c.Dir, "PGPORT="+strconv.Itoa(c.Port), "PGUSER="+Superuser, "PGDATABASE=postgres", "HOME="+c.Dir)
	cmd.SysProcAttr = attributes(c.account)
	return cmd
}

// Run starts the server, again where it was stopped, and waits until it answers.
func (c *Cluster) Run() error {
	args := []string{
		"-D", c.data(), "-k", c.Dir, "-p", strconv.Itoa(c.Port), "-c", "listen_addresses=127.0.0.1",
		"-c", "shared_buffers=16MB", "-c", "max_connections=40", "-c", "unix_socket_permissions=0777",
	}
	for _, s := range c.settings {
		args = append(args, "-c", s)
	}
	c.server = c.command("postgres", args...)
	c.server.Stdout, c.server.Stderr = c.log, c.log
	if err := c.server.Start(); err != nil {
		return err
	}
	c.done = make(chan error, 1)
	go func(cmd *exec.Cmd, done chan<- error) { done <- cmd.Wait() }(c.server, c.done)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if c.command("pg_isready", "-q").Run() == nil {
			return nil
		}
		select {
		case err := <-c.done:
			c.done <- err
			return fmt.Errorf("PostgreSQL ended at its start: %w\n%s", err, c.Log())
		case <-ctx.Done():
			return fmt.Errorf("PostgreSQL did not answer within a minute\n%s", c.Log())
		case <-tick.C:
		}
	}
}

// Log is what the server has said.
func (c *Cluster) Log() string {
	text, _ := os.ReadFile(filepath.Join(c.Dir, "log"))
	return string(text)
}

// Stop stops the server: fast after finishing what it does, or at once, as by a crash.
func (c *Cluster) Stop(atOnce bool) error {
	if c.server == nil || c.server.Process == nil {
		return nil
	}
	sig := syscall.SIGINT
	if atOnce {
		sig = syscall.SIGQUIT
	}
	_ = c.server.Process.Signal(sig) // it may have ended already
	select {
	case <-c.done: // how it ended is told by its log
	case <-time.After(30 * time.Second):
		_ = c.server.Process.Kill()
		<-c.done
		return errors.New("PostgreSQL did not stop within 30 s")
	}
	c.server = nil
	return nil
}

// Close stops the server and takes everything of it away.
func (c *Cluster) Close() error {
	err := c.Stop(true)
	if c.port != nil {
		err = errors.Join(err, c.port.Release())
	}
	if c.log != nil {
		err = errors.Join(err, c.log.Close())
	}
	return errors.Join(err, os.RemoveAll(c.Dir))
}

// SQL runs statements as the superuser and gives what they print, one row a line.
func (c *Cluster) SQL(database, text string) (string, error) {
	out, err := c.command("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", text).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", text, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

// Whole looks through every index of a database and the table behind it.
func (c *Cluster) Whole(database string) error {
	_, err := c.SQL(database, `CREATE EXTENSION IF NOT EXISTS amcheck;
		SELECT bt_index_check(c.oid, true) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE a.amname = 'btree' AND n.nspname = 'public'`)
	return err
}

// Folder makes a folder that the server may write, for a tablespace.
func (c *Cluster) Folder(path string) error {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if c.account == nil {
		return nil
	}
	return os.Chown(path, int(c.account.Uid), int(c.account.Gid))
}

// Create makes an empty database and gives its URL, by the socket.
func (c *Cluster) Create(name string) (string, error) {
	_, err := c.SQL("postgres", "CREATE DATABASE "+name)
	return c.URL(name), err
}

// URL is a database's, by the socket.
func (c *Cluster) URL(database string) string {
	q := url.Values{"host": {c.Dir}, "port": {strconv.Itoa(c.Port)}, "user": {Superuser}, "sslmode": {"disable"}}
	return (&url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: q.Encode()}).String()
}

// TCP is a database's URL for a user with a password, by loopback.
func (c *Cluster) TCP(user, database string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", user, c.Port, database)
}
