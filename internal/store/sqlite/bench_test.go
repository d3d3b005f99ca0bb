package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"testing"

	"github.com/askhub/askhub/internal/record"
	"github.com/askhub/askhub/internal/record/recordtest"
)

// BenchmarkSave is a sustained flow of saves, by records in a batch.
func BenchmarkSave(b *testing.B) {
	for _, n := range []int{1, 10, 100, 500} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			db := open(b, fresh(b))
			b.ReportAllocs()
			for b.Loop() {
				batch := record.Batch{Records: make([]record.Record, n), Counts: []record.Count{{Day: "2026-10-10", WayIn: "phone", Status: "answered", N: int64(n)}}}
				for i := range batch.Records {
					batch.Records[i] = recordtest.Example()
				}
				if err := db.Records().Save(context.Background(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/record")
		})
	}
}

// BenchmarkOpen is opening a store that is up to date; Bare is the same file with one
// query and no checks.
func BenchmarkOpen(b *testing.B) {
	path := fresh(b)
	db, err := Open(context.Background(), path)
	if err != nil {
		b.Fatal(err)
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	b.Run("askhub", func(b *testing.B) {
		for b.Loop() {
			db, err := Open(context.Background(), path)
			if err != nil {
				b.Fatal(err)
			}
			_ = db.Close()
		}
	})
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			db, err := sql.Open("sqlite", address(path))
			if err != nil {
				b.Fatal(err)
			}
			var n int
			if err := db.QueryRow(`SELECT count(*) FROM sqlite_master`).Scan(&n); err != nil {
				b.Fatal(err)
			}
			_ = db.Close()
		}
	})
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			db, err := Open(context.Background(), fresh(b))
			if err != nil {
				b.Fatal(err)
			}
			_ = db.Close()
		}
	})
}
