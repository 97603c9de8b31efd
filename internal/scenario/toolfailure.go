package scenario

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// ToolFailure is a failure to inject into calls of tools in one turn.
type ToolFailure struct {
	Tool        string        // or the beginning of names and a *
	Mode        string        // a word of failureModes
	Probability float64       // 0: always
	Message     string        // template; "": a text of arena
	Delay       time.Duration // of mode slow
	Pos         diag.Pos
}

// Fits reports whether a failure applies to a tool.
func (f *ToolFailure) Fits(tool string) bool { return Offers([]string{f.Tool}, tool) }

// How tools fail.
const (
	FailsByError   = "error"   // the tool is not run
	FailsByTimeout = "timeout" // the tool is not run
	FailsByReset   = "reset"   // the tool is not run
	FailsByDelay   = "slow"    // the tool is run after a delay
	FailsByGarbage = "garbage" // the tool is run, and its answer is replaced
)

const defaultDelay = 2 * time.Second

var chaosFields = table("chaos", func() rows[Turn] {
	return rows[Turn]{
		custom("tool_failures", listOf(failureFields), func(d *decoder, t *Turn, v *node.Node) {
			if v.Kind == node.List && len(v.Content) == 0 {
				d.Warnf(v, NoEffect, "tool_failures is empty: no tool fails").Hint = "name a tool, or take chaos out"
			}
			d.Items(v, "tool_failures", func(_ int, item *node.Node) {
				f := ToolFailure{Delay: defaultDelay}
				if failureFields.read(d, item, &f) {
					rare := t.rare()
					rare.Chaos = append(rare.Chaos, f)
					d.judgeFailure(item, rare.Chaos)
				}
			})
		}).must().
			doc("Tools that fail in this turn. The first rule counts that is for the tool and whose dice fall."),
	}
})

var failureFields = table("a tool failure", func() rows[ToolFailure] {
	return rows[ToolFailure]{
		custom("tool", text, func(d *decoder, f *ToolFailure, v *node.Node) {
			f.Pos = d.Pos(v)
			f.Tool, _ = d.Name(v, "tool")
			d.refer(toFailing, v)
		}).must().doc("The tool that fails; a * at the end stands for any end of a name, and alone for all tools."),
		word("mode", words(FailsByError, FailsByTimeout, FailsByDelay, FailsByReset, FailsByGarbage),
			func(f *ToolFailure) *string { return &f.Mode }).must().
			doc("How it fails: error, timeout and reset do not run the tool, and the model is told of an error; slow runs it " +
				"later; garbage runs it and gives the model a text that is cut, in place of the result."),
		custom("probability", unit, func(d *decoder, f *ToolFailure, v *node.Node) {
			p, ok := unit.Float(d, v, "probability")
			if f.Probability = p; ok && p == 0 {
				d.Warnf(v, "always", "probability: 0 means always").
					Hint = "remove the rule if the tool is not to fail, else the line"
			}
		}).preset("1").doc("How often it fails; 0 is always. The dice are the same in each run, and others in each " +
			"trial, turn and call."),
		str("message", func(f *ToolFailure) *string { return &f.Message }).
			doc("The text of the error, or what comes in place of the result with mode garbage."),
		custom("delay_ms", delays, func(d *decoder, f *ToolFailure, v *node.Node) {
			if ms, ok := d.Int(v, "delay_ms", int(delays.Low), int(delays.High)); ok {
				f.Delay = time.Duration(ms) * time.Millisecond
			}
		}).preset("2000").doc("How much later a tool is run with mode slow, in milliseconds."),
	}
})

var delays = keys.Number{Low: 1, High: float64(time.Hour / time.Millisecond), Integer: true}

// judgeFailure checks the combination of keys in the last rule, and whether earlier rules leave it any effect.
func (d *decoder) judgeFailure(item *node.Node, rules []ToolFailure) {
	f, before := &rules[len(rules)-1], rules[:len(rules)-1]
	if at := node.KeyOf(item, "message"); at != nil && f.Mode == FailsByDelay {
		d.Warnf(at, NoEffect, "message has no effect: with mode slow the tool answers as ever, only later").Hint =
			"take it out, or write mode: error or timeout"
	}
	if at := node.KeyOf(item, "delay_ms"); at != nil && f.Mode != FailsByDelay && f.Mode != "" {
		d.Warnf(at, NoEffect, "delay_ms has no effect: a tool that fails by %s is not slow", f.Mode).Hint =
			"take it out, or write mode: slow"
	}
	if f.Mode == FailsByGarbage && json.Valid([]byte(f.Message)) {
		d.Errorf(node.KeyOf(item, "message"), "no-garbage", "message: %q is JSON: an agent that reads it finds nothing amiss",
			f.Message).Hint = "write a text that is cut or is no JSON, or leave message out"
	}
	i := slices.IndexFunc(before, func(e ToolFailure) bool {
		return e.Tool != "" && (e.Probability == 0 || e.Probability >= 1) && covers(e.Tool, f.Tool)
	})
	if i >= 0 && f.Tool != "" {
		d.Warnf(item, NoEffect, "the failure of %s never happens: the rule for %s before it counts for each call", f.Tool,
			before[i].Tool).Hint = "give that rule a probability below 1, or put this one before it"
	}
}

// covers reports whether a tool name or pattern includes everything that another one matches.
func covers(name, other string) bool {
	prefix, wild := strings.CutSuffix(name, "*")
	return name == other || wild && strings.HasPrefix(other, prefix)
}

// DropChaos removes the injected tool failures from all scenarios, and returns how many turns had some.
func (s *Suite) DropChaos() (turns int) {
	for _, p := range s.Projects {
		for _, one := range p.Scenarios {
			for i := range one.Turns {
				if t := &one.Turns[i]; len(t.More().Chaos) > 0 {
					t.Rare.Chaos = nil
					turns++
				}
			}
		}
	}
	return turns
}
