package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// expenses are the expected calls, tokens and costs of one model.
type expenses struct {
	name          string
	trials        int
	calls         float64
	input, output float64 // tokens
	usd           float64
	unknown       bool    // the price is not known
	simulated     bool    // a mock or a recording answers
	simulatedUSD  float64 // of a total: the simulated part, which is not in usd
}

// add adds the usage and cost of some calls, several times.
func (x *expenses) add(times, calls float64, u chat.Usage, usd float64, unknown bool) {
	x.calls += times * calls
	x.input += times * float64(u.InputTokens)
	x.output += times * float64(u.OutputTokens)
	x.usd += times * usd
	x.unknown = x.unknown || unknown && u.Total() > 0
}

// cost writes the cost; unknown if a price is unknown.
func (x *expenses) cost() string {
	switch {
	case x.unknown:
		return show.Unknown
	case x.simulated:
		return show.Money(&x.usd) + show.Simulated
	case x.simulatedUSD > 0 && x.usd == 0:
		return show.Money(&x.simulatedUSD) + show.Simulated
	case x.simulatedUSD > 0:
		return show.Money(&x.usd) + " + " + show.Money(&x.simulatedUSD) + show.Simulated
	}
	return show.Money(&x.usd)
}

// forecast is the expected usage of a plan.
type forecast struct {
	rows   []*expenses
	byName map[string]*expenses
	listed bool // a price comes from the embedded table

	measured, guessed int // trials estimated from the last run, and from the lengths of their texts
}

func (f *forecast) row(name string, simulated bool) *expenses {
	x := f.byName[name]
	if x == nil {
		x = &expenses{name: name, simulated: simulated}
		f.byName[name] = x
		f.rows = append(f.rows, x)
	}
	return x
}

// pastKey identifies a group of trials in the results of a run.
type pastKey struct{ scenario, provider, region string }

// pastGroup sums the usage of the trials of a group in the last run.
type pastGroup struct {
	trials        int
	agent         result.Usage
	agentUSD      float64
	unpriced      bool
	judges, users pastSide
	context       pastSide
}

// pastGroups sums the trials of a run that were not cut short; nil: no run.
func pastGroups(last *result.JournalContent) map[pastKey]*pastGroup {
	past := map[pastKey]*pastGroup{}
	if last == nil {
		return past
	}
	for _, b := range last.Run.Briefs.All() {
		if b.Status != result.Passed && b.Status != result.Failed || b.Gone {
			continue
		}
		key := pastKey{b.Scenario, b.Provider, b.Region}
		if past[key] == nil {
			past[key] = &pastGroup{}
		}
		past[key].add(&b)
	}
	return past
}

func (p *pastGroup) add(b *result.Brief) {
	p.trials++
	p.agent.Usage, p.agent.Calls = p.agent.Add(b.Usage.Usage), p.agent.Calls+b.Usage.Calls
	if b.CostUSD != nil {
		p.agentUSD += *b.CostUSD
	} else {
		p.unpriced = true
	}
	p.judges.add(b.Judges)
	p.users.add(b.Users)
	p.context.add(b.Context)
}

// pastSide sums the usage of models other than agents.
type pastSide struct {
	result.Usage

	usd     float64
	unknown bool
}

func (p *pastSide) add(c *result.SideCost) {
	if c == nil {
		return
	}
	p.Usage.Usage, p.Calls = p.Add(c.Usage), p.Calls+c.Calls
	if c.CostUSD != nil {
		p.usd += *c.CostUSD
	} else {
		p.unknown = true
	}
}

// expect adds a number of trials to a row, each with a share of the total.
func (p *pastSide) expect(f *forecast, name string, trials int, share float64) {
	if p.Calls == 0 || trials == 0 {
		return
	}
	x := f.row(name, false)
	x.trials += trials
	x.add(share, float64(p.Calls), p.Usage.Usage, p.usd, p.unknown)
}

// expect adds n trials with the average usage of the last run. again of them are only judged again, without their
// agent. Today's price is used if it is known: in the last run, replies from a cache or a recording cost nothing.
func (p *pastGroup) expect(f *forecast, t *runner.Trial, n, again int) {
	agents := n - again
	usd, unknown := p.agentUSD, p.unpriced
	if price := runner.PriceOf(t.Endpoint); price != nil {
		usd, unknown = price.USD(p.agent.Usage), false
	}
	if agents > 0 {
		x := f.row(t.Endpoint.Spec.ID, t.Endpoint.Simulated)
		x.trials += agents
		f.listed = f.listed || !t.Endpoint.Simulated && providers.Listed(t.Endpoint.Spec)
		x.add(float64(agents)/float64(p.trials), float64(p.agent.Calls), p.agent.Usage, usd, unknown)
	}
	p.users.expect(f, "users", agents, float64(agents)/float64(p.trials))
	p.context.expect(f, "context policy", agents, float64(agents)/float64(p.trials))
	p.judges.expect(f, "judges", n, float64(n)/float64(p.trials))
}

// expect estimates the trials of a plan. A group that ran with the same fingerprint in the last run is estimated from
// that run. All others are estimated from the lengths of their texts. Kept trials cost nothing, and trials that only
// evals judge again need no agent. resumed is nil for a new run.
func (f *runFlags) expect(plan *runner.Plan, last *result.JournalContent, resumed *resumption) *forecast {
	counts, judged, same := map[groupKey]int{}, map[groupKey]int{}, f.ranBefore(plan, last)
	for t, n := range plan.Sizes() {
		if rule := t.Rule(); rule != nil {
			n = min(n, rule.Max) // numbers above Max are for trials that replace others
		}
		counts[groupOf(t)] += n
	}
	if resumed != nil {
		for _, i := range resumed.notRun() {
			if i < plan.Len() { // others are not in the plan any more
				t := plan.Trial(i)
				counts[groupOf(&t)]--
			}
		}
		for i := range resumed.unjudged {
			t := plan.Trial(i)
			judged[groupOf(&t)]++
		}
	}
	out, past := &forecast{byName: map[string]*expenses{}}, pastGroups(last)
	for t := range plan.Sizes() {
		n, again := counts[groupOf(t)], judged[groupOf(t)]
		delete(counts, groupOf(t)) // a group may be listed several times
		if n <= 0 {
			continue
		}
		p := past[pastKey{t.Scenario.ID, t.Endpoint.Spec.ID, t.Region}]
		if !same[groupOf(t)] {
			p = nil
		}
		if p != nil {
			out.measured += n
			p.expect(out, t, n, again)
		} else {
			out.guessed += n
		}
		for _, x := range plan.Estimate(t, f.callParameters()) {
			agents := n - again
			switch {
			case x.Judge && (p == nil || p.judges.Calls == 0): // the last run had no judges
				out.guess(&x, n)
			case !x.Judge && p == nil && agents > 0:
				out.guess(&x, agents)
			}
		}
	}
	return out
}

// ranBefore returns the groups that ran in the last run with the same fingerprint; nil: no run.
func (f *runFlags) ranBefore(plan *runner.Plan, last *result.JournalContent) map[groupKey]bool {
	same := map[groupKey]bool{}
	if last == nil {
		return same
	}
	ran, numbers := map[string]bool{}, []int{}
	for _, e := range last.Entries {
		ran[e.Fingerprint], numbers = true, append(numbers, e.Number)
	}
	slices.Sort(numbers)
	opts := f.trialOptions()
	prints := runner.NewFingerprints(&opts)
	for t := range plan.Asked(slices.Compact(numbers), rounds(last.Entries)) {
		if key := groupOf(t); !same[key] {
			same[key] = ran[prints.Of(t)]
		}
	}
	return same
}

// guess adds n trials, estimated from the lengths of their texts.
func (f *forecast) guess(x *runner.Expense, n int) {
	name := x.Model.ID
	switch {
	case x.Judge:
		name = "judge " + name
	case x.User:
		name = "user " + name
	case x.Context:
		name = "context " + name
	}
	usd := 0.0
	if x.USD != nil {
		usd = *x.USD
	}
	row := f.row(name, x.Simulated)
	row.trials += n
	f.listed = f.listed || !x.Simulated && providers.Listed(x.Model)
	row.add(float64(n), x.Calls, x.Usage, usd, x.USD == nil)
}

// print writes the forecast as a table, with its basis.
func (f *forecast) print(app *App, dir string, saves bool) error {
	rows := [][]string{{"provider", "trials", "calls", "input tokens", "output tokens", "cost"}}
	total := &expenses{name: "total", trials: f.measured + f.guessed}
	for _, x := range f.rows {
		rows = append(rows, x.row())
		total.calls, total.input, total.output = total.calls+x.calls, total.input+x.input, total.output+x.output
		total.unknown = total.unknown || x.unknown
		if x.simulated {
			total.simulatedUSD += x.usd
		} else {
			total.usd += x.usd
		}
	}
	if len(f.rows) > 1 {
		rows = append(rows, total.row())
	}
	if _, err := fmt.Fprintf(app.Out, "%s\n%s\n", numbersRight(rows), f.basis(dir, saves)); err != nil {
		return broken(err)
	}
	return nil
}

func (x *expenses) row() []string {
	return []string{
		diag.Safe(x.name), show.Count(x.trials), roundedUp(x.calls), roundedUp(x.input), roundedUp(x.output), x.cost(),
	}
}

// numbersRight writes a table: first column to the left, all others to the right.
func numbersRight(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func roundedUp(v float64) string { return show.Count(int(math.Ceil(v))) }

// basis says what the forecast is based on, and what it leaves out.
func (f *forecast) basis(dir string, saves bool) string {
	var parts []string
	if f.measured > 0 {
		parts = append(parts, fmt.Sprintf("%s by what the last run in %s took", show.Plural(f.measured, "trial"), dir))
	}
	if f.guessed > 0 {
		parts = append(parts, fmt.Sprintf(
			"%s by the lengths of the texts (4 characters a token, %d tokens a reply, %d a verdict)",
			show.Plural(f.guessed, "trial"), runner.ReplyTokens, runner.VerdictTokens))
	}
	if len(parts) == 0 {
		return "no trial is left to run"
	}
	text := "estimated " + strings.Join(parts, " and ") + ", without retries, embeddings and programs"
	if saves {
		text += "\nreplies that --cache or --record hold cost nothing; which these are is not looked up"
	}
	if f.listed {
		text += "\nlist prices are those of " + providers.ListPricesOf() +
			"; pricing in the config or in the file of a provider goes before them"
	}
	for _, x := range f.rows {
		if x.unknown {
			return text + "\nwrite pricing in the config (by model), or in the file of a provider, to see what it costs"
		}
	}
	return text
}

// estimateRun prints what the run may take, and runs nothing.
func (f *runFlags) estimateRun(app *App, suite *scenario.Suite, plan *runner.Plan, out *harness.Outputs) error {
	dir := diag.Safe(out.Dir)
	if f.resumes() {
		file, resumed, err := f.openResumed(app, suite, plan, out)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // read only
		return f.printForecast(app, plan, f.expect(plan, resumed.ledger, resumed), dir)
	}
	return f.printForecast(app, plan, f.expect(plan, app.lastRun(out), nil), dir)
}

func (f *runFlags) printForecast(app *App, plan *runner.Plan, of *forecast, dir string) error {
	if err := of.print(app, dir, f.saves()); err != nil {
		return err
	}
	for _, note := range f.fewerTrialsNotes(plan, of.measured+of.guessed) {
		if _, err := fmt.Fprintln(app.Out, note); err != nil {
			return broken(err)
		}
	}
	return nil
}

// saves reports whether a cache or a recording may spare some calls.
func (f *runFlags) saves() bool { return f.cache != "" || f.cassettes.Record != "" }

// lastRun reads the last run of a folder; nil: none, or unreadable.
func (app *App) lastRun(out *harness.Outputs) *result.JournalContent {
	file, err := out.LastJournal()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer func() { _ = file.Close() }() // read only
		var ledger *result.JournalContent
		if ledger, err = result.ReadJournal(file); err == nil {
			return ledger
		}
	}
	app.remark("the last run in %s cannot be read: %v", diag.Safe(out.Dir), err)
	return nil
}
