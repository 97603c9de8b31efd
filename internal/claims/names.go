package claims

import (
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
)

// Name is a name in a check, with its place.
type Name struct {
	Pos  diag.Pos
	Name string
}

type expectedName struct {
	check string
	*checks.NameUse
}

// ExpectName expects that the tool, skill or state in a check occurs, although no file declares it.
func (t *Tracker) ExpectName(check string, use *checks.NameUse) {
	if at := (Name{use.Pos, use.Name}); !t.isExpected[at] {
		t.isExpected[at] = true
		t.expected = append(t.expected, expectedName{check, use})
	}
}

// ExpectGuardrail expects that a guardrail fires which a check names and the project does not have.
func (t *Tracker) ExpectGuardrail(use *checks.GuardrailUse) {
	if at := (Name{use.Pos, use.Name}); !t.isExpected[at] {
		t.isExpected[at] = true
		t.expectedGuardrails = append(t.expectedGuardrails, use)
	}
}

// ClaimNames claims that not every check of a scenario was skipped, that each expected name came up, and that each
// condition of a check held in some trial. compared are
// the names that were compared with what servers and agents list.
func (t *Tracker) ClaimNames(list *List, compared map[Name]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claimJudged(list.Kind())
	claim := list.Kind()
	for _, e := range t.expected {
		names := t.namesOf(e.Kind)
		met := compared[Name{e.Pos, e.Name}] || names[e.Name] || e.Pattern != nil && matchesAny(e, names)
		warning, evidence := t.neverNamed(e, names)
		claim("name", e.Pos, e.Name).Settle(met, t.hasTurns, warning).Evidence = evidence
	}
	fired := slices.Collect(maps.Keys(t.firedGuardrails))
	for _, e := range t.expectedGuardrails {
		claim("guardrail", e.Pos, e.Name).Settle(slices.ContainsFunc(fired, e.Means), t.hasTurns, diag.Diagnostic{
			Severity: diag.Warning, Pos: e.Pos, Width: e.Width, Code: "never-named",
			Msg: fmt.Sprintf("%s: no guardrail %q fired in any conversation, nor does the project list it", e.Type, e.Name),
		})
	}
	t.claimConditions(list.Kind())
}

func (t *Tracker) namesOf(kind checks.Kind) map[string]bool {
	switch kind {
	case checks.SkillName:
		return t.loadedSkills
	case checks.StateName:
		return t.statesEntered
	default: // tools and agents
		return t.calledTools
	}
}

func matchesAny(e expectedName, names map[string]bool) bool {
	for name := range names {
		if e.Pattern.MatchString(name) {
			return true
		}
	}
	return false
}

// neverNamed is the warning of a name that did not come up. The evidence is 1 where a name that did is near to it.
func (t *Tracker) neverNamed(e expectedName, names map[string]bool) (w diag.Diagnostic, evidence int) {
	what := fmt.Sprintf("no %s %q came up in any conversation, nor does the project list it", e.Kind, e.Name)
	if e.Pattern != nil {
		what = fmt.Sprintf("no tool that came up in any conversation matches %q", e.Name)
	}
	if near := diag.DidYouMean(e.Name, slices.Sorted(maps.Keys(names))); near != "" {
		what += "; " + near
		evidence = 1
	}
	return diag.Diagnostic{
		Severity: diag.Warning, Pos: e.Pos, Width: utf8.RuneCountInString(e.Name), Code: "never-named",
		Msg: fmt.Sprintf("%s: %s: %s", e.check, e.Param, what),
	}, evidence
}
