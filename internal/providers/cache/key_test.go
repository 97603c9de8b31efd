package cache

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
)

// everything is a request that uses all that a request has.
func everything() *chat.Request {
	parts := []chat.Part{{Type: "text", Text: "Look:"}, {Type: "image", Media: &chat.Media{
		MIMEType: "image/png", Data: "QUJD", URL: "https://i.test/<a>.png", Detail: "low", Caption: "a & b",
		Width: 3, Height: 4, Duration: 1.5,
	}}}
	return &chat.Request{
		Messages: []chat.Message{
			{Role: chat.System, Content: "Be <brief> & kind."},
			{Role: chat.User, Content: "Where is Ä-1?", Parts: parts},
			{Role: chat.Assistant, ToolCalls: []chat.ToolCall{
				{ID: "c1", Name: "get_order", Args: map[string]any{
					"id": "A-1", "n": json.Number("12345678901234567890"), "deep": []any{nil, true, 1.5},
				}},
				{ID: "c2", Name: "get_order", BadArgs: `{"id":`},
			}, FinishReason: "tool_calls", Usage: &chat.Usage{InputTokens: 3}, CostUSD: new(0.5), LatencyMS: 7, Cached: true},
			{Role: chat.ToolRole, ToolResult: &chat.ToolResult{
				ID: "c1", Name: "get_order", Content: "{}", Parts: parts, LatencyMS: 9, Metadata: map[string]any{"x": 1},
			}},
			{Role: chat.ToolRole, ToolResult: &chat.ToolResult{
				ID: "c2", Name: "get_order", Error: "no JSON", ErrorType: chat.ErrorValidation,
			}},
		},
		Tools: []chat.Tool{
			{Name: "get_order", Description: "Looks up.", Schema: json.RawMessage(`{ "type": "object" }`)}, {Name: "ping"},
		},
		ToolChoice: "auto", Temperature: new(0.0), TopP: new(0.25), MaxTokens: new(64), Seed: new(int64(-7)), Stream: true,
		JSONSchema: json.RawMessage(`{"type": "array"}`), SchemaName: "order", JSON: true, Stop: []string{"END"},
		ReasoningEffort: "low", ParallelToolCalls: new(false), Extra: map[string]any{"top_k": 3, "a": "<b>"},
		Origin: chat.Origin{
			Scenario: "s", ScenarioAlias: "t", Region: "eu", Trial: 3, Turn: 1, Reply: 2, Persona: "p", Judge: "j", Step: "x",
			Vote: 2, Closing: "g",
		},
	}
}

// hosted is a provider with all that decides about its replies.
func hosted() *scenario.Provider {
	return &scenario.Provider{
		Meta: scenario.Meta{ID: "p"}, Type: "azure", Model: "m", BaseURL: "https://base.test", APIKey: "k",
		Headers: map[string]string{"X-Org": "b", "X-Api-Key": "secret"},
		Platform: &scenario.Platform{
			Type: "azure", Region: "r", Project: "q", Endpoint: "https://e.test", APIVersion: "v",
			Pos: diag.Pos{File: "f", Line: 1, Col: 2},
		},
		Unsupported: []string{"seed"}, Extra: json.RawMessage(`{"strict_tools": true}`),
	}
}

// TestKeysStay: replies are found again that were kept by any version of arena that had a cache.
func TestKeysStay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		spec          *scenario.Provider
		req           *chat.Request
		whole, closed string
	}{
		{"nothing", spec(), &chat.Request{},
			"a56905a7388c0efda08e8d0271617a45b27daf520e2b3c4616563d13a25ce41f",
			"9189d4c99adb73115c685f9d1bdece731801023f55315f930ecc00a7267387ea"},
		{"a question", spec(), question(),
			"37fa7574f50b4b9d56f91bcde25208d86e5ecd5999ce43b0bbdd7b2b019adea5",
			"2c425ea9ab0a6373b83a41e2e34b9b275b7e38039a6a3ef64337986d526fccff"},
		{"everything", hosted(), everything(),
			"4650ed857fa3ba17b2289c3334941d6bc8f1b91947a8d8e2eeebed3886ffbf37",
			"fb94f81b7421f2144a2b6bb8ea5b4890b00c9d6ef654889283b9cae4366861d7"},
	} {
		p := (&Store{}).Wrap(helloModel(), c.spec).(*cached)
		for closing, want := range map[string]string{"": c.whole, "guardrails": c.closed} {
			if got, err := p.key(c.req, closing); got != want || err != nil {
				t.Errorf("%s, closed by %q: got %s, %v, want %s", c.name, closing, got, err, want)
			}
		}
	}
	for _, c := range []struct {
		spec *scenario.Provider
		want string
	}{
		{spec(), "a43bc40b4e09b43c05b9cd0d5a878e69481d6b95b523de5c0a411e976b9ef57a"},
		{hosted(), "ee6fb37f743f24a60254b4608ebac48ab6af7e4abfabc3e098972dd3afda0610"},
	} {
		s := &Store{Dir: t.TempDir()}
		if _, err := s.WrapEmbedder(&words{}, c.spec).Embed(t.Context(), []string{"a", "bc"}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(s.Dir, c.want[:2], c.want+".json")); err != nil {
			t.Errorf("embeddings of %s have another key: %v", c.spec.Type, err)
		}
	}
}

// TestPlaceHasEverything changes each field of a provider by itself. It changes the key, or is listed here because the
// request tells it, or because replies do not depend on it. Somebody has to decide about a field that is new.
func TestPlaceHasEverything(t *testing.T) {
	t.Parallel()
	inRequest := []string{
		"Temperature", "TopP", "MaxTokens", "Tuning.Stop", "Tuning.ReasoningEffort", "Tuning.ParallelToolCalls",
		"Tuning.ReplyFormat", "Tuning.ReplySchema", "Tuning.SchemaName", "Tuning.Body",
	}
	// Settings of additional_config, which is part of the key as a whole.
	inExtra := []string{"Tuning.StrictTools", "Tuning.ThinkingBudget", "Tuning.APIVersion", "Tuning.APIMode", "Tuning.ReasoningSummary",
		"Tuning.Gemini"}
	indifferent := []string{
		"Meta.Alias", "Meta.Pos", "Meta.Labels", "File", "Dir", "Role", "Group", "GroupPos", "APIKey", "KeyUnset", "MisplacedKey", "Unset", "Grouped", "KeyEnv", "KeyFile", "KeyPos",
		"Platform.Pos", "Tuning.FormatPos", "Tuning.PromptCaching", "Pricing", "Prices", "RPS", "Burst", "Capabilities",
		"RequestTimeout", "StreamIdleTimeout",
		"MaxConcurrent", "Transport", "Breaker", "Retry",
	}
	simulated := []string{"MockFile", "MockPos", "Mock", "Replay"} // what costs nothing is not cached
	agents := []string{"Program", "HTTP"}                          // nor what an agent says, who acts
	listed := slices.Concat(inRequest, inExtra, indifferent, simulated, agents)

	described := hosted()
	key := func() string {
		got, err := (&Store{}).Wrap(helloModel(), described).(*cached).key(question(), "")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	before, decide := key(), 0
	var visit func(v reflect.Value, path string)
	visit = func(v reflect.Value, path string) {
		for field, value := range v.Fields() {
			name := path + field.Name
			at := slices.Index(listed, name)
			switch {
			case at < 0 && value.Kind() == reflect.Struct:
				visit(value, name+".")
				continue
			case at < 0 && value.Kind() == reflect.Pointer && !value.IsNil():
				visit(value.Elem(), name+".")
				continue
			}
			old := reflect.ValueOf(value.Interface())
			value.Set(another(value))
			if changed := key() != before; changed == (at >= 0) {
				t.Errorf("%s: the key changes: %v; the test lists it as not deciding: %v", name, changed, at >= 0)
			}
			value.Set(old)
			if at < 0 {
				decide++
			} else {
				listed = slices.Delete(listed, at, at+1)
			}
		}
	}
	visit(reflect.ValueOf(described).Elem(), "")
	if key() != before || len(listed) > 0 || decide != 12 {
		t.Errorf("%d fields decide; %v are listed, and no fields of a provider", decide, listed)
	}
}

// another is a value other than v.
func another(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(v.String() + "x")
	case reflect.Bool:
		out.SetBool(!v.Bool())
	case reflect.Int, reflect.Int32, reflect.Int64:
		out.SetInt(v.Int() + 1)
	case reflect.Float64:
		out.SetFloat(v.Float() + 1)
	case reflect.Pointer:
		out.Set(reflect.New(v.Type().Elem()))
	case reflect.Map:
		out.Set(reflect.MakeMap(v.Type()))
		out.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(v.Type().Elem()))
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			out.SetBytes([]byte(`{"x":1}`))
			return out
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len()+1, v.Len()+1))
	case reflect.Struct:
		for _, field := range out.Fields() {
			field.Set(another(field))
		}
	default:
		panic("a provider has a field of kind " + v.Kind().String())
	}
	return out
}
