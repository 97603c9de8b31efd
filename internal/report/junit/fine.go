package junit

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// unit is a place of a group over its trials.
type unit struct {
	first   sight // gives it its name
	worst   result.Status
	trials  int
	passed  int
	ms      float64
	message string // of the worst trial
	told    telling
}

// fine reads the trials of a group and makes a testcase of each turn or check.
func (b *builder) fine(g *show.Group) ([]testcase, error) {
	var units []*unit
	at := map[place]*unit{}
	for _, i := range g.Trials {
		brief := &b.run.Briefs[i]
		t, err := b.run.Trials.Trial(i)
		if err != nil {
			return nil, fmt.Errorf("trial %s: %w", brief.ID, err)
		}
		for _, s := range sights(t, b.opts.Granularity) {
			u := at[s.place]
			if u == nil {
				u = &unit{first: s, worst: result.Skipped}
				at[s.place], units = u, append(units, u)
			}
			u.add(&s, trialName(t, brief))
		}
	}
	cases := make([]testcase, 0, len(units))
	red := false
	for _, u := range units {
		c := u.testcase(g)
		red = red || c.status == result.Failed || c.status == result.Errored
		cases = append(cases, c)
	}
	if !red && (g.Status == result.Failed || g.Status == result.Errored) {
		cases = append(cases, uncovered(g))
	}
	return cases, nil
}

// uncovered is the testcase of a group that is red although none of its parts is.
func uncovered(g *show.Group) testcase {
	c := base(g)
	c.name += " run"
	c.message = strings.TrimSuffix(g.Status.String()+": "+g.Rate(), ": ")
	c.body = c.message
	return c
}

// add counts the outcome of one trial and keeps what it has to say.
func (u *unit) add(s *sight, trial string) {
	u.trials++
	u.ms += s.ms
	if s.status == result.Passed {
		u.passed++
	}
	if message := s.message(); message != "" && (u.message == "" || worse(u.worst, s.status) != u.worst) {
		u.message = message
	}
	u.worst = worse(u.worst, s.status)
	if s.status == result.Passed || s.status == result.Skipped {
		return
	}
	u.told.add(s.key(), trial, s.describe)
}

// key is equal for sights that are alike.
func (s *sight) key() string {
	texts := []string{s.reason}
	for _, p := range s.problems {
		texts = append(texts, p.Seen())
	}
	return strings.Join(texts, "\x00")
}

func (s *sight) describe() string {
	var w strings.Builder
	if s.reason != "" {
		w.WriteString(s.reason + "\n")
	}
	for _, p := range s.problems {
		show.WriteProblem(&w, p, maxText)
	}
	if s.said != nil {
		show.WriteExchange(&w, s.said, maxText)
	}
	return w.String()
}

// message is why the sight is not a pass, in one line; "" when it is one.
func (s *sight) message() string {
	if s.status == result.Passed {
		return ""
	}
	text, more := s.reason, 0
	for _, p := range s.problems {
		if p.Status == s.status && (text == "" || s.status == result.Failed) {
			text, more = p.Line(), len(s.problems)-1
			break
		}
	}
	if more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return cmp.Or(text, s.status.String())
}

func (u *unit) testcase(g *show.Group) testcase {
	c := base(g)
	c.name += " " + u.first.name
	c.ms, c.status, c.message = u.ms, u.status(g), u.message
	if u.first.line > 0 {
		c.file, c.line = u.first.file, u.first.line
	}
	if v := u.first.verdict; v != nil && u.trials == 1 {
		c.properties = graded(v)
	}
	rate := ""
	if g.Stats != nil {
		c.properties = []property{{"trials", strconv.Itoa(u.trials)}, {"pass_rate", rateText(u.passed, u.trials)}}
		rate = fmt.Sprintf("%d of %s passed (%s)", u.passed, show.Plural(u.trials, "trial"),
			show.Percent(float64(u.passed)/float64(u.trials)))
	}
	switch {
	case c.status == result.Passed && len(u.told.ways) > 0: // within its threshold
		c.output, c.message = rate+"\n"+u.told.String(), ""
	case c.status == result.Passed:
		c.message = ""
		if v := u.first.verdict; v != nil && u.trials == 1 {
			c.output = judgement(v)
		}
	default:
		if rate != "" {
			c.message = rate + ": " + c.message
		}
		c.body = c.message + "\n\n" + u.told.String()
	}
	return c
}

// status is what the trials saw; where some failed, the group's statistics decide whether too many did.
func (u *unit) status(g *show.Group) result.Status {
	if g.Stats == nil || u.worst != result.Failed {
		return u.worst
	}
	status, known := result.Skipped, false
	for i := range g.Stats.Assertions {
		a := &g.Stats.Assertions[i]
		if a.Turn == u.first.turn && a.Eval == u.first.eval && (u.first.check < 0 || a.Index == u.first.check) {
			status, known = worse(status, a.Status), true
		}
	}
	if !known {
		return u.worst
	}
	return status
}
