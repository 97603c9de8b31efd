package show

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// Reason is why a trial did not pass, in one line: its first problem, the worst kind first, and how many more there
// are. "" for a trial that passed.
func Reason(t *result.Trial) string {
	switch t.Status {
	case result.Skipped:
		return cmp.Or(Line(t.Skip), "skipped")
	case result.Cancelled:
		return "stopped before it finished"
	default:
	}
	problems := Problems(t)
	slices.SortStableFunc(problems, func(a, b Problem) int { return int(b.Status) - int(a.Status) })
	more := len(problems) - 1
	var text string
	switch {
	case t.Error != "" && (len(problems) == 0 || problems[0].Status != result.Failed):
		text, more = TrialError(t), 0 // the checks that had nothing to look at follow from it
	case len(problems) > 0:
		text = problems[0].Line()
	case t.Status != result.Passed:
		return t.Status.String()
	}
	if more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// TrialError is the trial's error on one line, with the turn in which it came up when the text does not say.
func TrialError(t *result.Trial) string { return withTurn(Line(t.Error), t) }

// TrialErrorText is TrialError with its lines: what differs from a recording, say, is easier to see below each other.
func TrialErrorText(t *result.Trial) string { return withTurn(strings.TrimSpace(Clean(t.Error)), t) }

func withTurn(text string, t *result.Trial) string {
	for i := range t.Turns {
		turn := &t.Turns[i]
		if place := Place(turn.Index); turn.Error != "" && !strings.Contains(text, place) {
			return text + " (" + place + ")"
		}
	}
	return text
}

// Checks says how many of a trial's checks did not hold, such as "2 of 7 checks failed"; "" when all did.
func Checks(c result.CheckCount) string {
	switch {
	case c.Failed > 0:
		return fmt.Sprintf("%d of %s failed", c.Failed, Plural(c.Total, "check"))
	case c.Errors > 0:
		return fmt.Sprintf("%d of %s could not be judged", c.Errors, Plural(c.Total, "check"))
	}
	return ""
}

// Who names the provider of a trial, with the region when it is not the default one, and the conversation when it was
// recorded and one of several.
func Who(b *result.Brief) string { return who(b.Provider, b.Region, b.Session) }

func who(provider, region, session string) string {
	who := cmp.Or(Line(provider), "(no provider)")
	if region != "" && region != "default" {
		who += " · " + Line(region)
	}
	if session != "" {
		who += " · " + Line(session)
	}
	return who
}

// Number is how the trial is told from the others of its group: "#2"; "" when it is alone.
func Number(b *result.Brief) string {
	if b.Trials > 1 {
		return "#" + strconv.Itoa(b.Trial)
	}
	return ""
}

// Variant lists the perturbations of a trial: Tone=rude, City="New York".
func Variant(v map[string]string) string {
	parts := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, Line(name)+"="+bare(v[name]))
	}
	return strings.Join(parts, ", ")
}

func bare(s string) string {
	if s == "" || strings.ContainsAny(s, " ,=\"\n\t") {
		return Value(s)
	}
	return Line(s)
}

// Call writes a tool call as people write one: issue_refund(order_id="A-1001", amount=49.99) → {"status":"ok"}.
func Call(c *result.ToolCall) string {
	var b strings.Builder
	b.WriteString(Line(c.Name) + "(")
	if c.BadArgs != "" {
		b.WriteString(Line(c.BadArgs))
	}
	for i, name := range slices.Sorted(maps.Keys(c.Args)) {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(Line(name) + "=" + Value(c.Args[name]))
	}
	b.WriteString(")")
	switch {
	case c.Error != "":
		b.WriteString(" → error: " + Line(c.Error))
	case c.Result != "":
		b.WriteString(" → " + Line(c.Result))
	}
	return b.String()
}
