package junit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// part sums up the trials of a group at one location.
type part struct {
	first    observation // gives it its name
	worst    result.Status
	trials   int
	passed   int
	ms       float64
	message  string   // of the worst trial
	at       diag.Pos // of its first problem
	failures failureModes
}

// casesOfParts reads the trials of a group and returns a testcase for each turn or check.
func (b *builder) casesOfParts(g *show.Group) ([]testcase, error) {
	var parts []*part
	at := map[location]*part{}
	for _, i := range g.Trials {
		brief := b.run.Briefs.At(i)
		if brief.Uncounted && g.Status != result.Errored { // the verdict is not about it
			continue
		}
		t, err := b.run.Trials.Trial(i)
		if err != nil {
			return nil, fmt.Errorf("trial %s: %w", brief.ID, err)
		}
		for _, s := range observations(t, b.opts.Granularity) {
			u := at[s.location]
			if u == nil {
				u = &part{first: s, worst: result.Skipped}
				at[s.location], parts = u, append(parts, u)
			}
			u.add(&s, trialName(t, brief))
		}
	}
	cases := make([]testcase, 0, len(parts))
	red := false
	for _, u := range parts {
		c := u.testcase(g)
		red = red || isRed(c.status)
		cases = append(cases, c)
	}
	if !red && isRed(g.Status) {
		cases = append(cases, groupFailure(g))
	}
	return cases, nil
}

func isRed(s result.Status) bool {
	return s == result.Failed || s == result.Errored || s == result.Undecided
}

// groupFailure is the testcase of a group that failed without a failed part.
func groupFailure(g *show.Group) testcase {
	c := base(g)
	c.name += " run"
	c.message = strings.TrimSuffix(g.Status.String()+": "+g.Rate(), ": ")
	c.body = c.message
	c.gate(g)
	return c
}

// add counts the outcome of one trial, and keeps the details of one that did not pass.
func (u *part) add(s *observation, trial string) {
	u.trials++
	u.ms += s.ms
	if s.status == result.Passed {
		u.passed++
	}
	if message := s.message(); message != "" && (u.message == "" || moreSevere(u.worst, s.status) != u.worst) {
		u.message = message
	}
	if moreSevere(u.worst, s.status) != u.worst && len(s.problems) > 0 {
		u.at = s.problems[0].Position
	}
	u.worst = moreSevere(u.worst, s.status)
	if s.status == result.Passed || s.status == result.Skipped {
		return
	}
	u.failures.add(s.key(), trial, func() (problems, exchange string) { return s.describe(), s.messages() })
}

// key is equal for observations that failed in the same way.
func (s *observation) key() string {
	texts := []string{s.reason}
	for _, p := range s.problems {
		texts = append(texts, p.Seen())
	}
	return strings.Join(texts, "\x00")
}

func (s *observation) describe() string {
	var w strings.Builder
	if s.reason != "" {
		w.WriteString(s.reason + "\n")
	}
	for _, p := range s.problems {
		show.WriteProblem(&w, p, maxText)
	}
	return w.String()
}

// messages returns the messages of the turn that was judged; "": none.
func (s *observation) messages() string {
	var w strings.Builder
	if s.exchange != nil {
		show.WriteExchange(&w, s.exchange, maxText)
	}
	return w.String()
}

// message is one line that says why the observation did not pass; "": it passed.
func (s *observation) message() string {
	if s.status == result.Passed {
		return ""
	}
	text, more := s.reason, 0
	for _, p := range s.problems {
		if p.Status == s.status && (text == "" || s.status == result.Failed) {
			text, more = p.LabelledLine(), len(s.problems)-1
			break
		}
	}
	if more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return cmp.Or(text, s.status.String())
}

func (u *part) testcase(g *show.Group) testcase {
	c := base(g)
	c.name += " " + u.first.name
	c.ms, c.status, c.message = u.ms, u.status(g), u.message
	switch {
	case u.first.line > 0:
		c.file, c.line = u.first.file, u.first.line
	case u.at.Line > 0:
		c.file, c.line = show.Line(u.at.File), u.at.Line
	}
	if v := u.first.verdict; v != nil && u.trials == 1 {
		c.properties = gradedProperties(v)
	}
	rate := ""
	if g.Stats != nil {
		c.properties = []property{{"trials", strconv.Itoa(u.trials)}, {"pass_rate", rateText(u.passed, u.trials)}}
		rate = fmt.Sprintf("%d of %s passed (%s)", u.passed, show.Plural(u.trials, "trial"),
			show.Percent(float64(u.passed)/float64(u.trials)))
	}
	switch {
	case c.status == result.Passed && len(u.failures.modes) > 0: // within its threshold
		c.output, c.message = rate+"\n"+u.failures.problems()+"\n"+u.failures.conversations(), ""
	case c.status == result.Passed:
		c.message = ""
		if v := u.first.verdict; v != nil && u.trials == 1 {
			c.output = judgementText(v)
		}
	default:
		if rate != "" {
			c.message = rate + ": " + c.message
		}
		c.body, c.output = c.message+"\n\n"+u.failures.problems(), u.failures.conversations()
		if c.status == result.Undecided {
			c.gate(g)
		}
	}
	return c
}

// status is the most severe status of the trials. Where some failed, the group's statistics decide whether too many
// did.
func (u *part) status(g *show.Group) result.Status {
	if gated(g) && u.worst != result.Passed && u.worst != result.Skipped && g.Status != result.Failed {
		return g.Status // it is the gate that concludes
	}
	if g.Stats == nil || u.worst != result.Failed {
		return u.worst
	}
	status, known := result.Skipped, false
	for i := range g.Stats.Assertions {
		a := &g.Stats.Assertions[i]
		if a.Turn == u.first.counted() && a.Eval == u.first.eval && (u.first.check < 0 || a.Index == u.first.check) {
			status, known = moreSevere(status, a.Status), true
		}
	}
	if !known {
		return u.worst
	}
	return status
}
