package runner

import (
	"encoding/hex"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// checkersOf is the key of the checkers of a scenario.
type checkersOf struct {
	p *project
	s *scenario.Scenario
}

// checkers are the models, programs and tools that take part in the checks of a scenario: judges with their prompts,
// programs that are check types, and tools that checks call. Programs count by their files in the project, so that a
// baseline is valid on every machine.
func (f *Fingerprints) checkers(p *project, s *scenario.Scenario) []result.Checker {
	f.mu.Lock()
	known, ok := f.checkedBy[checkersOf{p, s}]
	f.mu.Unlock()
	if ok {
		return known
	}
	found := f.findCheckers(p, s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.checkedBy == nil || len(f.checkedBy) >= maxScenarioSums {
		f.checkedBy = map[checkersOf][]result.Checker{}
	}
	f.checkedBy[checkersOf{p, s}] = found
	return found
}

func (f *Fingerprints) findCheckers(p *project, s *scenario.Scenario) (by []result.Checker) {
	add := func(kind result.CheckerKind, name string, sum digest.Sum) {
		by = append(by, result.Checker{Kind: kind, Name: name, Sum: hex.EncodeToString(sum[:4])})
	}
	f.eachJudge(p, s, func(use grading.JudgeUse, decides []any) {
		if p.basis.judge != "" {
			decides = append(decides, p.basis.judge)
		}
		add(result.JudgeChecker, p.judges.NameFor(use), scenario.Digest(decides...))
	})
	programs := map[string]*scenario.Handler{}
	for _, h := range p.Handlers {
		programs[h.Type] = h
	}
	var visit func(c *checks.Compiled)
	visit = func(c *checks.Compiled) {
		if h := programs[c.Type]; h != nil {
			if sum, own := f.ownFiles(h, h.Dir, h.Command, h.Args); own {
				add(result.ProgramChecker, h.Type, sum)
			}
		}
		for _, part := range c.Nested() {
			visit(part)
		}
	}
	inventory.EachCheck(p.Project, []*scenario.Scenario{s}, func(c *checks.Compiled) {
		visit(c)
		for _, use := range c.ToolUses() {
			for _, tool := range p.Project.Tools {
				if tool.ID == use.Name {
					add(result.ToolChecker, tool.ID, f.tool(tool))
				}
			}
		}
	})
	return by
}

// tool is a hash of a tool that a check calls, with the files of its program.
func (f *Fingerprints) tool(t *scenario.Tool) digest.Sum {
	sums := []any{t}
	if e := t.Exec; e != nil {
		if sum, own := f.ownFiles(e, e.Dir, e.Command, e.Args); own {
			sums = append(sums, sum)
		}
	}
	return scenario.Digest(sums...)
}

// ownFiles is a hash of the files of a program that belong to the project; false: none do.
func (f *Fingerprints) ownFiles(of any, dir, command string, args []string) (sum digest.Sum, own bool) {
	sum = f.shareForRun(filesOf{of}, func() digest.Sum {
		files := programSums{}
		if files.addOwn(dir, command, args); len(files) == 0 {
			return digest.Sum{}
		}
		return scenario.Digest(files)
	})
	return sum, sum != digest.Sum{}
}

// filesOf is the key of the hash of the files of a program.
type filesOf struct{ program any }
