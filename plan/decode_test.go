package plan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/askhub/askhub/plan"
)

// Any one byte taken away, put in or changed leaves a reply that is strict JSON by
// jsontext's word, or one that is refused as none.
func TestAReplyIsStrictJSONOrRefused(t *testing.T) {
	o := archiveOffer(t)
	const reply = ` {"intent":"lookup", "reason":null,"calls":[{"tool":"find","args":{"who":"Ł\u0041","day":null}},` +
		`{"args":{"ref":"@r1.ref"} ,"tool":"read"},{"why":[1,{"a":"]"}],"tool":true}]}` + "\n"
	bytes := []byte("{}[]:,\"\\ \n\t\x00\x1f0-1.eEtnuax\x7f\x80\xc2\xc5\xed\xff")
	seen := map[bool]int{}
	judge := func(doc []byte) {
		_, err := o.Validate(doc)
		var why *plan.RefusedError
		refused := errors.As(err, &why) && why.Rule == plan.RuleNotJSON
		valid := jsontext.Value(doc).IsValid()
		if valid == refused {
			t.Errorf("strict JSON: %v, verdict: %v\n%q", valid, err, doc)
		}
		seen[valid]++
	}
	for i := range len(reply) {
		judge([]byte(reply[:i]))
		judge([]byte(reply[:i] + reply[i+1:]))
		for _, c := range bytes {
			judge(slices.Concat([]byte(reply[:i]), []byte{c}, []byte(reply[i:])))
			judge(slices.Concat([]byte(reply[:i]), []byte{c}, []byte(reply[i+1:])))
		}
	}
	if seen[true] < 100 || seen[false] < 100 {
		t.Errorf("the replies are too much alike: %v", seen)
	}
}

func TestOddReplies(t *testing.T) {
	o := archiveOffer(t)
	many := make([]string, 40)
	for i := range many {
		many[i] = `"a` + strings.Repeat("b", i) + `":1`
	}
	args := func(members ...string) string {
		return `{"intent":"lookup","reason":null,"calls":[{"tool":"find","args":{` + strings.Join(members, ",") + `}}]}`
	}
	for name, test := range map[string]struct {
		reply string
		rule  plan.Rule
	}{
		"an escaped name twice":      {args(`"who":"a"`, `"\u0077ho":"b"`), plan.RuleNotJSON},
		"many arguments":             {args(many...), plan.RuleUnknownArg},
		"many arguments, one twice":  {args(append(many, many[0])...), plan.RuleNotJSON},
		"half a surrogate pair":      {args(`"who":"\ud83d"`), plan.RuleNotJSON},
		"no UTF-8":                   {args("\"who\":\"\xff\""), plan.RuleNotJSON},
		"a bare control character":   {args("\"who\":\"a\x01\""), plan.RuleNotJSON},
		"a comment":                  {args(`"who":"a"`) + " // so", plan.RuleNotJSON},
		"very deep":                  {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), plan.RuleNotJSON},
		"deep where a text belongs":  {args(`"who":` + strings.Repeat("[", 500) + strings.Repeat("]", 500)), plan.RuleType},
		"the calls twice":            {`{"intent":"lookup","calls":[],"calls":[{"tool":"today","args":{}}]}`, plan.RuleNotJSON},
		"a byte order mark":          {"\ufeff" + args(`"who":"a"`), plan.RuleNotJSON},
		"longer than is read":        {`{"intent":"` + strings.Repeat("x", plan.MaxPlanBytes), plan.RuleNotJSON},
		"a fifth call that is wrong": {`{"intent":"lookup","calls":[1,2,3,4,{"tool":}]}`, plan.RuleNotJSON},
		"a text":                     {`"lookup"`, plan.RuleNotObject},
		"null":                       {`null`, plan.RuleNotObject},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := o.Validate([]byte(test.reply))
			var why *plan.RefusedError
			if !errors.As(err, &why) || why.Rule != test.rule {
				t.Errorf("got %v, want %s", err, test.rule)
			}
		})
	}
}

func TestAPlanKeepsNothingOfTheReply(t *testing.T) {
	o := archiveOffer(t)
	reply := []byte(`{"intent":"lookup","reason":null,"calls":[{"tool":"find","args":{"who":"Ann","day":"today","box":null}}]}`)
	p, err := o.Validate(reply)
	if err != nil {
		t.Fatal(err)
	}
	want := string(reply)
	clear(reply)
	if got := string(p.AppendJSON(nil)); got != want {
		t.Errorf("got %s", got)
	}
}
