package checks

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// TestContextSources: the first source with chunks is used, and a judge sees exactly these chunks.
func TestContextSources(t *testing.T) {
	t.Parallel()
	calls := []Call{
		{Name: "search", Result: `["one", {"text": "two", "source": "b.md"}, "", null, 3]`},
		{Name: "search", Result: `{"total": 2, "results": ["four", "five"], "took": 1}`},
		{Name: "search", Result: "[not JSON"},
		{Name: "search", Result: "[]"},
		{Name: "search", Error: "index is down", Result: `["never"]`},
		{Name: "lookup", Result: `{"title": "six", "tags": ["x"]}`},
		{Name: "typed", Result: []any{"seven", "eight"}},
		{Name: "parts", Parts: []chat.Part{{Type: "text", Text: "nine"}, {Type: "text", Text: " ten"}}},
	}
	metadata := map[string]any{
		"list": []any{"m1", "", map[string]any{"id": 1}}, "texts": []string{"m2", "m3"}, "text": "m4", "none": []any{},
		"null": nil, "blank": " ", "number": 7,
	}
	for _, tc := range []struct {
		name, params string
		want         []string
		problem      string
	}{
		{"a list", `{"contexts": ["a", "b"], "context": "c", "context_field": "text"}`, []string{"a", "b"}, ""},
		{"one text as a list", `{"contexts": "a"}`, []string{"a"}, ""},
		{"not texts", `{"contexts": [1, {"k": "v"}, ["x"], null, " "]}`, []string{"1", `{"k":"v"}`, `["x"]`}, ""},
		{"an empty list", `{"contexts": [], "context": "c"}`, []string{"c"}, ""},
		{"an empty text", `{"contexts": [""], "context": "", "context_field": "text"}`, []string{"m4"}, ""},
		{"metadata", `{"context_field": "list"}`, []string{"m1", `{"id":1}`}, ""},
		{"metadata of a host", `{"context_field": "texts"}`, []string{"m2", "m3"}, ""},
		{"metadata before tools", `{"context_field": "text", "context_from_tool": "search"}`, []string{"m4"}, ""},
		{"a number", `{"context_field": "number"}`, []string{"7"}, ""},
		{
			"a tool", `{"context_field": "none", "context_from_tool": "search"}`,
			[]string{"one", `{"source":"b.md","text":"two"}`, "3", "four", "five", "[not JSON"}, "",
		},
		{"an object that is no list", `{"context_from_tool": "lookup"}`, []string{`{"tags":["x"],"title":"six"}`}, ""},
		{"a decoded result", `{"context_from_tool": "typed"}`, []string{"seven", "eight"}, ""},
		{"a result in parts", `{"context_from_tool": "parts"}`, []string{"nine ten"}, ""},
		{"a key that is not there", `{"context_field": "other"}`, nil, `the metadata has no chunks under "other"`},
		{"null", `{"context_field": "null"}`, nil, `the metadata has no chunks under "null"`},
		{"blank", `{"context_field": "blank"}`, nil, `the metadata has no chunks under "blank"`},
		{"a tool that was not called", `{"context_from_tool": "find"}`, nil, `no call of "find" returned any chunk`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			judges := judgesSaying(`{"score": 1}`)
			s := spokenSubject(judges, "Hello.")
			s.Calls, s.Metadata = calls, metadata
			v := compiledJSON(t, "contextual_precision", tc.params).Judge(t.Context(), s)
			if tc.problem != "" {
				if v.Status != result.Errored || !strings.Contains(v.Error, tc.problem) || len(judges.asked) != 0 {
					t.Errorf("%s %s, asked %d times", v.Status, v.Error, len(judges.asked))
				}
				return
			}
			if v.Error != "" {
				t.Fatal(v.Error)
			}
			got := exhibitsIn(judges.prompts()[1])
			want := []string{"question: hi"}
			for _, text := range tc.want {
				want = append(want, "chunk: "+text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// exhibitsIn reads the exhibits of a question, each by the first word of its name.
func exhibitsIn(question string) (all []string) {
	_, material := split(question)
	for line := range strings.Lines(material) {
		if rest, marker := strings.CutPrefix(line, "=== "); marker {
			words := strings.Fields(rest)
			all = append(all, words[1]+":")
			continue
		}
		all[len(all)-1] += " " + strings.TrimSpace(line)
	}
	return all[:len(all)-1] // without the end of the question
}

func TestRoles(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, params string
		metadata     map[string]any
		system, want string
	}{
		{"given", `{"agent_role": "A pirate."}`, map[string]any{"system_prompt": "A clerk."}, "A monk.", "role: A pirate."},
		{"from the host", `{}`, map[string]any{"system_prompt": "A clerk."}, "A monk.", "role: A clerk."},
		{"from the transcript", `{}`, map[string]any{"system_prompt": " "}, "A monk.", "role: A monk."},
		{"none", `{}`, nil, "", "reply: Hello."},
	} {
		judges := judgesSaying(`{"score": 1}`)
		s := spokenSubject(judges, "Hello.")
		s.Metadata = tc.metadata
		if tc.system != "" {
			s.Messages = append([]chat.Message{{Role: chat.System, Content: tc.system}}, s.Messages...)
		}
		if v := compiledJSON(t, "role_violation", tc.params).Judge(t.Context(), s); !v.Passed {
			t.Fatal(tc.name, v.Error)
		}
		if got := exhibitsIn(judges.prompts()[1])[0]; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}
