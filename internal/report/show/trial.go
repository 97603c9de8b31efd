package show

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/sortby"
)

// Reason says in one line why a trial did not pass: its most severe problem, and how many more there are. It is "" for
// a trial that passed.
func Reason(t *result.Trial) string {
	switch t.Status {
	case result.Skipped:
		return cmp.Or(Line(t.Skip), "skipped")
	case result.Cancelled:
		return "stopped before it finished"
	default:
	}
	problems := Problems(t)
	sortby.Func(problems, func(a, b Problem) int { return int(b.Status) - int(a.Status) })
	more := len(problems) - 1
	var text string
	switch {
	case t.Error != "" && (len(problems) == 0 || problems[0].Status != result.Failed):
		text, more = TrialError(t), 0 // the other problems follow from the error
	case len(problems) > 0:
		text = problems[0].LabelledLine()
	case t.Status != result.Passed:
		return t.Status.String()
	}
	if more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// TrialError is the trial's error on one line, with its turn if the text does not name it.
func TrialError(t *result.Trial) string { return withTurn(Line(t.Error), t) }

// TrialErrorText is TrialError with its line breaks. Differences from a recording, for example, take several lines.
func TrialErrorText(t *result.Trial) string { return withTurn(strings.TrimSpace(Clean(t.Error)), t) }

func withTurn(text string, t *result.Trial) string {
	for i := range t.Turns {
		turn := &t.Turns[i]
		if place := TurnLabel(turn.Index); turn.Error != "" && !strings.Contains(text, place) {
			return text + " (" + place + ")"
		}
	}
	return text
}

// Checks says how many of a trial's checks did not pass, such as "2 of 7 checks failed"; "" when all did.
func Checks(c result.CheckCount) string {
	switch {
	case c.Failed > 0:
		return fmt.Sprintf("%d of %s failed", c.Failed, Plural(c.Total, "check"))
	case c.Errors > 0:
		return fmt.Sprintf("%d of %s could not be judged", c.Errors, Plural(c.Total, "check"))
	}
	return ""
}

// ProviderLabel names the provider of a trial, with the region when it is not the default one, and the conversation
// when it was recorded and one of several.
func ProviderLabel(b *result.Brief) string { return providerLabel(b.Provider, b.Region, b.Session) }

func providerLabel(provider, region, session string) string {
	label := cmp.Or(Line(provider), "(no provider)")
	if region != "" && region != "default" {
		label += " · " + Line(region)
	}
	if session != "" {
		label += " · " + Line(session)
	}
	return label
}

// TrialNumber is the number of a trial within its group: "#2"; "" when it is the only one.
func TrialNumber(b *result.Brief) string {
	if b.Trials > 1 {
		return "#" + strconv.Itoa(b.Trial)
	}
	return ""
}

// Variant lists the perturbed variables of a trial: Tone=rude, City="New York".
func Variant(v map[string]string) string {
	parts := make([]string, 0, len(v))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		parts = append(parts, Line(name)+"="+quoteIfNeeded(v[name]))
	}
	return strings.Join(parts, ", ")
}

func quoteIfNeeded(s string) string {
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
	if c.Injected != "" {
		b.WriteString(" (chaos: " + Line(c.Injected) + ")")
	}
	return b.String()
}
