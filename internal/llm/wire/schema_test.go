package wire

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestASchemaLosesItsBoundsAndNothingElse(t *testing.T) {
	const in = `{"type":"object","properties":{"maxLength":{"type":"string","maxLength":9},"b":{"anyOf":[{"type":["string","null"],"pattern":"^a"},{"type":"array","maxItems":3,"items":{"type":"string","enum":["pattern"]}}]},` +
		`"a":{"type":"integer","minimum":0,"maximum":100}},"required":["maxLength","b","a"],"additionalProperties":false}`
	const want = `{"type":"object","properties":{"maxLength":{"type":"string"},"b":{"anyOf":[{"type":["string","null"]},{"type":"array","items":{"type":"string","enum":["pattern"]}}]},` +
		`"a":{"type":"integer"}},"required":["maxLength","b","a"],"additionalProperties":false}`
	got, err := Unbounded([]byte(in))
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, bad := range []string{"", "{", `{"a":1}{}`, `{"a":1,"a":2}`, "\xff"} {
		if got, err := Unbounded([]byte(bad)); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}

func FuzzASchemaStaysOneDocument(f *testing.F) {
	f.Add([]byte(`{"properties":{"a":{"maxLength":1}},"items":[{"maximum":1}]}`))
	f.Add([]byte(`[[{}],null,"x"]`))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := Unbounded(in)
		if (err == nil) != jsontext.Value(in).IsValid() {
			t.Fatalf("%q: %v", in, err)
		}
		if err != nil {
			return
		}
		again, err := Unbounded(out)
		if err != nil || string(again) != string(out) {
			t.Fatalf("%q became %q and then %q, %v", in, out, again, err)
		}
	})
}
