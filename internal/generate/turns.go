package generate

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// turns writes the user's messages, with the replies and the assertions of each turn.
func (w *builder) turns() (*node.Node, error) {
	if err := w.s.Composed(); err != nil {
		return nil, err
	}
	list := node.NewList()
	for n, turn := range recording.Turns(w.s.Messages) {
		one, err := w.turn(n, turn)
		if err != nil {
			return nil, err
		}
		if one != nil {
			list.Content = append(list.Content, one)
		}
	}
	switch {
	case len(list.Content) == 0 && w.s.Error != "":
		return nil, fmt.Errorf("nobody answered in it; it broke off: %s", w.s.Error)
	case len(list.Content) == 0:
		return nil, errors.New("nobody answered in it")
	case w.s.Error != "":
		if err := w.breakOff(list.Content[len(list.Content)-1]); err != nil {
			return nil, err
		}
	}
	for _, turn := range list.Content {
		if len(node.Get(turn, "mock").Content) == 0 {
			return nil, errors.New("nobody answered in a turn before the last one")
		}
	}
	return list, nil
}

// turn writes one turn; nil when it has no user message or no reply.
func (w *builder) turn(n int, turn []recording.Message) (*node.Node, error) {
	asked := recording.UserText(turn)
	replies, err := w.replies(n, turn)
	if err != nil {
		return nil, err
	}
	spoke := slices.ContainsFunc(turn, func(m recording.Message) bool { return m.Role == chat.User })
	switch {
	case !spoke && len(replies) > 0:
		w.notef("what the assistant said before the user spoke is left out")
		return nil, nil
	case !spoke:
		return nil, nil
	case w.s.Error == "" && unanswered(turn):
		w.notef("turn %d is left out: nobody answered", n+1)
		return nil, nil
	case strings.TrimSpace(asked) == "" && !slices.ContainsFunc(turn, sendsMedia):
		return nil, fmt.Errorf("turn %d: the user says nothing", n+1)
	}
	sent, err := sentParts(turn)
	if err != nil {
		return nil, fmt.Errorf("turn %d: %w", n+1, err)
	}
	out := node.NewMap()
	node.Put(out, "role", node.Str("user"))
	if node.Put(out, "parts", sent); sent == nil {
		node.Put(out, "content", node.Str(asked))
	}
	if scenario.Templated(asked) || strings.Contains(asked, "assertions:") {
		node.Put(out, "literal", node.Bool(true))
	}
	if !w.streamed() && slices.ContainsFunc(turn, func(m recording.Message) bool { return m.Streamed }) {
		node.Put(out, "streaming", node.Bool(true))
	}
	node.Put(out, "mock", node.NewList(replies...))
	var given []recording.Verdict
	for i := range turn {
		given = append(given, turn[i].Verdicts...)
	}
	asserted, err := w.assertions(given, scenario.TurnAssertion, fmt.Sprintf("of turn %d", n+1))
	node.Put(out, "assertions", asserted)
	return out, err
}

func sendsMedia(m recording.Message) bool {
	return m.Role == chat.User && slices.ContainsFunc(m.Parts, func(p chat.Part) bool { return p.Media != nil })
}

// sentParts writes the messages of the user in a turn as parts; nil where they are text alone.
func sentParts(turn []recording.Message) (*node.Node, error) {
	if !slices.ContainsFunc(turn, sendsMedia) {
		return nil, nil
	}
	out := node.NewList()
	for i := range turn {
		m := &turn[i]
		if m.Role != chat.User {
			continue
		}
		list := m.Parts
		if len(list) == 0 {
			list = []chat.Part{{Type: "text", Text: m.Content}}
		}
		for k := range list {
			part, err := sentPart(&list[k])
			if err != nil {
				return nil, err
			}
			if part != nil {
				out.Content = append(out.Content, part)
			}
		}
	}
	return out, nil
}

// sentPart writes a part of a message of the user; nil for a text without a word.
func sentPart(p *chat.Part) (*node.Node, error) {
	out := node.NewMap()
	node.Put(out, "type", node.Str(p.Type))
	if p.Media == nil {
		if p.Text == "" {
			return nil, nil
		}
		node.Put(out, "text", node.Str(p.Text))
		return out, nil
	}
	m := p.Media
	source := jsonvalue.Object{"mime_type": m.MIMEType}
	data, err := "", error(nil)
	switch {
	case m.Local && m.Path != "":
		source["file_path"] = m.Path
	case m.URL != "":
		source["url"] = m.URL
	default:
		if data, err = m.Base64(); err != nil || data == "" {
			return nil, fmt.Errorf("the user sends a part of type %s, whose data the recording does not hold", p.Type)
		}
		source["data"] = data
	}
	if m.MIMEType == "" {
		delete(source, "mime_type")
	}
	if m.Detail != "" {
		source["detail"] = m.Detail
	}
	node.Put(out, "media", node.FromJSON(source))
	return out, nil
}

// unanswered reports whether a turn ends without a reply or with a tool call, and has no verdicts.
func unanswered(turn []recording.Message) bool {
	for i := len(turn) - 1; i >= 0; i-- {
		switch m := &turn[i]; {
		case len(m.Verdicts) > 0:
			return false
		case m.Role == chat.Assistant:
			return len(m.ToolCalls) > 0
		}
	}
	return true
}

// replies writes the replies of a turn. Consecutive messages are joined: a turn ends with the first message that calls
// no tool.
func (w *builder) replies(n int, turn []recording.Message) (list []*node.Node, err error) {
	var open *chat.Message
	for i := range turn {
		m := turn[i].Message
		if m.Role != chat.Assistant {
			continue
		}
		if w.guarded() && !m.Blocked() { // the model is not called in a blocked turn
			m = turn[i].Said()
		}
		if open != nil {
			w.notef("turn %d: consecutive messages of the assistant became one", n+1)
			joined := joinMessages(open, &m)
			list, m = list[:len(list)-1], joined
		}
		results := recording.Results(turn, i)
		dropOwnResults(results, m.ToolCalls)
		list = append(list, reply(&m, results, w.timed))
		if open = nil; len(m.ToolCalls) == 0 {
			open = &m
		}
	}
	return list, nil
}

func joinMessages(a, b *chat.Message) chat.Message {
	out := *b
	out.Content = strings.Trim(a.Text()+"\n\n"+b.Text(), "\n")
	if len(a.Parts) > 0 && a.Content == "" {
		out.Parts = append(slices.Clone(a.Parts), b.Parts...)
	}
	if a.Usage != nil && b.Usage != nil {
		out.Usage = new(a.Usage.Add(*b.Usage))
	}
	if a.CostUSD != nil && b.CostUSD != nil {
		out.CostUSD = new(*a.CostUSD + *b.CostUSD)
	}
	return out
}

// errorPrefix matches the start of arena's errors, which says where they occurred. A new run adds it again.
var errorPrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^turn \d+: (?:provider [^\s:]+: )?`)
})

// breakOff makes the last turn end in an error, as the recording did. When a reply ends the turn already, no model call
// is left that could fail, and the scenario would pass.
func (w *builder) breakOff(turn *node.Node) error {
	mock := node.Get(turn, "mock")
	if n := len(mock.Content); n > 0 && node.Get(mock.Content[n-1], "tool_calls") == nil {
		return fmt.Errorf("it broke off after its last reply, which a scenario cannot express: %s", w.s.Error)
	}
	broken := node.NewMap()
	why := oneLine(errorPrefix().ReplaceAllString(w.s.Error, ""), 500)
	node.Put(broken, "error", node.Str(cmp.Or(why, "the recording broke off")))
	mock.Content = append(mock.Content, broken)
	return nil
}
