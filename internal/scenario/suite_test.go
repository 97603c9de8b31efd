package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPromptChoice(t *testing.T) {
	t.Parallel()
	one := []*Prompt{{TaskType: "desk"}}
	two := append(one, &Prompt{TaskType: "attic"})
	tests := []struct {
		name    string
		prompts []*Prompt
		task    string
		want    string // task type; "" is none
		err     string
	}{
		{"named", two, "attic", "attic", ""},
		{"the only one", one, "", "desk", ""},
		{"none at all", nil, "", "", ""},
		{"several", two, "", "", "there are several prompts: attic, desk"},
		{"unknown", two, "cellar", "", `no prompt of task type "cellar"; known: attic, desk`},
		{"unknown among none", nil, "cellar", "", "nor any other"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &Project{Prompts: tt.prompts}
			got, err := p.Prompt(&Scenario{TaskType: tt.task})
			task := ""
			if got != nil {
				task = got.TaskType
			}
			if task != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %q and %v, want %q and %q", task, err, tt.want, tt.err)
			}
		})
	}
}

func TestNeeds(t *testing.T) {
	t.Parallel()
	p := &Project{Later: []Feature{
		{Name: "all"}, {Name: "model", Provider: "m"}, {Name: "guards", Prompt: "desk"},
		{Name: "tool", Tool: "sell"}, {Name: "servers", Tool: "mcp__*"},
	}}
	names := func(list []Feature) []string {
		out := []string{}
		for _, f := range list {
			out = append(out, f.Name)
		}
		return out
	}
	b := &Scenario{Meta: Meta{ID: "b"}}
	model := &Provider{Meta: Meta{ID: "m"}}
	desk := &Prompt{TaskType: "desk", AllowedTools: []string{"se*"}}
	attic := &Prompt{TaskType: "attic", AllowedTools: []string{"mcp__store__list"}}
	tests := []struct {
		name string
		got  []Feature
		want []string
	}{
		{"nothing but the project", p.Needs(b, nil, nil), []string{"all"}},
		{"the provider", p.Needs(b, nil, model), []string{"all", "model"}},
		{"prompt and tool", p.Needs(b, []*Prompt{desk}, nil), []string{"all", "guards", "tool"}},
		{"a served tool", p.Needs(b, []*Prompt{attic}, nil), []string{"all", "servers"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, names(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMergeEvals(t *testing.T) {
	t.Parallel()
	eval := func(id, kind string) *Eval { return &Eval{ID: id, Check: Check{Type: kind}} }
	wide := []*Eval{eval("a", "contains"), eval("b", "regex"), eval("c", "json_valid")}
	var got []string
	for _, e := range MergeEvals(wide, []*Eval{eval("d", "length"), eval("b", "llm_judge"), eval("A", "regex")}) {
		got = append(got, e.ID+" "+e.Type)
	}
	want := []string{"a contains", "b llm_judge", "c json_valid", "d length", "A regex"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if wide[1].Type != "regex" {
		t.Error("the wider list was changed")
	}
}
