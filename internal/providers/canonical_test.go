package providers

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// indifferent are the fields of a request that decide nothing about its reply, and why.
var indifferent = map[string]string{
	"Messages.FinishReason":         "how an earlier reply came about",
	"Messages.Usage":                "how an earlier reply came about",
	"Messages.CostUSD":              "how an earlier reply came about",
	"Messages.LatencyMS":            "how an earlier reply came about",
	"Messages.Cached":               "how an earlier reply came about",
	"Messages.Validations":          "what guardrails said of an earlier reply; what they made of it is its content",
	"Messages.Original":             "what a guardrail took away",
	"Messages.LeftOut":              "how an earlier reply came about",
	"Caching":                       "what a server keeps changes the price and not the reply",
	"Messages.State":                "the models are not told",
	"Messages.ModelCalls":           "how an earlier reply came about",
	"Origin.Tool":                   "the call itself says what is asked for",
	"Origin.PersonaAlias":           "another name of the persona, which is there",
	"Messages.Unreported":           "for checks; the model does not see it",
	"Origin.Attempt":                "the cache puts it into its keys itself",
	"Origin.Repetition":             "the cache puts it into its keys itself",
	"Messages.ToolCalls.Written":    "the arguments again, for those who look for what must be hidden",
	"Messages.ToolResult.LatencyMS": "how the result came about",
	"Messages.ToolResult.Metadata":  "for checks; the model does not see it",
	"Messages.ToolResult.Agent":     "for checks; the model does not see it",
	"Messages.ToolResult.Notice":    "for the user; the model does not see it",
	"Messages.ToolResult.Doubt":     "for the user; the model does not see it",
	"Messages.Parts.Media.Local":    "without it a call with a path fails; the cache looks at the content",

	"Messages.ToolResult.Parts.Media.Local": "without it a call with a path fails",

	"Messages.Generated.Persona":                whoWrote,
	"Messages.Generated.Role":                   whoWrote,
	"Messages.Generated.Provider":               whoWrote,
	"Messages.Generated.Model":                  whoWrote,
	"Messages.Generated.FinishReason":           whoWrote,
	"Messages.Generated.Ends":                   whoWrote,
	"Messages.Generated.Usage.InputTokens":      whoWrote,
	"Messages.Generated.Usage.OutputTokens":     whoWrote,
	"Messages.Generated.Usage.CachedTokens":     whoWrote,
	"Messages.Generated.Usage.CacheWriteTokens": whoWrote,
	"Messages.Generated.Usage.ReasoningTokens":  whoWrote,
	"Messages.Generated.Usage.Estimated":        whoWrote,
	"Messages.Generated.CostUSD":                whoWrote,
	"Messages.Generated.LatencyMS":              whoWrote,
	"Messages.Generated.Cached":                 whoWrote,
}

// whoWrote is why it decides nothing who wrote a message of the user.
const whoWrote = "how a message of the user came about; no model is told"

// TestCanonicalHasEverything changes every field of a request, one at a time: each changes the form, or is listed
// above. A field that is new is neither, and somebody has to decide.
func TestCanonicalHasEverything(t *testing.T) {
	t.Parallel()
	req := &chat.Request{}
	set(reflect.ValueOf(req).Elem())
	before, seen := canonical(t, req), map[string]bool{}
	eachField(reflect.ValueOf(req).Elem(), "", func(path string, change func() (undo func())) {
		_, listed := indifferent[path]
		seen[path] = true
		undo := change()
		if after := canonical(t, req); (after == before) != listed {
			t.Errorf("%s: the form changes: %v; it is listed as indifferent: %v", path, after != before, listed)
		}
		undo()
	})
	if after := canonical(t, req); after != before {
		t.Errorf("the test did not undo its changes:\n%s\n%s", before, after)
	}
	for path := range indifferent {
		if !seen[path] {
			t.Errorf("%s is listed, and no field of a request", path)
		}
	}
	if len(seen) < 50 {
		t.Errorf("only %d fields were found", len(seen))
	}
}

// TestCanonicalIsSparse: what a request does not use is not in its form, save for the names of the first version.
func TestCanonicalIsSparse(t *testing.T) {
	t.Parallel()
	const want = `{"Messages":[{"role":"user","content":"Hi"}],"Tools":null,"ToolChoice":"","Temperature":null,` +
		`"TopP":null,"MaxTokens":null,"Seed":null,"Stream":false,"JSONSchema":null,"Extra":null,"Origin":` +
		`{"Scenario":"","ScenarioAlias":"","Region":"","Trial":0,"Turn":0,"Reply":0,"Persona":"","Judge":"","Step":""}}`
	got := canonical(t, &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}})
	if got != want {
		t.Errorf("replies that were paid for are not found again:\ngot  %s\nwant %s", got, want)
	}
}

func canonical(t *testing.T, req *chat.Request) string {
	t.Helper()
	data, err := json.Marshal(Canonical(req))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// set fills a value in all its depth.
func set(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for _, field := range v.Fields() {
			set(field)
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		set(v.Elem())
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":1}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		set(v.Index(0))
	case reflect.Interface: // of the program, not of the request
	default:
		v.Set(other(v))
	}
}

// other is a value other than that of v.
func other(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(v.String() + "x")
	case reflect.Bool:
		out.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		out.SetInt(v.Int() + 1)
	case reflect.Float64:
		out.SetFloat(v.Float() + 0.5)
	case reflect.Map:
		out.Set(reflect.ValueOf(map[string]any{"k": float64(v.Len())}))
		if v.Len() > 0 {
			out.Set(reflect.ValueOf(map[string]any{"k": 7}))
		}
	case reflect.Slice:
		out.SetBytes([]byte(`{"a":2}`))
	default:
		panic("a request has a field of kind " + v.Kind().String())
	}
	return out
}

// eachField visits the fields of a filled value. Those below one that is indifferent are not visited.
func eachField(v reflect.Value, path string, visit func(path string, change func() (undo func()))) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			if _, listed := indifferent[name]; listed {
				field := v.Field(i)
				visit(name, func() func() {
					old := reflect.ValueOf(field.Interface())
					field.SetZero()
					return func() { field.Set(old) }
				})
				continue
			}
			eachField(v.Field(i), name, visit)
		}
	case reflect.Interface: // of the program, not of the request
	case reflect.Pointer:
		eachField(v.Elem(), path, visit)
	case reflect.Slice:
		if v.Type() != reflect.TypeFor[json.RawMessage]() {
			eachField(v.Index(0), path, visit)
			return
		}
		fallthrough
	default:
		visit(path, func() func() {
			old := reflect.ValueOf(v.Interface())
			v.Set(other(v))
			return func() { v.Set(old) }
		})
	}
}
