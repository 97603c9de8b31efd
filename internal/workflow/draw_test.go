package workflow

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// odd has names that drawings cannot hold as they are.
func odd(t *testing.T) *Graph {
	t.Helper()
	g, err := New("end", []*State{
		{Name: "end", PromptTask: "a", Events: map[string]string{`Say "hi"`: "two words", "Ende": "état"}},
		{Name: "two words", Events: map[string]string{"a;b": "end"}, MaxVisits: 1, OnMaxVisits: "état", Mode: Composed,
			Composition: "triage"},
		{Name: "état", Mode: External, Events: map[string]string{"Back\x1b": "end"}},
		{Name: "state3", Terminal: true, Events: map[string]string{"Gone": "end"}},
	}, Budget{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestDOT(t *testing.T) {
	t.Parallel()
	want := `digraph "a \"shop\"\\" {
  rankdir=LR;
  node [shape=box, style=rounded];
  "(start)" [shape=point];
  "end" [label="end"];
  "two words" [label="two words\ncomposition triage"];
  "état" [label="état\nexternal"];
  "state3" [label="state3\nterminal", peripheries=2];
  "(start)" -> "end";
  "end" -> "état" [label="Ende"];
  "end" -> "two words" [label="Say \"hi\""];
  "two words" -> "end" [label="a;b"];
  "two words" -> "état" [label="after 1 visit", style=dashed];
  "état" -> "end" [label="Back�"];
}
`
	if diff := cmp.Diff(want, odd(t).DOT(`a "shop"\`)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMermaid(t *testing.T) {
	t.Parallel()
	want := `stateDiagram-v2
    state "end" as state1
    state "two words (composition triage)" as state2
    state "état (external)" as state3
    state "state3 (terminal)" as state4
    [*] --> state1
    state1 --> state3: Ende
    state1 --> state2: Say #34;hi#34;
    state2 --> state1: a#59;b
    state2 --> state3: after 1 visit
    state3 --> state1: Back�
    state4 --> [*]
`
	if diff := cmp.Diff(want, odd(t).Mermaid()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEdges(t *testing.T) {
	t.Parallel()
	var got []string
	for _, e := range odd(t).Edges() {
		got = append(got, strings.Join([]string{e.From, e.Event, e.To}, "|"))
	}
	want := []string{"end|Ende|état", `end|Say "hi"|two words`, "two words|a;b|end", "two words||état"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
