package term

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// failedTurn is the problems of one turn, or of the conversation.
type failedTurn struct {
	turn     int // -1: the conversation
	problems []show.Problem
}

// evidence adds the failed turns, each with its messages and its failed checks.
func (b *block) evidence() {
	t := b.trial
	places := failedTurns(t)
	if t.Error != "" {
		b.labelled("error", yellow, show.TrialErrorText(t), maxError)
		if len(places) == 0 {
			b.exchange(brokenTurn(t))
		}
	}
	limit := b.p.lines(maxTurns)
	for i, at := range places {
		if limit > 0 && i == limit {
			more := 0
			for _, rest := range places[i:] {
				more += len(rest.problems)
			}
			b.add((&row{}).gap(2).add(dim, fmt.Sprintf("… and %s in later turns", show.Plural(more, "more check"))))
			break
		}
		b.failedTurn(at, i == 0)
	}
	b.refused(places)
	b.notRun()
}

// refused adds the calls that arena did not run, of turns that are not shown.
func (b *block) refused(shown []failedTurn) {
	limit, told := b.p.lines(maxCalls), 0
	var broken *result.Turn
	if len(shown) == 0 && b.trial.Error != "" || len(shown) > 0 && shown[0].turn < 0 {
		broken = brokenTurn(b.trial)
	}
	for i := range b.trial.Turns {
		turn := &b.trial.Turns[i]
		if turn == broken || slices.ContainsFunc(shown, func(at failedTurn) bool { return at.turn == turn.Index }) {
			continue
		}
		for k := range turn.ToolCalls {
			call := &turn.ToolCalls[k]
			if !call.Refused || limit > 0 && told == limit {
				continue
			}
			told++
			b.labelled(show.TurnLabel(turn.Index)+"  refused", yellow, show.Call(call), 3)
		}
	}
}

// failedTurns groups the problems of a trial by turn.
func failedTurns(t *result.Trial) []failedTurn {
	var all []failedTurn
	for _, p := range show.Problems(t) {
		if len(all) == 0 || all[len(all)-1].turn != p.Turn {
			all = append(all, failedTurn{turn: p.Turn})
		}
		last := &all[len(all)-1]
		last.problems = append(last.problems, p)
	}
	return all
}

// brokenTurn is the turn that the trial's error belongs to: the one with an error, or else the last that ran.
func brokenTurn(t *result.Trial) *result.Turn {
	var last *result.Turn
	for i := range t.Turns {
		if turn := &t.Turns[i]; turn.NotRun == "" {
			last = turn
			if turn.Error != "" {
				break
			}
		}
	}
	return last
}

func (b *block) failedTurn(at failedTurn, first bool) {
	switch {
	case at.turn >= 0:
		b.exchange(turnOf(b.trial, at.turn))
	case first: // only the conversation failed: show how it ended
		b.exchange(brokenTurn(b.trial))
		fallthrough
	default:
		b.add((&row{}).gap(2).add(dim, show.TurnLabel(-1)))
	}
	width := 0
	for _, p := range at.problems {
		width = max(width, min(show.Width(show.Line(p.Name())), min(28, b.width-14)))
	}
	limit := b.p.lines(maxChecks)
	for i, p := range at.problems {
		if limit > 0 && i == limit {
			b.add((&row{}).gap(4).add(dim, "… and "+show.Plural(len(at.problems)-i, "more check")))
			return
		}
		b.check(p, width)
	}
}

func turnOf(t *result.Trial, index int) *result.Turn {
	for i := range t.Turns {
		if t.Turns[i].Index == index {
			return &t.Turns[i]
		}
	}
	return nil
}

const (
	turnWidth    = 8 // "turn 2" and two spaces
	speakerWidth = 5 // user, agent, tools, guard
)

// exchange adds the messages, tool calls and guardrails of a turn.
func (b *block) exchange(t *result.Turn) {
	if t == nil {
		return
	}
	label := show.TurnLabel(t.Index)
	narrow := b.width < 60
	indent := 2 + turnWidth + speakerWidth + gap
	if narrow {
		b.add((&row{}).gap(2).add(dim, label))
		label, indent = "", 4+speakerWidth+2
	}
	all := show.Exchange(t)
	limit := b.p.lines(maxCalls)
	for i, said := range all {
		if limit > 0 && i == limit {
			b.add((&row{}).gap(indent).add(dim, fmt.Sprintf("… and %d more", len(all)-i)))
			return
		}
		for k, line := range show.Wrap(said.Text, b.width-indent, b.p.lines(3)) {
			r := &row{}
			switch {
			case k > 0:
				r.gap(indent)
			case narrow:
				r.gap(4).right(dim, said.Who, speakerWidth).gap(2)
			default:
				r.gap(2).cell(dim, label, turnWidth).right(dim, said.Who, speakerWidth).gap(gap)
			}
			b.add(r.add(plain, line))
			label = ""
		}
	}
}

// check adds a verdict: the check and its position, then what it saw and what it expected.
func (b *block) check(p show.Problem, typeWidth int) {
	mark, as := sign(p.Status)
	r := (&row{}).gap(4).add(as, mark).gap(1).cell(plain, show.Line(p.Name()), typeWidth)
	at := show.Position(p.Position)
	seen, message := p.SeenAndScore(), show.Line(p.Message)
	room := b.width - r.width - gap
	if at != "" {
		room -= show.Width(at) + 2
	}
	switch {
	case message != "" && show.Width(message) <= max(room, b.width-r.width-gap):
		r.gap(gap).add(plain, message)
	case message != "":
		b.addWithPosition(r, at, 8)
		b.wrapped(plain, message, 2)
		r = nil
	case show.Width(seen) <= room:
		r.gap(gap).add(plain, seen)
		seen = ""
	}
	if r != nil {
		b.addWithPosition(r, at, 8)
	}
	b.wrapped(plain, seen, 4)
	if expected, got := p.Expected(); expected != "" && got != "" && !strings.Contains(seen, expected) {
		b.wrapped(plain, "expected "+expected, 3)
		b.wrapped(plain, "     got "+got, 3)
	}
	b.judged(p)
}

func (b *block) wrapped(as style, text string, limit int) {
	if text == "" {
		return
	}
	for _, line := range show.Wrap(text, b.width-8, b.p.lines(limit)) {
		b.add((&row{}).gap(8).add(as, line))
	}
}

// notRun adds a line about the turns that were not run.
func (b *block) notRun() {
	for i := range b.trial.Turns {
		if turn := &b.trial.Turns[i]; turn.NotRun != "" {
			text := show.TurnLabel(turn.Index)
			if rest := len(b.trial.Turns) - i; rest > 1 {
				text += " and " + show.Plural(rest-1, "more turn")
			}
			text += " not run: " + show.Line(turn.NotRun)
			b.add((&row{}).gap(2).add(dim, text).cut(b.width))
			return
		}
	}
}
