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

// failures lists the failures, each once, in at most size bytes. It says how many were left out.
func failures(run *result.Run, groups *show.Groups, o Options, size int) (string, error) {
	all, err := show.Failures(run)
	if err != nil || len(all) == 0 {
		return "", err
	}
	of := map[int]*show.Group{}
	for g := range groups.Several() {
		for _, t := range g.Trials {
			of[t] = g
		}
	}
	more := func(n int) string { return fmt.Sprintf("… and %s more\n\n", show.Count(n)) }
	var b strings.Builder
	b.WriteString("### Failures\n\n")
	for i, members := range all {
		t, err := run.Trials.Trial(members[0])
		if err != nil {
			return "", fmt.Errorf("trial %s: %w", run.Briefs.At(members[0]).ID, err)
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

// failure describes trials that failed in the same way, with the evidence of the first one.
func failure(run *result.Run, members []int, t *result.Trial, g *show.Group, o Options, open bool) string {
	first := run.Briefs.At(members[0])
	var b strings.Builder
	if open {
		b.WriteString("<details open><summary>")
	} else {
		b.WriteString("<details><summary>")
	}
	b.WriteString(show.Sign(first.Status) + " <b>" + summary(first.Scenario) + "</b> · " +
		summary(show.ProviderLabel(first)))
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
	if g != nil {
		rate := g.Rate()
		b.WriteString(rate + "\n\n")
	}
	b.WriteString(fenced("text", show.Clip(evidence(t), maxEvidence)) + "\n")
	if o.Rerun != nil {
		b.WriteString(fenced("sh", show.Line(o.Rerun(first))) + "\n")
	}
	b.WriteString("</details>\n\n")
	return b.String()
}

// names lists trials by their ids.
func names(run *result.Run, members []int) string {
	var all []string
	for i, m := range members {
		if i == maxTrials {
			all[i-1] += fmt.Sprintf(" and %s more", show.Count(len(members)-i))
			break
		}
		all = append(all, inline(run.Briefs.At(m).ID))
	}
	return strings.Join(all, ", ")
}

// evidence is the messages of the failed turns, and what their checks saw.
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
			writeTurn(&b, t, p.Turn)
		}
		show.WriteProblem(&b, p, maxText)
	}
	if len(problems) == 0 {
		writeTurn(&b, t, brokenTurn(t))
	}
	return b.String()
}

// brokenTurn is the index of the turn with an error; -1 when no turn has one.
func brokenTurn(t *result.Trial) int {
	for i := range t.Turns {
		if t.Turns[i].Error != "" {
			return t.Turns[i].Index
		}
	}
	return -1
}

// writeTurn writes the messages of a turn. For the conversation (-1) it writes those of the last turn that ran.
func writeTurn(b *strings.Builder, t *result.Trial, index int) {
	var turn *result.Turn
	for i := range t.Turns {
		if x := &t.Turns[i]; x.Index == index || (index < 0 && x.NotRun == "") {
			turn = x
		}
	}
	if turn != nil {
		b.WriteString(show.TurnLabel(turn.Index) + "\n")
		show.WriteExchange(b, turn, maxText)
	}
}
