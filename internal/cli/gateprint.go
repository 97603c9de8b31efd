package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
)

// namedScenarios is how many scenarios of a gate are named; the JSON has all.
const namedScenarios = 8

// print writes a table for each gate.
func (s *gatesShown) print(app *App) error {
	var b strings.Builder
	for i, g := range s.Gates {
		if i > 0 {
			b.WriteByte('\n')
		}
		g.write(&b)
	}
	if len(s.Counted) > 0 {
		fmt.Fprintf(&b, "\nwithout a gate, their trials are counted: %s\n", named(s.Counted))
	}
	_, err := fmt.Fprint(app.Out, b.String())
	return ifBroken(err)
}

func named(ids []string) string {
	more := len(ids) - namedScenarios
	if more <= 0 {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:namedScenarios], ", "), more)
}

func (s *gateShown) write(b *strings.Builder) {
	asked := s.asked()
	if ids := s.scenarios(); len(ids) > 0 {
		fmt.Fprintf(b, "%s: %s\n", named(ids), asked)
	} else {
		fmt.Fprintln(b, asked)
	}
	fmt.Fprintf(b, "passes after %s at the earliest, fails after %s, ends after %s\n", trialsOrNever(s.PassesAfter),
		trialsOrNever(s.FailsAfter), show.Plural(s.endsAfter(), "trial"))
	if s.Rule == result.RuleGate {
		fmt.Fprintf(b, "each of the two claims is wrong in at most %s of runs\n", show.Percent(1-s.Confidence))
	} else {
		b.WriteString("a count: it tells what came of these trials, and concludes nothing about the agent\n")
	}
	priced := len(s.Groups) > 0 && s.Agents[0].USD != nil
	header := []string{"agent passes", "passed", "failed", "undecided", "mean trials", "most"}
	if s.Rule == result.RuleCount && s.PassThreshold < 1 { // each assertion is counted by itself
		header[0] = "assertion holds"
	}
	if priced {
		header = append(header, s.costHeader())
	}
	rows := [][]string{header}
	for i := range s.Agents {
		rows = append(rows, s.Agents[i].row(priced))
	}
	b.WriteString("\n" + numbersRight(rows))
	s.writeCost(b, priced)
}

// endsAfter is after how many trials the last of all possible runs ends. That may be before the last trial: when no
// result of those that are left can decide it.
func (s *gateShown) endsAfter() (n int) {
	for i := range s.Agents {
		n = max(n, s.Agents[i].MostTrials)
	}
	return n
}

// asked is what a gate asks for, or what a count counts.
func (s *gateShown) asked() string {
	switch {
	case s.Rule == result.RuleGate:
		return show.Asked(&result.Gate{GateSpec: s.GateSpec})
	case s.PassThreshold < 1:
		return fmt.Sprintf("each assertion must hold in %s of %s (the strictest pass_threshold), "+
			"counted until that is certain", show.Percent(s.PassThreshold), show.Plural(s.Max, "trial"))
	}
	return fmt.Sprintf("all of %s must pass, counted until that is certain", show.Plural(s.Max, "trial"))
}

func trialsOrNever(n int) string {
	if n == 0 {
		return "no number of trials"
	}
	return show.Plural(n, "trial")
}

// row is a line of the table.
func (a *agentOdds) row(priced bool) []string {
	rate := strconv.FormatFloat(float64(int(a.Rate*1e6+0.5))/1e4, 'g', -1, 64) + "%"
	switch a.Line {
	case "pass_rate", "pass_threshold":
		rate += " the line"
	case "":
	default:
		rate += " may pass"
	}
	cells := []string{
		rate, chance(a.Passed), chance(a.Failed), chance(a.Undecided),
		strconv.FormatFloat(a.MeanTrials, 'f', 1, 64), show.Count(a.MostTrials),
	}
	if priced {
		cells = append(cells, show.Money(a.USD))
	}
	return cells
}

// chance writes a chance, so that what can happen is not 0% and what can fail to is not 100%.
func chance(p float64) string {
	switch {
	case p == 0:
		return "0%"
	case p >= 1-1e-12:
		return "100%"
	case p < 0.0005:
		return "<0.1%"
	case p > 0.9995:
		return ">99.9%"
	}
	return strconv.FormatFloat(100*p, 'f', 1, 64) + "%"
}

// costHeader tells what somebody pays from what mocks make up.
func (s *gateShown) costHeader() string {
	sum := 0.0
	for _, g := range s.Groups {
		sum += *g.TrialUSD
	}
	switch part := show.SimulatedPart(&sum, s.simulatedUSD); {
	case part == "":
		return "mean cost"
	case strings.HasPrefix(part, "$"):
		return "mean cost, in part" + show.Simulated
	}
	return "mean cost" + show.Simulated
}

// writeCost says what the cost is about.
func (s *gateShown) writeCost(b *strings.Builder, priced bool) {
	if len(s.Groups) == 0 {
		return
	}
	if !priced {
		b.WriteString("what it costs is not known: a price is missing\n")
		return
	}
	text := "the cost is that of"
	if n := len(s.Groups); n > 1 {
		text += fmt.Sprintf(" all %d groups of scenario, provider and region, were their agents alike,", n)
	} else {
		text += " the group,"
	}
	fmt.Fprintf(b, "%s by the lengths of the texts\n(4 characters a token, %d tokens a reply, %d a verdict)\n", text,
		runner.ReplyTokens, runner.VerdictTokens)
}
