// Command bare is what the Hub's start is measured against: the least net/http
// program that opens the Hub's SQLite file and answers GET /health.
package main

import (
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"

	_ "modernc.org/sqlite" // the Hub's own driver
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

// run takes the address and the file of the store.
func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: bare ADDRESS FILE")
	}
	db, err := sql.Open("sqlite", "file:"+args[1]+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)")
	if err != nil {
		return err
	}
	defer db.Close()
	var tables int
	if err := db.QueryRow("SELECT count(*) FROM sqlite_master").Scan(&tables); err != nil {
		return fmt.Errorf("the store: %w", err)
	}
	http.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintln(w, `{"ok":true}`)
	})
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		return err
	}
	return http.Serve(l, nil)
}
