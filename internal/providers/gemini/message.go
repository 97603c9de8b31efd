package gemini

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers/wire"
	"github.com/arena-evals/arena/internal/sortby"
)

// Roles of the API. Results of tools are the user's.
const (
	roleUser  = "user"
	roleModel = "model"
)

// content is an entry of the transcript on the wire. It has parts, and never two of one role follow each other.
type content struct {
	Role  string `json:"role"`
	Parts []any  `json:"parts"`
}

type textPart struct {
	Text      string `json:"text"`
	Signature string `json:"thoughtSignature,omitempty"`
}

type dataPart struct {
	Data      *blob      `json:"inlineData,omitempty"`
	File      *reference `json:"fileData,omitempty"`
	Signature string     `json:"thoughtSignature,omitempty"`
}

type blob struct {
	MIMEType string `json:"mimeType"`
	Data     string `json:"data"`
}

type reference struct {
	MIMEType string `json:"mimeType,omitempty"`
	URI      string `json:"fileUri"`
}

type callPart struct {
	Call      call   `json:"functionCall"`
	Signature string `json:"thoughtSignature,omitempty"`
}

type call struct {
	ID   string    `json:"id,omitempty"`
	Name string    `json:"name"`
	Args chat.Args `json:"args"`
}

type resultPart struct {
	Result result `json:"functionResponse"`
}

type result struct {
	ID       string      `json:"id,omitempty"`
	Name     string      `json:"name"`
	Response response    `json:"response"`
	Parts    []*dataPart `json:"parts,omitempty"`
}

// response is what a tool answered: one of the two.
type response struct {
	Output *string `json:"output,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// transcript is the messages as the API takes them: the system prompt apart, neighbours of one role merged.
func (c *codec) transcript(list []chat.Message) (sys *system, out []content, err error) {
	texts, entries, err := wire.Alternate(list, text, c.parts)
	if len(texts) > 0 {
		sys = &system{}
	}
	for _, t := range texts {
		sys.Parts = append(sys.Parts, &textPart{Text: t})
	}
	out = make([]content, len(entries))
	for i, e := range entries {
		out[i] = content{roleUser, e.Blocks}
		if e.Agent {
			out[i].Role = roleModel
		}
	}
	return sys, out, err
}

// parts are what a message says.
func (c *codec) parts(m *chat.Message) ([]any, error) {
	switch {
	case m.Role == chat.Assistant:
		return c.replyParts(m)
	case m.Role == chat.ToolRole && m.ToolResult != nil:
		return resultParts(m)
	}
	return wire.Parts(wire.PartsOf(m), text, media)
}

// Takes says why the API cannot be sent a part; see providers.Takes.
func (c *codec) Takes(p *chat.Part) error {
	switch p.Type {
	case "image":
		return wire.Of(p.Media, "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")
	case "document":
		if strings.HasPrefix(p.Media.MIMEType, "text/") {
			return nil
		}
		return wire.Of(p.Media, "application/pdf", "application/json", "text/plain")
	}
	return nil
}

func text(s string) any { return &textPart{Text: s} }

func media(p *chat.Part) (any, error) { return mediaPart(p) }

func mediaPart(p *chat.Part) (*dataPart, error) {
	switch {
	case p.Media == nil:
		return nil, fmt.Errorf("%s without media", p.Type)
	case p.Media.URL != "":
		return &dataPart{File: &reference{p.Media.MIMEType, p.Media.URL}}, nil
	}
	text, err := wire.Base64(p.Media)
	return &dataPart{Data: &blob{p.Media.MIMEType, text}}, err
}

func resultParts(m *chat.Message) ([]any, error) {
	r := m.ToolResult
	p := &resultPart{result{ID: ownID(r.ID), Name: r.Name}}
	if r.Error != "" {
		p.Result.Response.Error = cmp.Or(r.Text(), m.Content, r.Error)
		return []any{p}, nil
	}
	text := wire.ResultText(m)
	if len(r.Parts) > 0 {
		text = ""
	}
	for i := range r.Parts {
		part := &r.Parts[i]
		if text += part.Text; part.Type == "text" {
			continue
		}
		medium, err := mediaPart(part)
		if err != nil {
			return nil, fmt.Errorf("part %d of the result: %w", i+1, err)
		}
		p.Result.Parts = append(p.Result.Parts, medium)
	}
	p.Result.Response.Output = &text
	return []any{p}, nil
}

var made = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^call_\d+_\d+$`) })

// makeID is the id of a call that came without one. No other call of the conversation has it; position is the number of
// messages before the reply.
func makeID(position, i int) string { return fmt.Sprintf("call_%d_%d", position, i) }

// ownID is the id of a call as the API knows it: none, where it gave none.
func ownID(id string) string {
	if made().MatchString(id) {
		return ""
	}
	return id
}

// placed is what goes back with the text of a message: a part of the model's own before the byte At of the text, a
// signature of the text from At to To, or one of the medium whose number, from 1, is Medium.
type placed struct {
	At        int             `json:"at"`
	To        int             `json:"to,omitempty"`
	Medium    int             `json:"medium,omitempty"`
	Part      json.RawMessage `json:"part,omitempty"`
	Signature string          `json:"signature,omitempty"`
}

// matters reports whether it says more than the message does.
func (p placed) matters() bool { return len(p.Part) > 0 || p.Signature != "" }

// around is what goes back with a call: the signature on it, and the parts before and, of the last call, behind it.
type around struct {
	Before    []json.RawMessage `json:"before,omitempty"`
	Signature string            `json:"signature,omitempty"`
	After     []json.RawMessage `json:"after,omitempty"`
}

func (a *around) isZero() bool { return len(a.Before) == 0 && a.Signature == "" && len(a.After) == 0 }

// replyParts returns the parts of a reply in their order: texts, media, thoughts and tool calls, with their signatures
// unchanged.
func (c *codec) replyParts(m *chat.Message) ([]any, error) {
	var kept []placed
	_ = json.Unmarshal(m.Opaque.For(c.state), &kept) // none, or our own
	w := words{text: m.Text(), out: make([]any, 0, 1+len(m.ToolCalls))}
	if len(m.Parts) > 0 {
		w.text = ""
		if kept = w.shown(m, kept); m.Content != "" {
			w.text = m.Content
		}
	}
	if strings.TrimSpace(w.text) == "" && len(w.media) == 0 {
		if w.text = ""; len(m.ToolCalls) == 0 {
			return nil, nil // thoughts alone are no message
		}
	}
	for i := range kept {
		if err := w.put(&kept[i]); err != nil {
			return nil, err
		}
	}
	w.until(len(w.text), "")
	out := w.out
	for i := range m.ToolCalls {
		call, a := &m.ToolCalls[i], around{}
		_ = json.Unmarshal(call.Opaque.For(c.state), &a) // none, or our own
		for _, p := range a.Before {
			out = append(out, p)
		}
		out = append(out, wireCall(call, a.Signature))
		for _, p := range a.After {
			out = append(out, p)
		}
	}
	return out, nil
}

func wireCall(c *chat.ToolCall, signature string) *callPart {
	return &callPart{call{ownID(c.ID), c.Name, wire.ArgsOf(c)}, signature}
}

// words puts the text of a message together with what stands in it.
type words struct {
	text  string
	media []*chat.Part
	done  int // bytes of text that are out
	out   []any
}

// shown takes the media of a message, and says where each of them stands.
func (w *words) shown(m *chat.Message, kept []placed) []placed {
	signed := make([]bool, len(m.Parts)+1)
	for _, k := range kept {
		if k.Medium > 0 && k.Medium < len(signed) {
			signed[k.Medium] = true
		}
	}
	all := slices.Clone(kept)
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Type == "text":
			w.text += p.Text
		case p.Media != nil:
			if w.media = append(w.media, p); !signed[len(w.media)] {
				all = append(all, placed{At: len(w.text), Medium: len(w.media)})
			}
		}
	}
	sortby.Func(all, func(a, b placed) int { return cmp.Compare(a.At, b.At) })
	return all
}

// put puts the text before p, and p.
func (w *words) put(p *placed) error {
	w.until(p.At, "")
	switch {
	case p.Medium > 0:
		if p.Medium > len(w.media) {
			return nil // a guardrail has taken it away
		}
		medium, err := mediaPart(w.media[p.Medium-1])
		if err != nil {
			return err
		}
		medium.Signature = p.Signature
		w.out = append(w.out, medium)
	case len(p.Part) > 0:
		w.out = append(w.out, p.Part)
	default:
		w.until(p.To, p.Signature)
	}
	return nil
}

// until puts out the text up to a byte. The text may be another one than that which was signed: guardrails change it.
func (w *words) until(at int, signature string) {
	for at = min(max(at, w.done), len(w.text)); at < len(w.text) && !utf8.RuneStart(w.text[at]); {
		at++
	}
	if at > w.done {
		w.out = append(w.out, &textPart{w.text[w.done:at], signature})
		w.done = at
	}
}
