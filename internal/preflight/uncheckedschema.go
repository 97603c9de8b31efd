package preflight

import (
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/scenario"
)

// UncheckedSchemas warns of scenarios whose models are asked for replies of a schema, where no check looks at the
// form of a reply: a model that does not keep to it passes.
func UncheckedSchemas(p *scenario.Project, chosen []*scenario.Scenario, d *diag.List) {
	if len(p.Compositions) > 0 { // whose steps hold their replies to it
		return
	}
	for _, s := range chosen {
		prompts, err := p.PromptsFor(s)
		if err != nil || s.Skip != "" || s.Recorded != nil {
			continue
		}
		whose := ""
		switch {
		case s.OutputSchema != nil:
			whose = "the scenario"
		case slices.ContainsFunc(prompts, func(prompt *scenario.Prompt) bool {
			return prompt != nil &&
				prompt.OutputSchema != nil
		}):
			whose = "its prompt"
		default:
			continue
		}
		held := formHeld(p, s)
		switch open := held.open(); {
		case held.none():
			d.Warnf(s.Pos, diag.Width(s.ID), "unheld-schema",
				"scenario %q: models are asked for replies that fit the output_schema of %s, and no check looks whether they do",
				s.ID, whose).Hint = "add a check with type: json_schema"
		case len(open) > 0:
			d.Warnf(s.Pos, diag.Width(s.ID), "unheld-schema",
				"scenario %q: models are asked for replies that fit the output_schema of %s, and no check looks whether those of "+
					"%s do", s.ID, whose, turnsNamed(open)).Hint = "add a check with type: json_schema there"
		}
	}
}

// heldTurns says for each turn of a scenario whether a check looks at the form of its reply.
type heldTurns []bool

func (h heldTurns) none() bool { return !slices.Contains(h, true) }

// open are the numbers of the turns that no check looks at.
func (h heldTurns) open() (turns []int) {
	for i, held := range h {
		if !held {
			turns = append(turns, i+1)
		}
	}
	return turns
}

func (h heldTurns) holdAll() {
	for i := range h {
		h[i] = true
	}
}

// formHeld finds the turns whose replies are held to a form. A check with a condition may be skipped, and over a
// conversation those of a form look at the last reply alone.
func formHeld(p *scenario.Project, s *scenario.Scenario) heldTurns {
	held := make(heldTurns, max(len(s.Turns), 1))
	whole := func(c *checks.Compiled) {
		_, _, alone := c.OfLastReplyAlone()
		switch {
		case !c.AsksForm() || c.When != nil:
		case alone:
			held[len(held)-1] = true
		default:
			held.holdAll()
		}
	}
	for _, list := range [][]scenario.Placed{p.Globals, s.Conversation} {
		for _, c := range list {
			inventory.EachCompiled(c.Compiled, whole)
		}
	}
	for i := range s.Turns {
		for _, c := range s.Turns[i].Assertions {
			inventory.EachCompiled(c.Compiled, func(c *checks.Compiled) {
				held[i] = held[i] || c.AsksForm() && c.When == nil
			})
		}
	}
	for _, e := range inventory.UsedEvals(p, []*scenario.Scenario{s}) {
		if !e.Gates() {
			continue
		}
		inventory.EachCompiled(e.Compiled, func(c *checks.Compiled) {
			if e.Trigger == scenario.TriggerEveryTurn && c.AsksForm() {
				held.holdAll()
			} else {
				whole(c)
			}
		})
	}
	return held
}

func turnsNamed(turns []int) string {
	if len(turns) == 1 {
		return "turn " + strconv.Itoa(turns[0])
	}
	words := make([]string, len(turns))
	for i, n := range turns {
		words[i] = strconv.Itoa(n)
	}
	last := len(words) - 1
	return "turns " + strings.Join(words[:last], ", ") + " and " + words[last]
}
