package scenario

import (
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/arena-evals/arena/internal/node"
)

// MockChoice is one of several replies among which a mock draws.
type MockChoice struct {
	Chance float64 // above 0, to 1; those of a reply are 1 in sum
	MockReply
}

// mockChoiceFields are the keys of one of several replies.
var mockChoiceFields = table("a reply of one_of", func() rows[mockReplyFile] {
	return append(rows[mockReplyFile]{
		num("chance", unit, func(r *mockReplyFile) *float64 { return &r.chance }).must().
			doc("How often the reply is drawn, above 0. Those of one_of are 1 in sum."),
	}, mockReplyRows()...)
}).shows("{chance: 0.5, content: …}")

// Each yields the reply, or its choices. They must not be changed.
func (r *MockReply) Each() iter.Seq[*MockReply] {
	return func(yield func(*MockReply) bool) {
		if len(r.OneOf) == 0 {
			yield(r)
			return
		}
		for i := range r.OneOf {
			if !yield(&r.OneOf[i].MockReply) {
				return
			}
		}
	}
}

// Draw returns the reply, or the choice whose part of the numbers from 0 to 1 contains at. It must not be changed.
func (r *MockReply) Draw(at float64) *MockReply {
	if len(r.OneOf) == 0 {
		return r
	}
	for i := range r.OneOf[:len(r.OneOf)-1] {
		if at -= r.OneOf[i].Chance; at < 0 {
			return &r.OneOf[i].MockReply
		}
	}
	return &r.OneOf[len(r.OneOf)-1].MockReply
}

// Draws tells whether the mock draws among several replies of the scenario.
func (m *MockScenario) Draws() bool {
	for i := range m.Turns {
		if r := m.Turns[i].Rich(); r != nil && len(r.OneOf) > 0 {
			return true
		}
	}
	draws := func(r MockReply) bool { return len(r.OneOf) > 0 }
	for _, rounds := range m.Steps {
		if slices.ContainsFunc(rounds, draws) {
			return true
		}
	}
	return slices.ContainsFunc(m.Summaries, draws)
}

// JudgesDraw tells whether a judge of the file draws among several replies.
func (f *MockFile) JudgesDraw() bool {
	for _, m := range f.Judges {
		if m.Draws() {
			return true
		}
	}
	return false
}

// mayCall tells whether the reply calls tools, or one of its choices does.
func (r *MockReply) mayCall() bool {
	for one := range r.Each() {
		if len(one.ToolCalls) > 0 {
			return true
		}
	}
	return false
}

// drawsCalls tells whether the draw of a reply with or without tool calls decides which replies later turns get.
func drawsCalls(s *Scenario, canned *MockScenario) bool {
	draws := func(r *MockReply) bool {
		if !r.mayCall() {
			return false
		}
		for one := range r.Each() {
			if len(one.ToolCalls) == 0 {
				return true
			}
		}
		return false
	}
	for i := range s.Turns {
		for _, r := range s.Turns[i].Inline() {
			if draws(&r) {
				return true
			}
		}
	}
	return slices.ContainsFunc(canned.Turns, func(t MockTurn) bool { return t.reply != nil && draws(t.reply) })
}

// readOneOf reads the replies among which one is drawn.
func readOneOf(d *decoder, r *mockReplyFile, v *node.Node) {
	before, sum := d.Diags.Errors(), 0.0
	d.Items(v, "one_of", func(_ int, item *node.Node) {
		c, errors := mockReplyFile{}, d.Diags.Errors()
		if !mockChoiceFields.read(d, item, &c) {
			return
		}
		if at := node.Get(item, "chance"); at != nil && c.chance == 0 && d.Diags.Errors() == errors {
			d.Errorf(at, "out-of-range", "a reply with the chance 0 is never drawn").Hint = "take it out"
		}
		d.checkMockReply(item, &c, errors)
		sum += c.chance
		r.OneOf = append(r.OneOf, MockChoice{c.chance, c.MockReply})
	})
	switch {
	case d.Diags.Errors() > before || v.Kind != node.List:
	case len(r.OneOf) == 0:
		d.Errorf(v, "empty-value", "one_of has no replies")
	case math.Abs(sum-1) > 1e-9:
		d.Errorf(v, "wrong-sum", "the chances of one_of are %s in sum, and must be 1",
			strconv.FormatFloat(sum, 'g', 6, 64)).Hint = lacking(sum)
	}
}

func lacking(sum float64) string {
	if sum > 1 {
		return "lower them"
	}
	return "add the reply of the other " + strconv.FormatFloat(1-sum, 'g', 6, 64) + ", or raise them"
}

// aloneWithOneOf reports keys beside one_of, which would have no effect.
func (d *decoder) aloneWithOneOf(n *node.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Value != "one_of" {
			d.Errorf(k, "conflicting-fields", "%s cannot stand beside one_of", k.Value).
				Hint = "write it into the replies of one_of"
		}
	}
}
