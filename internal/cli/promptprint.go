package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/secret"
)

// shownRequest is a request as `arena prompt` shows it.
type shownRequest struct {
	Trial      string          `json:"trial"`
	Scenario   string          `json:"scenario"`
	Provider   string          `json:"provider"`
	Type       string          `json:"type"`
	Model      string          `json:"model"`
	Region     string          `json:"region"`
	Turn       int             `json:"turn"`
	Messages   []chat.Message  `json:"messages"`
	Tools      []shownTool     `json:"tools"`
	Parameters shownParameters `json:"parameters"`
	Notes      []string        `json:"notes,omitempty"`
	Wire       *shownWire      `json:"wire,omitempty"`

	sent bool // false: a guardrail answers instead
}

// shownTool is a tool as the model sees it.
type shownTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
}

// shownParameters are the parameters of a request. The provider chooses those that are left out.
type shownParameters struct {
	ToolChoice  string          `json:"tool_choice,omitempty"`
	Temperature *float64        `json:"temperature,omitempty"`
	TopP        *float64        `json:"top_p,omitempty"`
	MaxTokens   *int            `json:"max_tokens,omitempty"`
	Seed        *int64          `json:"seed,omitempty"`
	Stop        []string        `json:"stop,omitempty"`
	Reasoning   string          `json:"reasoning_effort,omitempty"`
	Parallel    *bool           `json:"parallel_tool_calls,omitempty"`
	Format      string          `json:"response_format,omitempty"`
	Schema      json.RawMessage `json:"json_schema,omitempty"`
	Stream      bool            `json:"stream"`
	Extra       map[string]any  `json:"extra,omitempty"`
}

// shownWire is a request as it is sent to the server.
type shownWire struct {
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

func newShownRequest(t *runner.Trial, turn int, made *runner.Preview) *shownRequest {
	spec := t.Endpoint.Spec
	shown := &shownRequest{
		Trial: t.ID(), Scenario: t.Scenario.ID, Provider: spec.ID, Type: spec.Type, Model: spec.Model, Region: t.Region,
		Turn: turn, Messages: []chat.Message{}, Tools: []shownTool{}, Notes: made.Notices, sent: made.Request != nil,
	}
	if t.Of > 1 {
		shown.Notes = append(shown.Notes, fmt.Sprintf("this is trial %d of %d; --trial shows another one", t.N, t.Of))
	}
	if !shown.sent {
		shown.Notes = append(shown.Notes, "a guardrail answers the user in this turn: the model is not asked")
		return shown
	}
	req := made.Request
	if step := req.Origin.Step; step != "" {
		shown.Notes = append(shown.Notes,
			fmt.Sprintf("a composition answers in this turn: this is the request of its step %s, and others may follow", step))
	}
	for i := range req.Messages {
		m := &req.Messages[i]
		shown.Messages = append(shown.Messages, chat.Message{
			Role: m.Role, Content: m.Content, Parts: m.Parts, ToolCalls: m.ToolCalls, ToolResult: m.ToolResult, Opaque: m.Opaque,
		})
	}
	for _, tool := range req.Tools {
		shown.Tools = append(shown.Tools, shownTool(tool))
	}
	shown.Parameters = shownParameters{
		ToolChoice: req.ToolChoice, Temperature: req.Temperature, TopP: req.TopP, MaxTokens: req.MaxTokens, Seed: req.Seed,
		Stop: req.Stop, Reasoning: req.ReasoningEffort, Parallel: req.ParallelToolCalls, Format: req.ReplyFormat(),
		Schema: req.JSONSchema, Stream: req.Stream, Extra: req.Extra,
	}
	return shown
}

// newShownWire leaves out headers and parameters that may be secret.
func newShownWire(w *open.Written) *shownWire {
	shown := &shownWire{Method: w.Method, URL: w.URL, Headers: map[string]string{}, Body: w.Body}
	if u, err := url.Parse(w.URL); err == nil && u.User != nil {
		u.User = url.User(secret.Redacted)
		shown.URL = u.String()
	}
	for name, values := range w.Header {
		shown.Headers[name] = strings.Join(values, ", ")
		if secret.NamesSecret(name) {
			shown.Headers[name] = withoutSecret(name, values)
		}
	}
	if !json.Valid(w.Body) {
		shown.Body, _ = json.Marshal(string(w.Body)) // a text cannot fail to encode
	}
	return shown
}

// withoutSecret is a header with the secret replaced. Its authentication scheme stays.
func withoutSecret(name string, values []string) string {
	scheme, _, more := strings.Cut(strings.Join(values, ", "), " ")
	if http.CanonicalHeaderKey(name) == "Authorization" && (more || scheme == "Bearer") {
		return scheme + " " + secret.Redacted
	}
	return secret.Redacted
}

// requestPage is what `arena prompt` prints.
type requestPage struct {
	w   io.Writer
	err error
}

func printRequests(w io.Writer, all []*shownRequest) error {
	p := &requestPage{w: w}
	for i, r := range all {
		if i > 0 {
			p.line("")
		}
		p.request(r)
	}
	return p.err
}

func (p *requestPage) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// block prints a text under a heading.
func (p *requestPage) block(heading, text string) {
	p.line("%s", heading)
	for l := range strings.Lines(text) {
		p.line("    %s", strings.TrimRight(l, "\r\n"))
	}
}

func (p *requestPage) request(r *shownRequest) {
	model := strings.TrimSpace(r.Type + " " + r.Model)
	p.line("%s · turn %d · %s", r.Trial, r.Turn, model)
	switch {
	case r.Wire != nil:
		p.wire(r.Wire)
	case r.sent:
		p.messages(r.Messages)
		p.tools(r.Tools)
		p.parameters(&r.Parameters)
	}
	if len(r.Notes) > 0 {
		p.block("notes", strings.Join(r.Notes, "\n"))
	}
}

func (p *requestPage) messages(all []chat.Message) {
	for i := range all {
		m := &all[i]
		if res := m.ToolResult; res != nil {
			p.block("tool "+res.Name, res.Text())
			continue
		}
		text := m.Text()
		if len(m.Parts) > 0 {
			text = (&chat.ToolResult{Parts: m.Parts}).Text()
		}
		for _, call := range m.ToolCalls {
			text = strings.TrimLeft(text+"\n→ "+call.Name+"("+cmp.Or(call.BadArgs, compact(call.Args))+")", "\n")
		}
		p.block(string(m.Role), text)
	}
}

func (p *requestPage) tools(all []shownTool) {
	if len(all) == 0 {
		return
	}
	p.line("tools")
	for _, t := range all {
		p.line("    %s", t.Name)
		for l := range strings.Lines(t.Description) {
			p.line("        %s", strings.TrimRight(l, "\r\n"))
		}
		if len(t.Schema) > 0 {
			p.line("        %s", compact(t.Schema))
		}
	}
}

// parameters lists those that are set.
func (p *requestPage) parameters(all *shownParameters) {
	raw, err := json.Marshal(all)
	if err != nil {
		p.err = cmp.Or(p.err, err)
		return
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(raw, &values); err != nil {
		p.err = cmp.Or(p.err, err)
		return
	}
	p.line("parameters")
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p.line("    %s: %s", name, values[name])
	}
}

func (p *requestPage) wire(w *shownWire) {
	p.line("%s %s", w.Method, w.URL)
	for _, name := range slices.Sorted(maps.Keys(w.Headers)) {
		p.line("%s: %s", name, w.Headers[name])
	}
	var body bytes.Buffer
	if json.Indent(&body, w.Body, "", "  ") != nil {
		body.Write(w.Body)
	}
	p.line("\n%s", body.String())
}

// compact is a value as JSON on one line.
func compact(v any) string {
	if raw, ok := v.(json.RawMessage); ok {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			return b.String()
		}
		return string(raw)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(b.String())
}
