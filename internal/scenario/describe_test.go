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
	for _, h := range p.Handlers {
		fmt.Fprintf(b, "  check type %s at %s by %s %q with %q within %s in %s\n", h.Type, h.Pos, h.Command, h.Args, h.Env,
			h.Timeout, filepath.Base(h.Dir))
		if h.Later != "" {
			fmt.Fprintf(b, "    needs %s\n", h.Later)
		}
	}
	for _, s := range p.Servers {
		fmt.Fprintf(b, "  server %s at %s by %q %q env %q in %s%s%q %v scope %s within %s tools %q but %q", s.Name, s.Pos, s.Command,
			s.Args, s.Env, filepath.Base(s.Dir), s.URL, s.Transport, s.Headers, s.Scope, s.Timeout, s.Tools.Allow, s.Tools.Block)
		if i := s.Image; i != nil {
			fmt.Fprintf(b, " image %s env %q port %d mounts %d", i.Name, i.Env, i.Port, len(i.Mounts))
		}
		b.WriteString("\n")
	}
	for _, s := range p.Scenarios {
		describeScenario(b, s)
	}
	for _, e := range p.Evals {
		fmt.Fprintf(b, "  eval %s over", e.ID)
		for _, file := range e.Recordings {
			fmt.Fprintf(b, " %s", filepath.Base(file))
		}
		fmt.Fprintf(b, ": %d on turns, %d at the end\n", len(e.AllTurns), len(e.Conversation))
	}
	describeEvals(b, "evals", p.EvalsFor(nil))
	for _, q := range p.Prompts {
		if len(q.Evals) > 0 {
			describeEvals(b, "evals under "+q.TaskType, p.EvalsFor(q))
		}
	}
	if p.Mock != nil {
		fmt.Fprintf(b, "  mock %s\n", p.Mock.File)
	}
	for _, f := range p.Later {
		fmt.Fprintf(b, "  later %s %s %s\n", f.Name, f.Pos, f.Provider+f.Prompt+f.Tool)
	}
}

func describeScenario(b *strings.Builder, s *scenario.Scenario) {
	fmt.Fprintf(b, "  scenario %s at %s task %q trials %d skip %q\n", s.ID, s.Pos, s.TaskType, max(1, countOf(s.Trials)), s.Skip)
	for i := range s.Turns {
		t := &s.Turns[i]
		fmt.Fprintf(b, "    %s: %q%s", t.Role, t.Content, checkNames(t.Assertions))
		for _, m := range t.Inline() {
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

func describeEvals(b *strings.Builder, what string, list []*scenario.Eval) {
	for _, e := range list {
		fmt.Fprintf(b, "  %s: %s %s %s", what, e.ID, e.Type, e.Trigger)
		if strings.HasPrefix(e.Trigger, "sample_") {
			fmt.Fprintf(b, " %g%%", e.SamplePct)
		}
		if !e.Enabled {
			b.WriteString(" off")
		}
		if len(e.Groups) > 0 {
			fmt.Fprintf(b, " groups %v", e.Groups)
		}
		fmt.Fprintf(b, " metric %s %s", e.Metric.Name, e.Metric.Type)
		for _, name := range e.Metric.LabelNames() {
			fmt.Fprintf(b, " %s=%q", name, e.Metric.Labels[name])
		}
		if bounds := e.Metric.Bounds(); bounds != nil {
			fmt.Fprintf(b, " buckets %v", bounds)
		}
		if e.Metric.Help != "" {
			fmt.Fprintf(b, " help %q", e.Metric.Help)
		}
		if e.MustPass {
			b.WriteString(" must pass")
		}
		if e.MinScore != nil {
			fmt.Fprintf(b, " at least %g", *e.MinScore)
		}
		if e.MaxScore != nil {
			fmt.Fprintf(b, " at most %g", *e.MaxScore)
		}
		b.WriteString("\n")
	}
}

func countOf(t *scenario.Trials) int {
	if t == nil {
		return 0
	}
	return t.Count
}
