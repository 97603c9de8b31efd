package junit

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

const (
	maxText   = 4000 // bytes of one message
	lastTurns = 3    // turns of the end of a conversation
)

// addDetails reads the trials of a group that did not pass and sets the message, body and output of its testcase: the
// problems are the body, and the conversations the output.
func (b *builder) addDetails(g *show.Group, c *testcase) error {
	failures, err := b.failureModes(g, c)
	if err != nil {
		return err
	}
	rates := strings.Join(append(g.AssertionRates(), ""), "\n")
	if rates != "" && len(failures.modes) > 0 {
		rates += "\n"
	}
	rate := g.Rate()
	switch {
	case c.status == result.Passed: // within its threshold
		c.output, c.message = rate+"\n"+rates+failures.problems()+"\n"+failures.conversations(), ""
		return nil
	case rate != "" && (c.status == result.Failed || c.status == result.Errored && gated(g)):
		c.message = rate + ": " + c.message
	}
	c.body, c.output = c.message+"\n\n"+rates+failures.problems(), failures.conversations()
	return nil
}

// failureModes reads the trials that did not pass, and sets the testcase's message to the reason of the worst one.
func (b *builder) failureModes(g *show.Group, c *testcase) (*failureModes, error) {
	failures, looked, worst := &failureModes{}, 0, result.Unset
	for _, i := range g.Trials {
		brief := b.run.Briefs.At(i)
		if brief.Status == result.Passed {
			continue
		}
		if looked++; looked > maxListed {
			failures.omitted++
			continue
		}
		t, err := b.run.Trials.Trial(i)
		if err != nil {
			return nil, fmt.Errorf("trial %s: %w", brief.ID, err)
		}
		if brief.Status > worst { // the statuses are ordered by how bad they are
			worst, c.message = brief.Status, show.Reason(t)
		}
		failures.add(show.Signature(t), trialName(t, brief), func() (problems, exchange string) {
			return b.describe(t, brief), conversation(t)
		})
	}
	return failures, nil
}

// describe writes what is wrong with a trial that did not pass.
func (b *builder) describe(t *result.Trial, brief *result.Brief) string {
	var w strings.Builder
	if t.Error != "" {
		w.WriteString("error: " + show.TrialError(t) + "\n")
	}
	for _, p := range show.Problems(t) {
		show.WriteProblem(&w, p, maxText)
	}
	if b.opts.Rerun != nil {
		w.WriteString("\nagain: " + show.Line(b.opts.Rerun(brief)) + "\n")
	}
	return w.String()
}

// trialName distinguishes a trial from the others of its group; "" when it is the only one.
func trialName(t *result.Trial, brief *result.Brief) string {
	number := show.TrialNumber(brief)
	if number == "" {
		return ""
	}
	if v := show.Variant(t.Variant); v != "" {
		return "trial " + number + " (" + v + ")"
	}
	return "trial " + number
}

// conversation writes the last turns of a trial.
func conversation(t *result.Trial) string {
	var w strings.Builder
	last := len(t.Turns)
	for last > 0 && t.Turns[last-1].NotRun != "" {
		last--
	}
	if first := max(last-lastTurns, 0); last > 0 {
		w.WriteString("conversation")
		if first > 0 {
			fmt.Fprintf(&w, " from %s", show.TurnLabel(t.Turns[first].Index))
		}
		w.WriteString("\n")
		for i := first; i < last; i++ {
			show.WriteExchange(&w, &t.Turns[i], maxText)
		}
	}
	if last < len(t.Turns) {
		next := &t.Turns[last]
		fmt.Fprintf(&w, "  %s and after: not run: %s\n", show.TurnLabel(next.Index), show.Line(next.NotRun))
	}
	return w.String()
}
