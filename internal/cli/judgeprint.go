package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/fatih/color"

	"github.com/arena-evals/arena/internal/agreement"
	"github.com/arena-evals/arena/internal/calibrate"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/report/show"
)

const (
	maxDisagreements = 50
	maxTextLines     = 4  // of a text, a critique or a reasoning
	fewLabels        = 30 // below it, kappa says little
	labelWidth       = 12
)

// calibrationPage is the report for people. It collects the text, so that it is written at once.
type calibrationPage struct {
	strings.Builder
	report              *calibrate.Report
	width               int
	verbose             bool
	bold, dim, red, yel func(a ...any) string
	green               func(a ...any) string
}

func printCalibration(app *App, f *calibrateFlags, r *calibrate.Report) error {
	p := &calibrationPage{report: r, width: 100, verbose: f.verbose}
	if app.OutTTY {
		p.width = max(app.Width(), 40)
	}
	on := app.useColor(f.color, app.OutTTY)
	paint := func(attr color.Attribute) func(...any) string {
		c := color.New(attr)
		if c.DisableColor(); on {
			c.EnableColor()
		}
		return c.Sprint
	}
	p.bold, p.dim, p.red = paint(color.Bold), paint(color.Faint), paint(color.FgRed)
	p.yel, p.green = paint(color.FgYellow), paint(color.FgGreen)
	p.head()
	if r.N > 0 {
		p.table()
	}
	p.measures()
	p.disagreements()
	p.foot(f.out)
	_, err := io.WriteString(painted(app.Out, on), p.String())
	return err
}

func (p *calibrationPage) line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// head says what was compared.
func (p *calibrationPage) head() {
	r := p.report
	passes := "passes at 1.00"
	switch {
	case r.MinScore != nil && r.MaxScore != nil:
		passes = fmt.Sprintf("passes from %s to %s", show.Score(*r.MinScore), show.Score(*r.MaxScore))
	case r.MinScore != nil:
		passes = "passes from " + show.Score(*r.MinScore)
	case r.MaxScore != nil:
		passes = "passes up to " + show.Score(*r.MaxScore)
	}
	check := r.Check
	if at := show.Position(r.Position); at != "" {
		check += " (" + at + ")"
	}
	judge := "no judge answered"
	if r.Judge != "" {
		judge = "judge " + show.Line(r.Judge)
		if r.Model != "" && r.Model != r.Judge {
			judge += " (" + show.Line(r.Model) + ")"
		}
	}
	p.line("%s   %s", p.bold(show.Line(r.Labels)), plural.Count(r.Total, "label"))
	p.line("%s · %s · %s", show.Line(check), passes, judge)
	p.WriteString("\n")
}

// table is the confusion table.
func (p *calibrationPage) table() {
	t := p.report.Table
	p.line("%s%14s%14s", strings.Repeat(" ", labelWidth), "human pass", "human fail")
	p.line("%-*s%14s%14s", labelWidth, "judge pass", show.Count(t.TruePass), show.Count(t.FalsePass))
	p.line("%-*s%14s%14s", labelWidth, "judge fail", show.Count(t.FalseFail), show.Count(t.TrueFail))
	p.WriteString("\n")
}

func (p *calibrationPage) measures() {
	r, t := p.report, p.report.Table
	row := func(name string, value *float64, note string) {
		text := "-"
		if value != nil {
			text = signed(*value)
		}
		p.line("%-*s%-7s%s", labelWidth, name, text, note)
	}
	if r.N == 0 {
		row("kappa", nil, p.gate())
		p.left()
		return
	}
	row("agreement", r.Agreement, fmt.Sprintf("%d of %d", t.Agreements(), r.N)+between(r.AgreementInterval))
	row("kappa", r.Kappa, strings.TrimLeft(p.gate()+between(r.KappaInterval), " "))
	row("TPR", r.TPR, found(t.TruePass, t.Passes(), "pass"))
	row("TNR", r.TNR, found(t.TrueFail, t.Fails(), "fail"))
	p.left()
}

// left says what the measures leave out.
func (p *calibrationPage) left() {
	r := p.report
	if r.Errors > 0 {
		p.line("%-*s%-7d%s", labelWidth, "errors", r.Errors, p.yel("no decision; they are in none of these numbers"))
	}
	if r.Cancelled > 0 {
		p.line("%-*s%-7d%s", labelWidth, "not judged", r.Cancelled, p.yel("interrupted before"))
	}
	for _, note := range append(p.notes(), r.Notices...) {
		p.line("%-*s%s", labelWidth, "note", show.Line(note))
	}
	for _, warning := range r.Warnings {
		p.line("%s%s", p.yel(fmt.Sprintf("%-*s", labelWidth, "warning")), show.Line(warning))
	}
}

func found(n, of int, what string) string {
	if of == 0 {
		return "people " + what + " none of them"
	}
	return fmt.Sprintf("%d of the %d that people %s", n, of, what)
}

// gate says whether kappa reaches the minimum, or why it does not count.
func (p *calibrationPage) gate() string {
	r := p.report
	note := r.KappaNote
	switch {
	case r.MinKappa == nil:
		return note
	case r.Reached():
		return p.green("✓") + " at least " + signed(*r.MinKappa)
	case note != "":
		note += "; "
	}
	return p.red("✗") + " " + note + "needs at least " + signed(*r.MinKappa)
}

// between writes an interval; "": none.
func between(i *agreement.Interval) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf("   95%%: %s to %s", signed(i.Low), signed(i.High))
}

// signed writes a measure from -1 to 1. A value below 1 is never rounded to 1.
func signed(x float64) string {
	if x < 0 {
		return "-" + show.Score(-x)
	}
	return show.Score(x)
}

func (p *calibrationPage) notes() (notes []string) {
	r := p.report
	if r.Best != nil && r.Best.Kappa-*r.Kappa >= 0.01 {
		notes = append(notes, fmt.Sprintf("with a threshold of %s these scores would have a kappa of %s",
			show.Score(r.Best.MinScore), signed(r.Best.Kappa)))
	}
	if r.Kappa != nil && r.N < fewLabels {
		notes = append(notes, fmt.Sprintf("with %s kappa may be this by chance", plural.Count(r.N, "judgement")))
	}
	return notes
}

func (p *calibrationPage) disagreements() {
	shown, left := 0, 0
	for i := range p.report.Items {
		it := &p.report.Items[i]
		switch {
		case it.Status == calibrate.Agrees:
			continue
		case shown == maxDisagreements && !p.verbose:
			left++
			continue
		}
		shown++
		p.item(it)
	}
	if left > 0 {
		p.line("\n… and %d more; -v shows all, and --out has them", left)
	}
}

func (p *calibrationPage) item(it *calibrate.Item) {
	sign, said := p.red("✗"), "judge "+it.Judge
	if it.Status == calibrate.Broken {
		sign, said = p.yel("!"), "judge came to no decision"
	} else if it.Verdict.Score != nil {
		said += " " + show.Score(*it.Verdict.Score)
	}
	human := "human " + it.Human
	if it.Label != nil {
		human += " " + show.Score(*it.Label)
	}
	name := show.Position(it.Position)
	if it.ID != "" {
		name += " (" + show.Line(it.ID) + ")"
	}
	p.line("\n%s %s   %s · %s", sign, p.bold(name), human, said)
	p.text("input", it.Input)
	p.text("text", it.Text)
	p.text("critique", it.Critique)
	p.text("judge", it.Verdict.Explanation)
	p.text("error", it.Verdict.Error)
	problem := show.Problem{Verdict: &it.Verdict}
	for _, line := range problem.JudgeLines() {
		if line, ok := strings.CutPrefix(line, "votes "); ok {
			p.text("votes", line)
		} else if it.Status == calibrate.Broken && strings.HasPrefix(line, "replied ") {
			p.text("", line)
		}
	}
}

// text writes a labelled text, cut to a few lines unless -v is given.
func (p *calibrationPage) text(label, text string) {
	if text = strings.TrimSpace(show.Clean(text)); text == "" {
		return
	}
	limit := maxTextLines
	if p.verbose {
		limit = 0
	}
	for i, line := range show.Wrap(text, p.width-labelWidth, limit) {
		if i > 0 {
			label = ""
		}
		if label == "" {
			line = show.BreakCommand(line)
		}
		p.line("  %s%s", p.dim(fmt.Sprintf("%-*s", labelWidth-2, label)), show.BreakMarkers(line))
	}
}

// foot is the totals.
func (p *calibrationPage) foot(out string) {
	r := p.report
	parts := []string{plural.Count(r.Total, "label"), plural.Count(r.Table.FalsePass+r.Table.FalseFail, "disagreement")}
	if r.Errors > 0 {
		parts = append(parts, plural.Count(r.Errors, "error"))
	}
	if r.Cancelled > 0 {
		parts = append(parts, fmt.Sprintf("%d not judged", r.Cancelled))
	}
	if j := r.Judges; j != nil {
		cost := "cost " + show.Unknown
		if j.CostUSD != nil {
			cost = show.Spent(j.CostUSD, j.SimulatedUSD)
		}
		parts = append(parts, show.Plural(j.Calls, "call"), show.TokensOf(j), cost)
	}
	p.line("\n%s", strings.Join(parts, "   "))
	if out != "" {
		p.line("%-*s%s", labelWidth, "written to", show.Line(out))
	}
}
