package answer

import (
	"fmt"
	"testing"

	"github.com/askhub/askhub/plan"
)

// fifty is a result of fifty rows.
func fifty() plan.Found {
	f := mails()
	row := f.Result.Rows[:3]
	f.Result.Rows = nil
	for i := range 50 {
		r := row[i%3]
		r.Ref = fmt.Sprintf("m-%d", i+1)
		f.Result.Rows = append(f.Result.Rows, r)
	}
	f.Result.Facts = fields{"unread": 34, "total": 50}
	return f
}

func BenchmarkCheck(b *testing.B) {
	found := []plan.Found{fifty()}
	for name, s := range map[string]string{
		"count":  "You have 34 unread mails.",
		"quoted": "The newest mail is titled “Trip to York: money due”, from “School Office”, and came today at 8:15.",
		"part":   "34 of the 50 mails are unread.",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Check(s, plan.IntentLookup, found, anna()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
