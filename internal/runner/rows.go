package runner

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// RowID is the id of the row of the dataset for which the trial runs; "": its scenario has none.
func (t *Trial) RowID() string {
	if t.row == 0 {
		return ""
	}
	return t.Scenario.Dataset.ID(t.row - 1)
}

// rowSuffix is the end of the ids of the trials of a row.
func (t *Trial) rowSuffix() string {
	if id := t.RowID(); id != "" {
		return "[" + id + "]"
	}
	return ""
}

// shared is the scenario before a row was filled in.
func (t *Trial) shared() *scenario.Scenario {
	if t.allRows != nil {
		return t.allRows
	}
	return t.Scenario
}

// filled is the trial with the scenario of its row. If the row is unreadable, it has the error and no values.
func (t *Trial) filled() Trial {
	out := *t
	if t.row == 0 || t.allRows != nil {
		return out
	}
	row, err := t.Scenario.Dataset.Row(t.row - 1)
	if err != nil {
		row = &dataset.Row{
			ID: t.RowID(), Number: t.row, Pos: diag.Pos{File: t.Scenario.Dataset.Name},
			Fault: &dataset.Fault{Msg: err.Error()},
		}
		out.rowError = err
	}
	out.allRows, out.Scenario = t.Scenario, t.Scenario.ForRow(row)
	return out
}

// resultRow is the row for results.
func (t *Trial) resultRow() *result.Row {
	row := t.Scenario.Row
	if row == nil {
		return nil
	}
	return &result.Row{ID: row.ID, Number: row.Number, Position: row.Pos}
}

// checkRow says why the trial cannot run with its row: all problems at once, before anything is paid for.
func (s *session) checkRow() error {
	t := s.trial
	if t.Scenario.Row == nil {
		return nil
	}
	if t.rowError != nil {
		return t.rowError
	}
	if fault := t.Scenario.Row.Fault; fault != nil {
		return fault
	}
	singles := func(turn int) map[string]string { return t.Variant.values(turn) }
	said, doubts := t.Scenario.RowFaults(t.Prompt, t.Region, singles)
	faults := append(said, s.rowMediaErrors()...)
	prompts, err := inventory.PossiblePrompts(t.Project.Project, t.Scenario)
	if err != nil {
		return err
	}
	for _, prompt := range prompts {
		if _, err := scenario.Variables(prompt, t.Scenario, t.Region); err != nil {
			faults = append(faults, err.Error())
			continue
		}
		under := s.values
		if prompt != t.Prompt {
			under = valuesUnder(t, prompt)
		}
		t.Project.EachOpen(t.Scenario, prompt, func(o *scenario.OpenCheck, turn int) {
			faults = append(faults, s.rowCheckFaults(under, o, turn)...)
		})
		doubts = append(doubts, t.Scenario.PromptDoubts(t.Project.Project, prompt, t.Endpoint.Spec.Model, t.Region)...)
	}
	for _, text := range doubts {
		if s.opts.Strict && t.Finished == nil {
			faults = append(faults, text)
		} else {
			s.warnOnce(text)
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("the row at %s cannot be used: %s", t.Scenario.Row.Pos, strings.Join(distinct(faults), "\n"))
}

// rowCheckFaults returns errors of a check with the values of the row: wrong parameters, and unknown names. A doubtful
// check is a warning of the trial; with --strict it is an error.
func (s *session) rowCheckFaults(v *values, o *scenario.OpenCheck, turn int) (faults []string) {
	var problems diag.List
	check, _ := v.bound(o, turn, &problems).(*checks.Compiled)
	if check != nil {
		served, arguments := s.trial.Project.rowNames.Check(s.trial.shared(), check, &problems)
		s.servers.rowNames = append(s.servers.rowNames, served...)
		s.servers.rowArguments = append(s.servers.rowArguments, arguments...)
	}
	for _, p := range problems.Sorted() {
		text := p.Pos.String() + ": " + p.Msg
		if p.Hint != "" {
			text += " (" + p.Hint + ")"
		}
		if p.Severity == diag.Error || s.opts.Strict && s.trial.Finished == nil {
			faults = append(faults, text)
		} else {
			s.warnOnce(text)
		}
	}
	return faults
}

func distinct(texts []string) (out []string) {
	seen := map[string]bool{}
	for _, text := range texts {
		if !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	return out
}
