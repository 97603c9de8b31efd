package providers

import (
	"encoding/json"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Canonical is what of a request decides about its reply, in a form whose JSON is the same for the same question. Keys
// under which replies are kept are made of it.
//
// The form says by itself what stands in it, so that a field that chat gets does not change the keys of all that was
// paid for. Its names and their order stay as they are. What is added to it comes last in its struct and has omitempty:
// a request that does not use it keeps its key.
func Canonical(req *chat.Request) any {
	form := &requestForm{
		ToolChoice: req.ToolChoice, Temperature: req.Temperature, TopP: req.TopP, MaxTokens: req.MaxTokens, Seed: req.Seed,
		Stream: req.Stream, JSONSchema: req.JSONSchema, SchemaName: req.SchemaName, JSON: req.JSON, Stop: req.Stop,
		ReasoningEffort: req.ReasoningEffort, ParallelToolCalls: req.ParallelToolCalls, Extra: req.Extra,
		Messages: make([]messageForm, len(req.Messages)), Tools: mapForms(req.Tools, func(t *chat.Tool) toolForm {
			return toolForm{t.Name, t.Description, t.Schema}
		}),
	}
	for i := range req.Messages {
		form.Messages[i] = formOfMessage(&req.Messages[i])
	}
	at := &req.Origin
	form.Origin = originForm{
		at.Scenario, at.ScenarioAlias, at.Region, at.Trial, at.Turn, at.Reply, at.Persona, at.Judge, at.Step, at.Vote,
		at.Closing, at.Before, at.Added, at.Earlier, at.Summary,
	}
	return form
}

type requestForm struct {
	Messages          []messageForm
	Tools             []toolForm
	ToolChoice        string
	Temperature       *float64
	TopP              *float64
	MaxTokens         *int
	Seed              *int64
	Stream            bool
	JSONSchema        json.RawMessage
	SchemaName        string   `json:",omitempty"`
	JSON              bool     `json:",omitempty"`
	Stop              []string `json:",omitempty"`
	ReasoningEffort   string   `json:",omitempty"`
	ParallelToolCalls *bool    `json:",omitempty"`
	Extra             jsonvalue.Object
	Origin            originForm
}

type originForm struct {
	Scenario      string
	ScenarioAlias string
	Region        string
	Trial         int
	Turn          int
	Reply         int
	Persona       string
	Judge         string
	Step          string
	Vote          int    `json:",omitempty"`
	Closing       string `json:",omitempty"`
	Before        int    `json:",omitempty"`
	Added         int    `json:",omitempty"`
	Earlier       int    `json:",omitempty"`
	Summary       int    `json:",omitempty"`
}

type toolForm struct {
	Name        string
	Description string
	Schema      json.RawMessage
}

// messageForm is what of a message goes to a model. What the message took to come about is no part of it.
type messageForm struct {
	Role       chat.Role       `json:"role"`
	Content    string          `json:"content"`
	Parts      []partForm      `json:"parts,omitempty"`
	ToolCalls  []toolCallForm  `json:"tool_calls,omitempty"`
	ToolResult *toolResultForm `json:"tool_result,omitempty"`
	Opaque     *opaqueForm     `json:"opaque,omitempty"`
}

type opaqueForm struct {
	From string          `json:"from"`
	Data json.RawMessage `json:"data"`
}

type partForm struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Media *mediaForm `json:"media,omitempty"`
}

type mediaForm struct {
	MIMEType string  `json:"mime_type"`
	Data     string  `json:"data,omitempty"`
	URL      string  `json:"url,omitempty"`
	Path     string  `json:"path,omitempty"`
	Detail   string  `json:"detail,omitempty"`
	Caption  string  `json:"caption,omitempty"`
	Width    int     `json:"width,omitempty"`
	Height   int     `json:"height,omitempty"`
	Duration float64 `json:"duration,omitempty"`
	SHA256   string  `json:"sha256,omitempty"`
	Size     int     `json:"size,omitempty"`
	Source   string  `json:"source,omitempty"`
}

type toolCallForm struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Args    chat.Args   `json:"args"`
	BadArgs string      `json:"bad_args,omitempty"`
	Opaque  *opaqueForm `json:"opaque,omitempty"`
}

type toolResultForm struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Content   string     `json:"content"`
	Parts     []partForm `json:"parts,omitempty"`
	Error     string     `json:"error,omitempty"`
	ErrorType string     `json:"error_type,omitempty"`
}

func formOfMessage(m *chat.Message) messageForm {
	form := messageForm{
		Role: m.Role, Content: m.Content, Parts: mapForms(m.Parts, formOfPart),
		ToolCalls: mapForms(m.ToolCalls, func(c *chat.ToolCall) toolCallForm {
			return toolCallForm{c.ID, c.Name, c.Args, c.BadArgs, formOfOpaque(c.Opaque)}
		}),
		Opaque: formOfOpaque(m.Opaque),
	}
	if r := m.ToolResult; r != nil {
		form.ToolResult = &toolResultForm{r.ID, r.Name, r.Content, mapForms(r.Parts, formOfPart), r.Error, r.ErrorType}
	}
	return form
}

func formOfOpaque(o *chat.Opaque) *opaqueForm {
	if o == nil {
		return nil
	}
	return &opaqueForm{o.From, o.Data}
}

func formOfPart(p *chat.Part) partForm {
	form := partForm{Type: p.Type, Text: p.Text}
	if m := p.Media; m != nil {
		form.Media = &mediaForm{
			m.MIMEType, m.Data, m.URL, m.Path, m.Detail, m.Caption, m.Width, m.Height, m.Duration, m.SHA256,
			m.Size, m.Source,
		}
	}
	return form
}

// mapForms is a list in another form; nil stays nil.
func mapForms[T, F any](list []T, form func(*T) F) []F {
	if list == nil {
		return nil
	}
	out := make([]F, len(list))
	for i := range list {
		out[i] = form(&list[i])
	}
	return out
}
