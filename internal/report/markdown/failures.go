package markdown

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	openFailures = 3    // failures that are not folded
	maxText      = 600  // bytes of one message
	maxEvidence  = 6000 // bytes of one failure
	maxTurns     = 3    // failed turns that are shown
	maxTrials    = 6    // trials that are named
)

// failed lists each way to fail, in at most size bytes, and says how many were left out.
func failed(run *result.Run, groups []show.Group, o Options, size int) (string, error) {
	all, err := show.Failures(run)
	if err != nil || len(all) == 0 {
		return "", err
	}
	of := map[int]*show.Group{}
	for i := range groups {
		for _, t := range groups[i].Trials {
			of[t] = &groups[i]
		}
	}
	more := func(n int) string { return fmt.Sprintf("… and %s more\n\n", show.Count(n)) }
	var b strings.Builder
	b.WriteString("### Failures\n\n")
	for i, members := range all {
		t, err := run.Trials.Trial(members[0])
		if err != nil {
			return "", fmt.Errorf("trial %s: %w", run.Briefs[members[0]].ID, err)
		}
		text := failure(run, members, t, of[members[0]], o, i < openFailures)
		if b.Len()+len(text)+len(more(len(all))) > size {
			b.WriteString(more(len(all) - i))
			break
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// failure is one way to fail, with the evidence of the first trial that did.
func failure(run *result.Run, members []int, t *result.Trial, g *show.Group, o Options, open bool) string {
	first := &run.Briefs[members[0]]
	var b strings.Builder
	if open {
		b.WriteString("<details open><summary>")
	} else {
		b.WriteString("<details><summary>")
	}
	b.WriteString(show.Sign(first.Status) + " <b>" + summary(first.Scenario) + "</b> · " +
		summary(show.Who(first)))
	if n := len(members); n > 1 {
		b.WriteString(", and " + show.Plural(n-1, "more trial") + " alike")
	}
	b.WriteString("</summary>\n\n")
	if at := show.Position(t.Position); at != "" {
		b.WriteString(code(show.Clip(at, maxName)) + "\n\n")
	}
	if len(members) > 1 {
		b.WriteString("In " + names(run, members) + ".\n\n")
	}
	if rate := g.Rate(); rate != "" {
		b.WriteString(rate + "\n\n")
	}
	b.WriteString(fenced("text", show.Clip(evidence(t), maxEvidence)) + "\n")
	if o.Rerun != nil {
		b.WriteString(fenced("sh", show.Line(o.Rerun(first))) + "\n")
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

// names lists the trials that failed alike.
func names(run *result.Run, members []int) string {
	var all []string
	for i, m := range members {
		if i == maxTrials {
			all[i-1] += fmt.Sprintf(" and %s more", show.Count(len(members)-i))
			break
		}
		all = append(all, inline(run.Briefs[m].ID))
	}
	return strings.Join(all, ", ")
}

// evidence is what was said in the failed turns, and what the checks saw there.
func evidence(t *result.Trial) string {
	var b strings.Builder
	if t.Error != "" {
		b.WriteString("error: " + show.Clip(show.TrialError(t), maxText) + "\n")
	}
	problems := show.Problems(t)
	turns, last := 0, -2
	for i, p := range problems {
		if p.Turn != last {
			if turns == maxTurns {
				fmt.Fprintf(&b, "… and %s in later turns\n", show.Plural(len(problems)-i, "more check"))
				break
			}
			turns, last = turns+1, p.Turn
			said(&b, t, p.Turn)
		}
		show.WriteProblem(&b, p, maxText)
	}
	if len(problems) == 0 {
		said(&b, t, broken(t))
	}
	return b.String()
}

// broken is the turn that an error is about; -1 when none has it.
func broken(t *result.Trial) int {
	for i := range t.Turns {
		if t.Turns[i].Error != "" {
			return t.Turns[i].Index
		}
	}
	return -1
}

// said writes what was said in a turn; for the conversation, in its last turn.
func said(b *strings.Builder, t *result.Trial, index int) {
	var turn *result.Turn
	for i := range t.Turns {
		if x := &t.Turns[i]; x.Index == index || (index < 0 && x.NotRun == "") {
			turn = x
		}
	}
	if turn != nil {
		b.WriteString(show.Place(turn.Index) + "\n")
		show.WriteExchange(b, turn, maxText)
	}
}
