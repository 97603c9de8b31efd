package show

import (
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// Guardrail says in one line what a guardrail that fired did, and why.
func Guardrail(f *result.Firing) string {
	v := &f.Verdict
	text, why := Line(v.Type), v.Explanation
	whose := "reply"
	if f.Direction == "input" {
		whose = "user's words"
	}
	switch {
	case v.Status == result.Errored:
		text, why = text+" could not judge the "+whose, v.Error
	case f.Action == result.Replaced:
		text += " replaced the reply"
	case f.Action == result.Cut:
		text += " cut the reply"
	case f.Action == result.Blocked:
		text += " answered in place of the model"
	case f.MonitorOnly:
		text += " fired and only watches"
	default:
		text += " fired"
	}
	if why != "" {
		text += ": " + Line(why)
	}
	switch {
	case f.StreamClosed && f.TokensSaved != nil:
		text += " (stream closed, at most " + Plural(*f.TokensSaved, "token") + " saved)"
	case f.StreamClosed:
		text += " (stream closed)"
	}
	return text
}

// Guardrails counts fired guardrails (unless RunNotes does), monitoring ones, and closed streams; nil: none.
func Guardrails(run *result.Run) (all []string) {
	n := run.Summary.Guards
	if n == nil {
		return nil
	}
	if n.Fired > 0 && !run.FailsOn(result.FailOnGuardrail) {
		all = append(all, Plural(n.Fired, "guardrail")+" fired")
	}
	if n.Monitored > 0 {
		all = append(all, Count(n.Monitored)+" watched")
	}
	if n.StreamsClosed > 0 {
		text := Plural(n.StreamsClosed, "stream") + " closed"
		if n.TokensSaved > 0 {
			text += " (at most " + Plural(n.TokensSaved, "token") + " saved)"
		}
		all = append(all, text)
	}
	return all
}

// GuardNote names the guardrails that fired in a trial; "" when none did.
func GuardNote(t *result.Trial) string {
	var names []string
	for i := range t.Turns {
		for j := range t.Turns[i].Guardrails {
			f := &t.Turns[i].Guardrails[j]
			if name := Line(f.Verdict.Type); f.Verdict.Status == result.Failed && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " fired"
}
