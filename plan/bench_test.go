package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askhub/askhub/plan"
)

// fourCalls is a plan of two rounds over the tools of benchCatalogue.
const fourCalls = `{"intent":"lookup","reason":null,"calls":[` +
	`{"tool":"look0.find","args":{"sender":"the school office","since":"2026-11-01","folder":"inbox"}},` +
	`{"tool":"look1.find","args":{"sender":"Grandma","since":null,"folder":"archive"}},` +
	`{"tool":"look2.find","args":{"sender":"@r1.message_id","since":null,"folder":null}},` +
	`{"tool":"look3.find","args":{"sender":"@r2.message_id","since":"2026-12-24","folder":"sent"}}]}`

// benchCatalogue has n tools of three arguments.
func benchCatalogue(n int) string {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fmt.Sprintf(`{"id":"look%d.find","permission":"mail","description":"Finds mail.","args":{`+
			`"sender":{"type":"text","describe":"who wrote it","maxLength":120},`+
			`"since":{"type":"text","describe":"the first day","nullable":true,"maxLength":40},`+
			`"folder":{"type":"enum","describe":"which folder","values":["inbox","sent","archive"],"nullable":true}},`+
			`"attackerFields":["rows[].title"],`+
			`"outputs":{"message_id":{"path":"rows[].ref","describe":"the message's id"}}}`, i)
	}
	return `{"tools":[` + strings.Join(tools, ",") + `]}`
}

func BenchmarkValidate(b *testing.B) {
	for _, n := range []int{12, 120, 1200} {
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			c, err := plan.ParseCatalogue([]byte(benchCatalogue(n)))
			if err != nil {
				b.Fatal(err)
			}
			o := c.Offer(plan.Access{Permissions: c.Permissions()})
			reply := []byte(fourCalls)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := o.Validate(reply); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
