package runner

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/digest"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// Asked is a hash of what a trial asks the agent and how the answers are checked: turns, row, all variants of the
// group, gating assertions and evals, and checkers. It leaves out the agent: its prompt, model, tools and mock replies.
// Trials of two runs can be compared if it is equal.
func (f *Fingerprints) Asked(t *Trial) string {
	s := t.shared()
	shared := f.shareForScenario(askedOf{t.Project, s}, func() digest.Sum { return f.askedOf(t.Project, s) })
	decides := []any{shared[:]}
	switch {
	case t.pool != nil:
		sum := f.shareForScenario(askedRows{s, &t.pool[0]}, func() digest.Sum { return sumOfRows(s, t.pool) })
		decides = append(decides, sum[:])
	case t.row != 0:
		decides = append(decides, rowDecides(t.filled().Scenario)...)
	}
	for i := range s.Turns { // as in the files: a rejudged run opens no models that play users
		p, turn := t.Project.Project, &s.Turns[i]
		persona, role := p.PersonaOf(turn), p.RoleOf(turn)
		if persona == nil || role == nil {
			continue
		}
		if spec := providerOf(p, role.Provider); spec != nil { // what it says is what the agent is asked
			by := f.provider(p, spec)
			decides = append(decides, persona, by[:])
		}
	}
	sum := scenario.Digest(decides...)
	return result.Asked{Sum: hex.EncodeToString(sum[:8]), By: f.checkers(t.Project, s)}.String()
}

// askedRows is the key of the hash of the rows of one group.
type askedRows struct {
	s     *scenario.Scenario
	first *int32
}

// sumOfRows is a hash of the rows from which a group draws its trials, in any order and number.
func sumOfRows(s *scenario.Scenario, rows []int32) digest.Sum {
	set := s.Dataset
	all := sha256.New()
	for _, i := range rows {
		row, err := set.Row(int(i))
		if err != nil { // the trials of the row report it
			row = &dataset.Row{ID: set.ID(int(i))}
		}
		sum := scenario.Digest(rowDecides(s.ForRow(row))...)
		_, _ = all.Write(sum[:]) // cannot fail
	}
	return scenario.Digest(all.Sum(nil))
}

// rowDecides returns the parts of a row that affect a trial: its content, its name, and its media.
func rowDecides(s *scenario.Scenario) []any {
	decides := []any{s.Row.ID, s.Row.Canonical()}
	s.EachRowMedium(func(part *chat.Part, _ diag.Pos) { decides = append(decides, part.Media) })
	return decides
}

// askedOf is the key of the hash of a scenario.
type askedOf struct {
	p *project
	s *scenario.Scenario
}

func (f *Fingerprints) askedOf(p *project, s *scenario.Scenario) digest.Sum {
	var none []any // it has a place in the sums of older baselines
	decides := []any{bare(s), p.Globals, p.Handlers, f.opts.Only, none}
	for i := range s.Turns {
		decides = append(decides, s.Turns[i].More().Perturbations)
	}
	for _, e := range inventory.UsedEvals(p.Project, []*scenario.Scenario{s}) {
		if e.Gates() {
			decides = append(decides, e.ID, e.Trigger, e.SamplePct, e.Definition.Check)
		}
	}
	if q := embeddingProvider(p.Project); q != nil {
		decides = append(decides, f.provider(p.Project, q))
	}
	return scenario.Digest(decides...)
}

// bare is a scenario without the parts that concern only the agent, or only readers.
func bare(s *scenario.Scenario) *scenario.Scenario {
	b := *s
	b.Labels, b.Tags, b.Description = nil, nil, ""
	b.TaskType, b.Providers, b.Group, b.Capabilities, b.Agent = "", nil, "", nil, nil
	b.Turns = make([]scenario.Turn, len(s.Turns))
	for i := range s.Turns {
		b.Turns[i] = s.Turns[i]
		if b.Turns[i].Rare != nil {
			rare := b.Turns[i].More()
			rare.Mock, rare.Seed, rare.Temperature = nil, nil, nil
			b.Turns[i].Rare = &rare
		}
	}
	return &b
}

// repeatable reports whether the trial has the same result in each run: mocks or recordings answer and judge, and
// nothing is random. Then each difference is real. A replay of a cassette does not count: it repeats a recorded run.
func (t *Trial) repeatable() bool {
	switch {
	case t.Finished != nil:
		if !t.Finished.Brief.Repeatable {
			return false
		}
	case t.pool != nil: // the seed draws which rows
		return false
	case t.usersByChance(), t.summarizer != nil && !t.summarizer.Simulated, t.Endpoint.Simulated && t.mockPaints():
		return false
	case t.Recorded != nil, t.Endpoint.Spec.Type == scenario.ReplayType: // the conversation is over
	case !t.Endpoint.Simulated, t.drawsReplies():
		return false
	}
	return !t.judgedByChance()
}

// drawsReplies reports whether a mock draws among replies in the scenario.
func (t *Trial) drawsReplies() bool {
	for i := range t.Scenario.Turns {
		for _, r := range t.Scenario.Turns[i].Inline() {
			if len(r.OneOf) > 0 {
				return true
			}
		}
	}
	for _, file := range []*scenario.MockFile{t.Project.Mock, t.Endpoint.Spec.Mock} {
		if file == nil {
			continue
		}
		for _, name := range []string{t.Scenario.ID, t.Scenario.Alias} {
			if m := file.Scenarios[name]; m != nil && m.Draws() {
				return true
			}
		}
	}
	return false
}

// judgedByChance reports whether a real model judges the trial, or a mock that draws its replies.
func (t *Trial) judgedByChance() (chance bool) {
	p := t.Project
	if p.judges == nil {
		return false
	}
	inventory.EachCheck(p.Project, []*scenario.Scenario{t.shared()}, func(c *checks.Compiled) {
		for _, need := range c.JudgeUses() {
			spec := p.judgeModels[need.Use]
			chance = chance || !p.judges.Simulated() || spec != nil && spec.Mock != nil && spec.Mock.JudgesDraw()
		}
	})
	return chance
}

// usersByChance reports whether the user's messages may differ between two runs of the trial: a model plays the user,
// or a mock draws its replies.
func (t *Trial) usersByChance() bool {
	for _, one := range t.players {
		if one == nil {
			continue
		}
		if !one.endpoint.Simulated {
			return true
		}
		for _, file := range []*scenario.MockFile{t.Project.Mock, one.endpoint.Spec.Mock} {
			if file == nil {
				continue
			}
			for _, m := range []*scenario.MockScenario{
				file.SelfPlay[one.persona.ID], file.SelfPlay[one.persona.Alias], file.Scenarios[t.Scenario.ID],
				file.Scenarios[t.Scenario.Alias],
			} {
				if m != nil && m.Draws() {
					return true
				}
			}
		}
	}
	return false
}
