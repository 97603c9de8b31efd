package scenario_test

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"github.com/arena-evals/arena/internal/scenario"
)

func describeProject(b *strings.Builder, p *scenario.Project) {
	fmt.Fprintf(b, "project %q file %q\n", p.Name, p.File)
	for _, q := range p.Prompts {
		fmt.Fprintf(b, "  prompt %s task %s tools %v validators %d fragments %v\n", q.ID, q.TaskType, q.AllowedTools,
			len(q.Validators), sortedKeys(q.Fragments))
	}
	for _, q := range p.Providers {
		fmt.Fprintf(b, "  provider %s %s/%s role %s group %s", q.ID, q.Type, q.Model, q.Role, q.Group)
		if q.Mock != nil {
			fmt.Fprintf(b, " mock %s", filepath.Base(q.MockFile))
		}
		b.WriteString("\n")
	}
	for _, t := range p.Tools {
		fmt.Fprintf(b, "  tool %s mode %s input %s result %s\n", t.ID, t.Mode, t.InputSchema, t.MockResult)
	}
	for _, q := range p.Personas {
		fmt.Fprintf(b, "  persona %s\n", q.ID)
	}
	for _, r := range p.Roles {
		fmt.Fprintf(b, "  role %s by %s\n", r.ID, r.Provider)
	}
	for _, j := range p.Judges {
		fmt.Fprintf(b, "  judge %s by %s\n", j.Name, j.Provider)
	}
	for _, s := range p.Scenarios {
		describeScenario(b, s)
	}
	for _, e := range p.Evals {
		fmt.Fprintf(b, "  eval %s over %s: %d on turns, %d at the end\n", e.ID, filepath.Base(e.Recording), len(e.AllTurns),
			len(e.Conversation))
	}
	for _, e := range p.PackEvals {
		fmt.Fprintf(b, "  pack eval %s %s %s\n", e.ID, e.Type, e.Trigger)
	}
	if p.Mock != nil {
		fmt.Fprintf(b, "  mock %s\n", p.Mock.File)
	}
	for _, f := range p.Later {
		fmt.Fprintf(b, "  later %s %s %s\n", f.Name, f.Pos, f.Scenario+f.Provider+f.Prompt+f.Tool)
	}
}

func describeScenario(b *strings.Builder, s *scenario.Scenario) {
	fmt.Fprintf(b, "  scenario %s at %s task %q trials %d skip %q\n", s.ID, s.Pos, s.TaskType, s.Trials, s.Skip)
	for i := range s.Turns {
		t := &s.Turns[i]
		fmt.Fprintf(b, "    %s: %q%s", t.Role, t.Content, checkNames(t.Assertions))
		for _, m := range t.Mock {
			fmt.Fprintf(b, " mock %q", m.Content)
		}
		b.WriteString("\n")
	}
	if len(s.Conversation) > 0 {
		fmt.Fprintf(b, "    conversation%s\n", checkNames(s.Conversation))
	}
}

func checkNames(list []scenario.Placed) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, " [%v]", c.Compiled)
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
