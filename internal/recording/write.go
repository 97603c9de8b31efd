package recording

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// EventLog writes a conversation as an event log, which other tools read too, a line for each event. It belongs to one
// goroutine.
type EventLog struct {
	w       io.Writer
	session string
	seq     int64
	index   int
	err     error
}

// NewEventLog starts an event log. session is its id, which must not be empty.
func NewEventLog(w io.Writer, session string) (*EventLog, error) {
	if session == "" {
		return nil, errors.New("an event log needs the id of its session")
	}
	return &EventLog{w: w, session: session}, nil
}

// The shapes of the lines. Their keys are those of the tools that read them.
type (
	logLine struct {
		Seq   int64    `json:"seq"`
		Event logEvent `json:"event"`
	}
	logEvent struct {
		Type           string    `json:"type"`
		Timestamp      time.Time `json:"timestamp"`
		SessionID      string    `json:"session_id"`
		ConversationID string    `json:"conversation_id"`
		DataType       string    `json:"data_type"`
		Data           any       `json:"data"`
	}
	logMessage struct {
		Role       string
		Content    string
		Index      int
		Parts      []logPart
		ToolCalls  []logCall
		ToolResult *logResult
		State      string          `json:",omitempty"`       // workflow state; only arena reads it
		ModelCalls *int            `json:",omitempty"`       // model calls of the steps of a composition; only arena reads it
		Unreported []string        `json:"Untold,omitempty"` // by the agent; only arena reads it
		Generated  *chat.Generated `json:",omitempty"`       // of a message of the user; only arena reads it
	}
	logCall struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Args string `json:"args"` // JSON
	}
	logResult struct {
		ID        string    `json:"id"`
		Name      string    `json:"name"`
		Error     string    `json:"error,omitempty"`
		ErrorType string    `json:"error_type,omitempty"`
		Parts     []logPart `json:"parts,omitempty"`
		Agent     string    `json:"agent,omitempty"`
		LatencyMS int64     `json:"latency_ms"`
	}
	logPart struct {
		Type  string    `json:"type"`
		Text  string    `json:"text,omitempty"`
		Media *logMedia `json:"media,omitempty"`
	}
	logMedia struct {
		Data     string `json:"data,omitempty"`
		FilePath string `json:"file_path,omitempty"`
		URL      string `json:"url,omitempty"`
		MIMEType string `json:"mime_type"`
		Detail   string `json:"detail,omitempty"`
		Caption  string `json:"caption,omitempty"`
		Duration int64  `json:"duration,omitempty"` // seconds
		Width    int    `json:"width,omitempty"`
		Height   int    `json:"height,omitempty"`
	}
	logUpdate struct {
		Index        int
		LatencyMS    int64    `json:"LatencyMs"`
		InputTokens  *int     `json:"InputTokens,omitempty"`
		OutputTokens *int     `json:"OutputTokens,omitempty"`
		TotalCost    *float64 `json:"TotalCost,omitempty"`
	}
)

// Append writes a message with its time, and the measures of a reply. Each call writes whole lines at once. After an
// error every call returns it.
func (l *EventLog) Append(m chat.Message, at time.Time) error {
	if l.err != nil {
		return l.err
	}
	calls, err := writtenCalls(m.ToolCalls)
	if err != nil {
		return err
	}
	data := logMessage{
		Role: string(m.Role), Content: m.Content, Index: l.index, Parts: writtenParts(m.Parts), ToolCalls: calls,
		ToolResult: writtenResult(m.ToolResult), State: m.State, ModelCalls: m.ModelCalls, Unreported: m.Unreported,
		Generated: m.Generated,
	}
	lines, err := l.line(nil, messageCreated, "*events.MessageCreatedData", data, at)
	if err == nil && m.Role == chat.Assistant && (m.Usage != nil || m.CostUSD != nil || m.LatencyMS > 0) {
		lines, err = l.line(lines, messageUpdated, "*events.MessageUpdatedData", l.update(&m), at)
	}
	if err != nil {
		return err
	}
	l.index++
	if _, err := l.w.Write(lines); err != nil {
		l.err = fmt.Errorf("write event log: %w", err)
	}
	return l.err
}

func (l *EventLog) line(lines []byte, kind, dataType string, data any, at time.Time) ([]byte, error) {
	l.seq++
	text, err := json.Marshal(logLine{l.seq, logEvent{kind, at, l.session, l.session, dataType, data}})
	if err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}
	return append(append(lines, text...), '\n'), nil
}

func (l *EventLog) update(m *chat.Message) logUpdate {
	u := logUpdate{Index: l.index, LatencyMS: int64(math.Round(m.LatencyMS)), TotalCost: m.CostUSD}
	if m.Usage != nil {
		u.InputTokens, u.OutputTokens = &m.Usage.InputTokens, &m.Usage.OutputTokens
	}
	return u
}

func writtenCalls(calls []chat.ToolCall) (out []logCall, err error) {
	for _, c := range calls {
		args := []byte(c.BadArgs)
		if c.BadArgs == "" {
			if args, err = json.Marshal(c.Args); err != nil {
				return nil, fmt.Errorf("encode the arguments of %s: %w", c.Name, err)
			}
		}
		out = append(out, logCall{c.ID, c.Name, string(args)})
	}
	return out, nil
}

func writtenResult(r *chat.ToolResult) *logResult {
	if r == nil {
		return nil
	}
	parts := writtenParts(r.Parts)
	if len(parts) == 0 && r.Content != "" {
		parts = []logPart{{Type: "text", Text: r.Content}}
	}
	return &logResult{
		ID: r.ID, Name: r.Name, Error: r.Error, ErrorType: r.ErrorType, Parts: parts, Agent: r.Agent,
		LatencyMS: int64(math.Round(r.LatencyMS)),
	}
}

func writtenParts(parts []chat.Part) (out []logPart) {
	for _, p := range parts {
		part := logPart{Type: p.Type, Text: p.Text}
		if m := p.Media; m != nil {
			data, _ := m.Base64() // a log without the data is better than no log
			part.Media = &logMedia{
				Data: data, FilePath: m.Path, URL: m.URL, MIMEType: m.MIMEType, Detail: m.Detail, Caption: m.Caption,
				Duration: int64(math.Round(m.Duration)), Width: m.Width, Height: m.Height,
			}
		}
		out = append(out, part)
	}
	return out
}
