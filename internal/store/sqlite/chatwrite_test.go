package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askhub/askhub/chat"
	"github.com/askhub/askhub/internal/store"
)

// busyWriter keeps the store's one writing connection until it is let go.
func busyWriter(t *testing.T, db *DB) (free func()) {
	t.Helper()
	tx, err := db.Writer().Begin()
	if err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	free = func() { once.Do(func() { _ = tx.Rollback() }) }
	t.Cleanup(free)
	return free
}

// await waits until the store is as wanted.
func await(t *testing.T, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); !ok(); runtime.Gosched() {
		if time.Now().After(limit) {
			t.Fatal("the store did not come to that")
		}
	}
}

func operator(thread chat.Thread, text string) chat.Post {
	return chat.Post{Thread: thread, Author: chat.Operator, Text: text, Now: noon}
}

func count(t *testing.T, db *DB, query string) (n int) {
	t.Helper()
	if err := db.Reader().QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// posting are posts under way.
type posting struct {
	all  sync.WaitGroup
	errs []error
}

func post(c *store.Chat, posts ...chat.Post) *posting {
	p := &posting{errs: make([]error, len(posts))}
	for i := range posts {
		p.all.Go(func() { _, p.errs[i] = c.Append(context.Background(), posts[i]) })
	}
	return p
}

func TestAPostThatIsRefusedSpoilsNoOther(t *testing.T) {
	db := open(t, fresh(t))
	rules := chat.DefaultRules()
	rules.Threads = 30
	c := db.Chat(rules)
	free := busyWriter(t, db)
	var posts []chat.Post
	for i := range 60 { // of which only 30 may begin a thread
		posts = append(posts, operator(chat.Thread(fmt.Sprintf("%016x", i)), "x"))
	}
	p := post(c, posts...)
	free()
	p.all.Wait()
	kept := 0
	for _, err := range p.errs {
		switch {
		case err == nil:
			kept++
		case !errors.Is(err, chat.ErrThreadLimit):
			t.Error(err)
		}
	}
	if n := count(t, db, `SELECT count(*) FROM chat_messages`); kept != 30 || n != 30 {
		t.Errorf("%d were acknowledged and %d are kept, want 30", kept, n)
	}
}

func TestABatchIsKeptWholeOrNotAtAll(t *testing.T) {
	db := open(t, fresh(t))
	c := db.Chat(chat.DefaultRules())
	if _, err := c.Append(context.Background(), operator(filled, "first")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Writer().Exec(`CREATE TRIGGER broken BEFORE INSERT ON chat_messages WHEN NEW.body = 'break' BEGIN SELECT RAISE(ABORT, 'broken'); END`); err != nil {
		t.Fatal(err)
	}
	free := busyWriter(t, db)
	posts := []chat.Post{operator(filled, "a"), operator(filled, "break"), operator(filled, "b")}
	p := post(c, posts...)
	// All three wait before the writer can go on: what it took already waits with them.
	await(t, func() bool { s := c.Stats(); return s.Waiting+s.Taken == 3 })
	free()
	p.all.Wait()
	list, err := c.Whole(context.Background(), filled)
	if err != nil {
		t.Fatal(err)
	}
	acknowledged := 1
	for _, err := range p.errs {
		if err == nil {
			acknowledged++
		}
	}
	if len(list) != acknowledged || p.errs[1] == nil {
		t.Errorf("%d are kept, %d were acknowledged, errors %v", len(list), acknowledged, p.errs)
	}
	if _, err := db.Writer().Exec(`DROP TRIGGER broken`); err != nil {
		t.Fatal(err)
	}
	r, err := c.Append(context.Background(), operator(filled, "last"))
	if err != nil || r.Message.Epoch != list[len(list)-1].Epoch+1 {
		t.Errorf("after the fault: %+v, %v", r, err)
	}
}

func TestAPostWhoseCallerGoesBeforeItsTurnIsNotAdded(t *testing.T) {
	db := open(t, fresh(t))
	c := db.Chat(chat.DefaultRules())
	free := busyWriter(t, db)
	first := post(c, operator(filled, "first")) // the writer takes it and waits
	await(t, func() bool { s := c.Stats(); return s.Waiting == 0 && s.Taken == 1 })
	ctx, cancel := context.WithCancel(context.Background())
	var late error
	var all sync.WaitGroup
	all.Go(func() { _, late = c.Append(ctx, operator(filled, "late")) })
	await(t, func() bool { return c.Stats().Waiting == 1 })
	cancel()
	all.Wait()
	if !errors.Is(late, context.Canceled) {
		t.Errorf("the late one: %v", late)
	}
	free()
	first.all.Wait()
	if first.errs[0] != nil {
		t.Error(first.errs[0])
	}
	if _, err := c.Append(context.Background(), operator(filled, "second")); err != nil {
		t.Fatal(err)
	}
	list, err := c.Whole(context.Background(), filled)
	if err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAPostThatHadItsTurnIsAnsweredAsItWent(t *testing.T) {
	db := open(t, fresh(t))
	c := db.Chat(chat.DefaultRules())
	free := busyWriter(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var err error
	var all sync.WaitGroup
	all.Go(func() { _, err = c.Append(ctx, operator(filled, "x")) })
	await(t, func() bool { return c.Stats().Taken == 1 })
	cancel()
	free()
	all.Wait()
	if n := count(t, db, `SELECT count(*) FROM chat_messages`); err != nil || n != 1 {
		t.Errorf("%v, and %d are kept", err, n)
	}
}

func TestClosingWaitsForTheQueue(t *testing.T) {
	path := fresh(t)
	db, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	c := db.Chat(chat.DefaultRules())
	free := busyWriter(t, db)
	p := post(c, operator(filled, "a"), operator(filled, "b"), operator(filled, "c"))
	await(t, func() bool { s := c.Stats(); return s.Waiting+s.Taken == 3 })
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	free()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	p.all.Wait()
	if err := errors.Join(p.errs...); err != nil {
		t.Error(err)
	}
	if _, err := c.Append(context.Background(), operator(filled, "d")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("posted into a closed store: %v", err)
	}
	if n := count(t, open(t, path), `SELECT count(*) FROM chat_messages`); n != 3 {
		t.Errorf("%d are kept, want 3", n)
	}
}

func TestAChatWhoseStoreIsTakenAwaySaysSo(t *testing.T) {
	path := fresh(t)
	c := open(t, path).Chat(chat.DefaultRules())
	if _, err := c.Append(context.Background(), operator(filled, "x")); err != nil {
		t.Fatal(err)
	}
	for _, tail := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + tail); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Append(context.Background(), operator(filled, "y")); !errors.Is(err, ErrGone) {
		t.Errorf("posted: %v", err)
	}
}

func TestRefusalsWaitForNoDisk(t *testing.T) {
	db := open(t, fresh(t))
	c := db.Chat(chat.DefaultRules())
	p := operator(filled, "x")
	p.Address = "192.0.2.1"
	for range 20 {
		if _, err := c.Append(context.Background(), p); err != nil {
			t.Fatal(err)
		}
	}
	before := count(t, db, `SELECT version FROM chat_state`)
	for range 50 {
		if _, err := c.Append(context.Background(), p); err == nil {
			t.Fatal("a 21st passed")
		}
	}
	if after := count(t, db, `SELECT version FROM chat_state`); after != before {
		t.Errorf("50 refusals were %d writes", after-before)
	}
}

// An address is kept no longer than its window, and so is that of a pairing code.
func TestAddressesAreForgotten(t *testing.T) {
	db := open(t, fresh(t))
	rules := chat.DefaultRules()
	c := db.Chat(rules)
	ctx := context.Background()
	for i := range 1200 {
		p := operator(filled, "x")
		p.Thread, p.Address = chat.Thread(fmt.Sprintf("%016x", i%400)), fmt.Sprint("address ", i)
		p.Now = noon.Add(time.Duration(i%400) * time.Second)
		if _, err := c.Append(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.NewCode(ctx, filled, "192.0.2.9", noon); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Sweep(ctx, noon.Add(rules.Window+99*time.Second)); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, `SELECT count(*) FROM chat_addresses`); n != 900 {
		t.Errorf("%d addresses are kept, want 900", n)
	}
	if n := count(t, db, `SELECT count(*) FROM chat_codes`); n != 0 {
		t.Errorf("%d codes are kept", n)
	}
}

func TestItForgetsByItselfToo(t *testing.T) {
	path := fresh(t)
	synctest.Test(t, func(t *testing.T) {
		db := open(t, path)
		c := db.Chat(chat.DefaultRules())
		post := func(address string) {
			p := operator(filled, "x")
			p.Address, p.Now = address, time.Now()
			if _, err := c.Append(context.Background(), p); err != nil {
				t.Fatal(err)
			}
		}
		left := func() int {
			synctest.Wait()
			return count(t, db, `SELECT count(*) FROM chat_addresses`)
		}
		post("192.0.2.1")
		time.Sleep(6 * time.Minute)
		post("192.0.2.2")
		time.Sleep(4*time.Minute - time.Second)
		if n := left(); n != 2 {
			t.Errorf("%d of 2 are kept within the window", n)
		}
		time.Sleep(15 * time.Second)
		if n := left(); n != 1 {
			t.Errorf("%d are kept after the first one's window, want 1", n)
		}
		time.Sleep(6 * time.Minute)
		if n := left(); n != 0 {
			t.Errorf("%d are kept after the second one's window", n)
		}
	})
}

// A million addresses within one window: they are on the disk, and not in memory.
func TestAMillionAddressesTakeLittleMemory(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("a million rows take minutes")
	}
	db := open(t, quick(t))
	rules := roomy()
	rules.Window, rules.PerAddress = 24*time.Hour, 40
	c := db.Chat(rules)
	ctx := context.Background()
	if _, err := c.Append(ctx, operator(filled, "x")); err != nil {
		t.Fatal(err)
	}
	before := memory(t)
	// As the store writes them, without the posts that would take minutes.
	if err := manyAddresses(db.Writer(), 1_000_000); err != nil {
		t.Fatal(err)
	}
	for i := range 3_000 {
		p := operator(chat.Thread(fmt.Sprintf("%016x", i%500)), "x")
		p.Address, p.Now = fmt.Sprint("address ", (i*49_999)%1_000_000), noon.Add(time.Duration(i)*time.Second)
		if _, err := c.Append(ctx, p); err != nil && !strings.Contains(err.Error(), "rate limit") {
			t.Fatal(err)
		}
	}
	if grown := memory(t) - before; grown > 20<<20 {
		t.Errorf("a million addresses take %d MB of memory", grown>>20)
	} else {
		t.Logf("a million addresses take %.1f MB of memory", float64(grown)/1e6)
	}
}

// memory is what the process holds: SQLite's is not on Go's heap.
func memory(t *testing.T) int64 {
	t.Helper()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("there is no /proc here")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

func manyAddresses(db *sql.DB, n int) error {
	_, err := db.Exec(`INSERT INTO chat_addresses (address, newest, posts)
		WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $1 - 1)
		SELECT 'address ' || i, $2, $3 FROM n`, n, noon.UnixNano(), []byte{24, 176, 127, 28, 209, 84, 0, 0})
	return err
}
