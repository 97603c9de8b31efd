package checks

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// FuzzCanonical: two JSON values have the same canonical text if and only if they are equal.
func FuzzCanonical(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"a": 1, "b": [true, null]}`, `{"b": [true, null], "a": 1.0}`}, {`1`, `"1"`}, {`[1, 2]`, `[2, 1]`},
		{`{"a,b": 1}`, `{"a": 1}`}, {`["a,b"]`, `["a", "b"]`}, {`1e2`, `100`}, {`-0`, `0`}, {`1e999999`, `2e999999`},
		{`"\u2028"`, `"\u2029"`}, {`null`, `"null"`}, {`{}`, `[]`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, x, y string) {
		a, errA := chat.DecodeJSON([]byte(x))
		b, errB := chat.DecodeJSON([]byte(y))
		if errA != nil || errB != nil {
			t.Skip()
		}
		same := string(appendCanonical(nil, a)) == string(appendCanonical(nil, b))
		if equal := jsonvalue.Equal(a, b); same != equal {
			t.Errorf("%s and %s: equal %v, same text %v", x, y, equal, same)
		}
	})
}

func TestCallKeys(t *testing.T) {
	t.Parallel()
	calls := []Call{
		{Name: "a"}, {Name: "b"}, {Name: "a", BadArgs: "{}"}, {Name: "a", BadArgs: "{"},
		{Name: "a", Args: map[string]any{"x": "1"}}, {Name: "a", Args: map[string]any{"x": 1.0}}, {Name: `a"{}`},
	}
	seen := map[string]int{}
	for i := range calls {
		key := callKey(&calls[i])
		if first, taken := seen[key]; taken {
			t.Errorf("calls %d and %d are the same: %s", first, i, key)
		}
		seen[key] = i
	}
	if callKey(&Call{Name: "a"}) != callKey(&Call{Name: "a", Args: map[string]any{}}) {
		t.Error("no arguments are not an empty object")
	}
}
