// Package github writes a run as GitHub workflow commands. GitHub shows them as annotations of the lines they name.
package github

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/evidence"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxOfAKind is the number of annotations of each kind that GitHub shows for a step. It drops the rest without a word.
const maxOfAKind = 10

// maxMessage bounds the text of an annotation, in bytes.
const maxMessage = 2000

// Write writes errors for groups that regressed (if the run is red by them), gates that did not pass, checks that
// failed or could not judge, and trials with an error, at most ten; warnings for gates that may be undecided, or passed
// with broken trials, and for warnings of the run, at most ten; and a notice with the totals, which is an error for a
// run that is red by fail_on or has no other error. Trials that failed in the same way share their errors. place says
// how to name a file; nil: as the run does.
func Write(w io.Writer, run *result.Run, place func(file string) string) error {
	out := &commands{bufio.NewWriter(w), place}
	byFailOn, limit := run.ByFailOn(), maxOfAKind
	if byFailOn {
		limit-- // the last one is the totals
	}
	limit -= writeOverdue(out, run, limit)
	written, more, err := writeErrors(out, run, limit)
	if err != nil {
		return err
	}
	for _, a := range warnings(run) {
		out.write("warning", a.pos, a.title, a.text)
	}
	text := show.Headline(run)
	if more > 0 {
		text += "; " + show.Plural(more, "more problem") + " in the reports"
	}
	kind := "notice"
	if byFailOn || (written == 0 && len(run.Overdue()) == 0 && run.ExitOfTrials() != result.ExitPassed) {
		kind = "error"
	}
	out.write(kind, diag.Pos{}, "arena", text)
	return out.Flush()
}

// WriteMistakes writes an error or a warning for each problem in files, at most ten of a kind.
func WriteMistakes(w io.Writer, list []diag.Diagnostic, place func(file string) string) error {
	out := &commands{bufio.NewWriter(w), place}
	written := map[diag.Severity]int{}
	for _, d := range list {
		if written[d.Severity]++; written[d.Severity] > maxOfAKind {
			continue
		}
		text := d.Msg
		if d.Hint != "" {
			text += "\n" + d.Hint
		}
		text = diag.HideSecrets(text)
		out.write(d.Severity.String(), d.Pos, "arena: "+d.Code, text)
	}
	return out.Flush()
}

// writeOverdue writes an error for each quarantine that is over.
func writeOverdue(out *commands, run *result.Run, limit int) (written int) {
	for _, q := range run.Overdue() {
		if written == limit {
			break
		}
		written++
		out.write("error", q.Position, show.Line(q.Scenario), show.Overdue(q))
	}
	return written
}

// writeErrors writes the errors up to the limit, and returns how many it wrote and left out.
func writeErrors(out *commands, run *result.Run, limit int) (written, more int, err error) {
	failures, err := show.Failures(run)
	if err != nil {
		return 0, 0, err
	}
	regressed := regressions(run, true)
	for _, a := range append(regressed, gates(run, false)...) { // each of them says more than one of its trials
		if written == limit {
			more++
			continue
		}
		written++
		out.write("error", a.pos, a.title, a.text)
	}
	for _, members := range failures {
		b := run.Briefs.At(members[0])
		t, err := run.Trials.Trial(members[0])
		if err != nil {
			return 0, 0, fmt.Errorf("trial %s: %w", b.ID, err)
		}
		for _, a := range annotations(t, b, len(members)-1) {
			if written == limit {
				more++
				continue
			}
			written++
			out.write("error", a.pos, a.title, a.text)
		}
	}
	return written, more, nil
}

// warnings are at most as many as are shown.
func warnings(run *result.Run) []annotation {
	all := append(regressions(run, false), gates(run, true)...)
	for _, text := range run.Warnings {
		all = append(all, annotation{diag.Pos{}, "arena", text})
	}
	return all[:min(len(all), maxOfAKind)]
}

// regressions are the groups that regressed against the baseline, if the run is red by them (red) or not.
func regressions(run *result.Run, red bool) (all []annotation) {
	if (show.FailOnMark(run, result.FailOnRegressed) != "") != red {
		return nil
	}
	changes := show.Changes(run)
	for g := range show.GroupsOf(run).All() {
		text := changes[run.Briefs.At(g.Trials[0]).GroupName()]
		if strings.HasPrefix(text, string(evidence.Regressed)) {
			at := diag.Pos{File: g.File, Line: g.Line}
			all = append(all, annotation{at, show.Line(g.Scenario) + " · " + g.ProviderLabel(), show.Line(text)})
		}
	}
	return all
}

// gates are the gates that did not pass: those that do not make the run red (allowed), or all others.
func gates(run *result.Run, allowed bool) (all []annotation) {
	for g := range show.GroupsOf(run).Several() {
		if !show.Early(g.Stats) || g.Stats.Gate.Rule != result.RuleGate && !g.Stats.Gate.Unmended() ||
			(g.Stats.Gate.Allowed() || g.Excuse != "" || g.Status == result.Passed) != allowed {
			continue
		}
		told := g.Status == result.Failed || g.Status == result.Errored || g.Status == result.Undecided
		if told || allowed && g.Stats.Gate.Broken > 0 {
			at, text := diag.Pos{File: g.File, Line: g.Line}, g.Rate()
			if g.Excuse != "" {
				text += " (" + show.Line(g.Excuse) + ")"
			}
			all = append(all, annotation{at, show.Line(g.Scenario) + " · " + g.ProviderLabel(), text})
		}
	}
	return all
}

type annotation struct {
	pos         diag.Pos
	title, text string
}

// annotations are the error of a trial and its problems.
func annotations(t *result.Trial, b *result.Brief, alike int) []annotation {
	title := show.Line(t.Scenario) + " · " + show.ProviderLabel(b)
	if alike > 0 {
		title += fmt.Sprintf(", and %s alike", show.Plural(alike, "more trial"))
	}
	var all []annotation
	if t.Error != "" {
		all = append(all, annotation{t.Position, title, show.TrialError(t)})
	}
	for _, p := range show.Problems(t) {
		text := p.Line()
		if p.Message != "" {
			text = show.Line(p.Message) + "\n" + text
		}
		for _, line := range p.JudgeLines() {
			text += "\n" + show.Clip(line, maxMessage/4)
		}
		pos := p.Position
		if pos.File == "" {
			pos = t.Position
		}
		all = append(all, annotation{pos, title, text})
	}
	if len(all) == 0 { // it did not fail by a check
		all = append(all, annotation{t.Position, title, show.Reason(t)})
	}
	return all
}

// commands writes workflow commands.
type commands struct {
	*bufio.Writer
	place func(file string) string // nil: unchanged
}

func (c *commands) write(kind string, pos diag.Pos, title, text string) {
	var properties []string
	if pos.File != "" {
		file := pos.File
		if c.place != nil {
			file = c.place(file)
		}
		properties = append(properties, "file="+property(file))
		if pos.Line > 0 {
			properties = append(properties, fmt.Sprintf("line=%d", pos.Line))
		}
	}
	properties = append(properties, "title="+property(show.Clip(title, 200)))
	fmt.Fprintf(c.Writer, "::%s %s::%s\n", kind, strings.Join(properties, ","),
		data(show.Clip(show.Clean(text), maxMessage)))
}

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func data(s string) string     { return dataEscapes.Replace(s) }
func property(s string) string { return propertyEscapes.Replace(show.Line(s)) }
