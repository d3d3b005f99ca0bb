package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/chat/chattest"
	"github.com/askhub/askhub/internal/jobs"
	"github.com/askhub/askhub/internal/jobs/jobstest"
	"github.com/askhub/askhub/internal/leaktest"
	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
	"github.com/askhub/askhub/internal/store"
	"github.com/askhub/askhub/internal/store/postgrestest"
)

// shared is the cluster of the tests that do not harm it. What survives a crash is
// another test's, with a cluster of its own.
var (
	shared = sync.OnceValues(func() (*postgrestest.Cluster, error) { return postgrestest.New("fsync=off", "full_page_writes=off") })
	begun  atomic.Bool
	number atomic.Int64
)

func TestMain(m *testing.M) {
	if address := os.Getenv("ASKHUB_TEST_CRASH_STORE"); address != "" {
		postForever(address)
	}
	if address := os.Getenv("ASKHUB_TEST_CRASH_APPROVALS"); address != "" {
		dieApproving(address)
	}
	code := m.Run()
	if begun.Load() {
		if c, err := shared(); err == nil {
			if err := c.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	if err := leaktest.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// cluster is the shared one.
func cluster(t testing.TB) *postgrestest.Cluster {
	t.Helper()
	begun.Store(true)
	c, err := shared()
	if errors.Is(err, postgrestest.ErrNotInstalled) {
		t.Skip("postgresql is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fresh is the address of an empty database.
func fresh(t testing.TB) string {
	t.Helper()
	address, err := cluster(t).Create(fmt.Sprint("test", number.Add(1)))
	if err != nil {
		t.Fatal(err)
	}
	return address
}

func open(t testing.TB, address string) *DB {
	t.Helper()
	db, err := Open(context.Background(), address, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func TestRecordsConform(t *testing.T) {
	recordtest.Run(t, func(t *testing.T) record.Store { return open(t, fresh(t)).Records() })
}

func TestJobsConform(t *testing.T) {
	jobstest.Store(t, func(t *testing.T) jobs.Store { return open(t, fresh(t)).Jobs() })
}

func TestTheChatConforms(t *testing.T) {
	chattest.Store(t, func(t *testing.T, rules chat.Rules) chattest.Whole { return open(t, fresh(t)).Chat(rules) })
}

func TestSeveralHandlesOfOneChatConform(t *testing.T) {
	chattest.Shared(t, func(t *testing.T) func(*testing.T, chat.Rules) chattest.Whole {
		address := fresh(t)
		return func(t *testing.T, rules chat.Rules) chattest.Whole { return open(t, address).Chat(rules) }
	})
}

func TestSeveralOpenOneNewStoreAtOnce(t *testing.T) {
	address := fresh(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			db, err := Open(context.Background(), address, "")
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// refused opens an address that cannot be opened.
func refused(t *testing.T, address, password string, want error, text string) {
	t.Helper()
	db, err := Open(context.Background(), address, password)
	if err == nil {
		_ = db.Close()
		t.Fatal("opened")
	}
	if !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
		t.Errorf("%v\nwant %v, with %q", err, want, text)
	}
	if strings.Contains(err.Error(), "sesame") {
		t.Errorf("it says the password: %v", err)
	}
}

func TestWhatCannotBeOpenedSaysWhy(t *testing.T) {
	c := cluster(t)
	sql := func(t *testing.T, database, text string) {
		t.Helper()
		if _, err := c.SQL(database, text); err != nil {
			t.Fatal(err)
		}
	}
	sql(t, "postgres", "CREATE ROLE hub LOGIN PASSWORD 'open sesame'")
	sql(t, "postgres", "CREATE DATABASE theirs OWNER hub")
	t.Run("the right password", func(t *testing.T) {
		db, err := Open(context.Background(), c.TCP("hub", "theirs"), "open sesame")
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a wrong password", func(t *testing.T) {
		refused(t, c.TCP("hub", "theirs"), "shut sesame", ErrDenied, "STORE_PASSWORD")
	})
	t.Run("no password", func(t *testing.T) {
		t.Setenv("PGPASSFILE", os.DevNull)
		refused(t, c.TCP("hub", "theirs"), "", ErrDenied, "PGPASSFILE")
	})
	t.Run("a password in the address", func(t *testing.T) {
		for _, address := range []string{"postgres://hub:open sesame@127.0.0.1/theirs", "postgres://hub:opensesame@127.0.0.1/theirs", "postgres:///theirs?password=sesame"} {
			db, err := Open(context.Background(), address, "")
			if err == nil {
				_ = db.Close()
				t.Fatal("opened")
			}
			if strings.Contains(err.Error(), "sesame") {
				t.Error(err)
			}
		}
		refused(t, "postgres://hub:opensesame@127.0.0.1/theirs", "", ErrPassword, "secrets file")
	})
	t.Run("no server", func(t *testing.T) {
		refused(t, "postgres://hub@127.0.0.1:1/theirs?sslmode=disable", "sesame", ErrUnreachable, "see that it runs")
	})
	t.Run("no database", func(t *testing.T) { refused(t, c.URL("nowhere"), "", ErrMissing, "createdb") })
	t.Run("no address", func(t *testing.T) {
		refused(t, "mysql://hub@127.0.0.1/theirs", "", ErrAddress, "postgres://")
		refused(t, "postgres://hub@127.0.0.1:port/theirs?sslmode=sesame", "", ErrAddress, "postgres://")
	})
	t.Run("a stranger's database", func(t *testing.T) {
		sql(t, "postgres", "CREATE DATABASE another")
		refused(t, c.TCP("hub", "another"), "open sesame", ErrDenied, "owner")
	})
	t.Run("one that may only be read", func(t *testing.T) {
		sql(t, "postgres", "CREATE DATABASE standby")
		sql(t, "postgres", "ALTER DATABASE standby SET default_transaction_read_only = on")
		refused(t, c.URL("standby"), "", ErrReadOnly, "standby")
	})
	t.Run("a newer schema", func(t *testing.T) {
		address := fresh(t)
		if _, err := open(t, address).Writer().Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
			t.Fatal(err)
		}
		refused(t, address, "", store.ErrNewer, "schema 9999")
		if err := Check(context.Background(), address, ""); !errors.Is(err, store.ErrNewer) {
			t.Errorf("check: %v", err)
		}
	})
	t.Run("another clock", func(t *testing.T) {
		for off, want := range map[time.Duration]error{0: ErrUnsafe, 9 * time.Second: ErrUnsafe, -9 * time.Second: ErrUnsafe, time.Minute: ErrClock, -time.Minute: ErrClock} {
			err := check(context.Background(), fresh(t), "", func() time.Time { return time.Now().Add(off) })
			if !errors.Is(err, want) { // the test's cluster has fsync off, which comes after the clock
				t.Errorf("%s off: %v", off, err)
			}
		}
	})
	t.Run("nothing about it in what is shown", func(t *testing.T) {
		if got := Name("postgres://hub:sesame@db.example/theirs?password=sesame"); got != "postgres://hub@db.example/theirs" {
			t.Error(got)
		}
	})
}

func TestASettledServerIsAskedToWaitForTheDisk(t *testing.T) {
	address := fresh(t)
	name := address[strings.LastIndex(address, "/")+1 : strings.Index(address, "?")]
	if _, err := cluster(t).SQL("postgres", "ALTER DATABASE "+name+" SET synchronous_commit = off"); err != nil {
		t.Fatal(err)
	}
	var got string
	if err := open(t, address).Writer().QueryRow(`SHOW synchronous_commit`).Scan(&got); err != nil || got != "on" {
		t.Errorf("synchronous_commit is %s, %v", got, err)
	}
}
