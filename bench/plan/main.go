// Command plan measures how long the verdict on a four-call plan takes, from bytes,
// beside the validator that AJV compiles from the same schema, in turns in one run.
// It needs Node, and once "npm install" in bench/plan.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/askhub/askhub/plan"
)

// reply is a plan of two rounds over the tools of catalogue.
const reply = `{"intent":"lookup","reason":null,"calls":[` +
	`{"tool":"look0.find","args":{"sender":"the school office","since":"2026-11-01","folder":"inbox"}},` +
	`{"tool":"look1.find","args":{"sender":"Grandma","since":null,"folder":"archive"}},` +
	`{"tool":"look2.find","args":{"sender":"@r1.message_id","since":null,"folder":null}},` +
	`{"tool":"look3.find","args":{"sender":"@r2.message_id","since":"2026-12-24","folder":"sent"}}]}`

func main() {
	rounds := flag.Int("rounds", 7, "how often each side has its turn")
	each := flag.Int("n", 200_000, "how many verdicts a turn")
	flag.Parse()
	if err := run(context.Background(), *rounds, *each); err != nil {
		fmt.Fprintln(os.Stderr, "plan:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, rounds, each int) error {
	dir, err := os.MkdirTemp("", "plan-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, tools := range []int{12, 120, 1200} {
		o, err := offer(tools)
		if err != nil {
			return err
		}
		for name, doc := range map[string][]byte{"schema.json": o.Schema(), "plan.json": []byte(reply)} {
			if err := os.WriteFile(filepath.Join(dir, name), doc, 0o600); err != nil {
				return err
			}
		}
		if _, err := turn(o, each); err != nil { // warm, as the peer is
			return err
		}
		var ours, theirs []float64
		for range rounds {
			ns, err := turn(o, each)
			if err != nil {
				return err
			}
			ours = append(ours, ns)
			if tools > 120 { // AJV takes minutes to compile so many, and its time does not hang on them
				continue
			}
			if ns, err = ajv(ctx, dir, each); err != nil {
				return err
			}
			theirs = append(theirs, ns)
		}
		fmt.Printf("%4d tools: plan %s", tools, spread(ours))
		if theirs != nil {
			fmt.Printf(", AJV %s, ratio of the medians %.2f", spread(theirs), median(ours)/median(theirs))
		}
		fmt.Println()
	}
	return nil
}

func offer(n int) (*plan.Offer, error) {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = fmt.Sprintf(`{"id":"look%d.find","permission":"mail","description":"Finds mail.","args":{`+
			`"sender":{"type":"text","describe":"who wrote it","maxLength":120},`+
			`"since":{"type":"text","describe":"the first day","nullable":true,"maxLength":40},`+
			`"folder":{"type":"enum","describe":"which folder","values":["inbox","sent","archive"],"nullable":true}},`+
			`"attackerFields":["rows[].title"],`+
			`"outputs":{"message_id":{"path":"rows[].ref","describe":"the message's id"}}}`, i)
	}
	c, err := plan.ParseCatalogue([]byte(`{"tools":[` + strings.Join(tools, ",") + `]}`))
	if err != nil {
		return nil, err
	}
	return c.Offer(plan.Access{Permissions: c.Permissions()}), nil
}

// turn is the nanoseconds of one verdict.
func turn(o *plan.Offer, n int) (float64, error) {
	doc := []byte(reply)
	start := time.Now()
	for range n {
		if _, err := o.Validate(doc); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(start)) / float64(n), nil
}

func ajv(ctx context.Context, dir string, n int) (float64, error) {
	cmd := exec.CommandContext(ctx, "node", "ajv.cjs", dir, strconv.Itoa(n))
	cmd.Dir, cmd.Stderr = filepath.Join("bench", "plan"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("AJV (run this at the top of the repository, after npm install in bench/plan): %w", err)
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

func median(values []float64) float64 {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}

func spread(values []float64) string {
	return fmt.Sprintf("%.0f ns (%.0f to %.0f)", median(values), slices.Min(values), slices.Max(values))
}
