package conformance

import (
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// subject makes the subject of the vector's check.
func (c *vectorContext) subject(scope string) *checks.Subject {
	s := c.over(c.transcript(), scope)
	// The format counts no reply as an empty one, for it describes checks and not conversations that broke off.
	if !s.HasReply() || c.Output != nil && s.Output() != *c.Output {
		s = c.over(c.replied(s), scope)
	}
	c.calls(s)
	c.spend(s)
	return s
}

// over is the subject of a transcript, without calls and measures.
func (c *vectorContext) over(messages []chat.Message, scope string) *checks.Subject {
	s := &checks.Subject{
		Session: scope == checks.ScopeSession, Turn: -1, Messages: messages, Metadata: c.Metadata, Variables: c.Variables,
		Workflow: c.workflow(), Composition: c.composition(), Scenario: c.Scenario.info(),
	}
	if !s.Session {
		s.Start, s.Turn = checks.LastTurn(s.Messages)
	}
	return s
}

// info is the part of a scenario that its judge sees.
func (v *vectorScenario) info() *checks.ScenarioInfo {
	if v == nil {
		return nil
	}
	return &checks.ScenarioInfo{
		Name: v.Name, Description: v.Description, ExpectedOutcome: v.ExpectedOutcome, Stdout: v.Stdout,
		Input: lines(v.Input), Expected: lines(v.Expected),
	}
}

// lines is a text, or a list of texts with a line for each.
func lines(v any) string {
	if v == nil {
		return ""
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = jsonvalue.Text(item)
	}
	return strings.Join(texts, "\n")
}

// replied is the transcript with the output as the text of the last assistant message in scope.
func (c *vectorContext) replied(s *checks.Subject) []chat.Message {
	text := ""
	if c.Output != nil {
		text = *c.Output
	}
	if said := s.Texts(); len(said) > 0 {
		s.Messages[said[len(said)-1].Index].Content = text
		return s.Messages
	}
	m := chat.Message{Role: chat.Assistant, Content: text}
	if c.Output == nil || text == "" { // nobody was called
		free := 0.0
		m.CostUSD, m.Usage = &free, &chat.Usage{}
	}
	return append(s.Messages, m)
}

func (c *vectorContext) transcript() []chat.Message {
	if len(c.Messages) == 0 {
		return []chat.Message{{Role: chat.User}}
	}
	out := make([]chat.Message, len(c.Messages))
	for i := range c.Messages {
		out[i] = c.Messages[i].message()
	}
	return out
}

func (m *vectorMessage) message() chat.Message {
	out := chat.Message{Role: chat.Role(m.Role), Content: m.Content, CostUSD: m.CostUSD, State: m.State}
	out.FinishReason = m.FinishReason
	out.Parts = mediaParts(m.Content, m.Media)
	for _, tc := range m.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, chat.ToolCall{ID: tc.ID, Name: tc.Name, Args: tc.Args})
	}
	if r := m.ToolResult; r != nil {
		out.ToolResult = &chat.ToolResult{
			ID: r.ID, Name: r.Name, Content: r.Content, Error: r.Error, ErrorType: r.ErrorType,
			Parts: mediaParts(r.Content, r.Media),
		}
	}
	for _, v := range m.Validations {
		out.Validations = append(out.Validations, chat.Validation{Type: v.Type, Passed: v.Passed, Details: v.Details})
	}
	if m.LatencyMS != nil {
		out.LatencyMS = *m.LatencyMS
	}
	if m.InputTokens != nil || m.OutputTokens != nil {
		out.Usage = &chat.Usage{InputTokens: value(m.InputTokens), OutputTokens: value(m.OutputTokens)}
	}
	return out
}

// mediaParts is a text with its media; nil without media.
func mediaParts(text string, media []vectorMedia) []chat.Part {
	if len(media) == 0 {
		return nil
	}
	var parts []chat.Part
	if text != "" {
		parts = append(parts, chat.Part{Type: "text", Text: text})
	}
	for _, m := range media {
		parts = append(parts, chat.Part{Type: m.Type, Media: &chat.Media{
			MIMEType: m.MIMEType, Data: m.Data, URL: m.URL, Path: m.Path,
			Width: m.Width, Height: m.Height, Duration: m.Duration,
		}})
	}
	return parts
}

func (c *vectorContext) calls(s *checks.Subject) {
	if c.ToolCalls == nil {
		s.AllCalls = checks.CallsOf(s.Messages)
		for _, call := range s.AllCalls {
			if s.Session || call.Turn == s.Turn {
				s.Calls = append(s.Calls, call)
			}
		}
		return
	}
	s.AllCalls = []checks.Call{}
	for _, v := range c.ToolCalls {
		s.AllCalls = append(s.AllCalls, checks.Call{
			Turn: v.Turn, Name: v.Name, Args: v.Args, Result: v.Result, Parts: resultParts(v.Result), Error: v.Error,
			ErrorType: v.ErrorType, DurationMS: v.DurationMS,
		})
	}
	s.Calls = s.AllCalls
}

// resultParts is a result that is written as a list of parts, with media in some; nil for any other.
func resultParts(result any) []chat.Part {
	list, _ := result.([]any)
	var parts []chat.Part
	for _, item := range list {
		fields, _ := item.(jsonvalue.Object)
		media, hasMedia := fields["media"].(jsonvalue.Object)
		var p chat.Part
		p.Type, _ = fields["type"].(string)
		if p.Type == "" || p.Type != "text" && !hasMedia {
			return nil
		}
		p.Text, _ = fields["text"].(string)
		if hasMedia {
			p.Media = &chat.Media{}
			p.Media.MIMEType, _ = media["mime_type"].(string)
			p.Media.Data, _ = media["data"].(string)
			p.Media.Path, _ = media["file_path"].(string)
		}
		parts = append(parts, p)
	}
	return parts
}

// spend takes time, cost and tokens from the metadata, else from the messages in scope that give any.
func (c *vectorContext) spend(s *checks.Subject) {
	in, out := c.whole("input_tokens"), c.whole("output_tokens")
	s.LatencyMS, s.CostUSD = c.number("latency_ms"), c.number("total_cost")
	sum := s.CostUSD == nil
	for i := s.Start; i < len(s.Messages); i++ {
		m := &s.Messages[i]
		if m.CostUSD != nil && sum {
			s.CostUSD = plus(s.CostUSD, *m.CostUSD)
		}
		if m.Usage != nil && c.Metadata["input_tokens"] == nil {
			in = plus(in, m.Usage.InputTokens)
		}
		if m.Usage != nil && c.Metadata["output_tokens"] == nil {
			out = plus(out, m.Usage.OutputTokens)
		}
	}
	s.InputTokens, s.OutputTokens = in, out
	if seconds := c.number("duration_seconds"); seconds != nil {
		ms := *seconds * 1000
		s.ElapsedMS = &ms
	}
}

func (c *vectorContext) number(key string) *float64 {
	f, ok := jsonvalue.Float(c.Metadata[key])
	if !ok {
		return nil
	}
	return &f
}

func (c *vectorContext) whole(key string) *int {
	f, ok := jsonvalue.Float(c.Metadata[key])
	if !ok {
		return nil
	}
	n := int(f)
	return &n
}

func plus[N int | float64](sum *N, n N) *N {
	if sum != nil {
		n += *sum
	}
	return &n
}

func value(p *int) int {
	if p == nil {
		return 0
	}
	return *p
}
