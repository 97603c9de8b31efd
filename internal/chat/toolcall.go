package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/jsonread"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// Args are the arguments of a tool call. Numbers are json.Number, so that long ids keep every digit.
type Args = jsonvalue.Object

// ToolCall is a model's wish to call a tool.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args Args   `json:"args"`
	// BadArgs is the text that the model sent when it is not a JSON object; Args is nil then.
	BadArgs string `json:"bad_args,omitempty"`
	// Written is the text of the model if an object in it has a duplicate key, of which Args has the last value. It is
	// for the search for secrets, and never stored.
	Written string `json:"-"`
	// Opaque is state of the provider's own; nil mostly.
	Opaque *Opaque `json:"opaque,omitempty"`
}

// Clone returns a call that shares nothing that can be changed. Its arguments are an object or bad.
func (c ToolCall) Clone() ToolCall {
	switch {
	case c.BadArgs != "":
		c.Args = nil
	case c.Args == nil:
		c.Args = Args{}
	default:
		c.Args = jsonvalue.CloneObject(c.Args)
	}
	return c
}

// Error types of a ToolResult.
const (
	ErrorValidation = "validation" // the arguments or the result did not fit the schema
	ErrorExecution  = "execution"  // the tool failed, is unknown or was not run
	ErrorApproval   = "approval"   // consent was declined
	// ErrorUnavailable: the tool could not be reached or started, or gave no answer in time.
	ErrorUnavailable = "unavailable"
	ErrorMock        = "mock" // a simulated tool has no answer: its author erred, and the trial is an error
)

// ToolResult is what came back for one call.
type ToolResult struct {
	ID        string  `json:"id"` // of the call
	Name      string  `json:"name"`
	Content   string  `json:"content"`
	Parts     []Part  `json:"parts,omitempty"` // multimodal results
	Error     string  `json:"error,omitempty"` // non-empty: the call failed
	ErrorType string  `json:"error_type,omitempty"`
	LatencyMS float64 `json:"latency_ms,omitempty"`
	// Metadata is the tool's additional data for checks; the model does not see it. Numbers are json.Number.
	Metadata jsonvalue.Object `json:"metadata,omitempty"`
	// Agent is the agent that the tool asks, by its name in the config; "": the tool asks none.
	Agent string `json:"agent,omitempty"`
	// Notice is something the user should know once, and neither the model nor a check.
	Notice string `json:"-"`
	// Doubt is why the content may not be what the author of the tool means: a warning of the trial.
	Doubt string `json:"-"`
}

// Text is the result as a text check sees it: media parts appear as [type:mime].
func (r *ToolResult) Text() string {
	if len(r.Parts) == 0 {
		return r.Content
	}
	var b bytes.Buffer
	for _, p := range r.Parts {
		switch {
		case p.Type == "text":
			b.WriteString(p.Text)
		case p.Media != nil:
			b.WriteString("[" + p.Type + ":" + p.Media.MIMEType + "]")
		}
	}
	return b.String()
}

// SetArgs takes the arguments from their text.
func (c *ToolCall) SetArgs(text string) {
	c.Args, c.BadArgs = ParseArgs(text)
	if c.Written = ""; c.BadArgs == "" && len(c.Args) > 0 {
		if _, twice := jsonvalue.KeyTwiceAsWritten([]byte(text)); twice {
			c.Written = text
		}
	}
}

// ParseArgs decodes the argument text of a call. An empty text is an empty object, as several models send it. bad is a
// text that is not one JSON object, or that has a duplicate key, which readers decode differently.
func ParseArgs(text string) (args Args, bad string) {
	if len(bytes.TrimSpace([]byte(text))) == 0 {
		return Args{}, ""
	}
	v, err := DecodeJSON([]byte(text))
	if m, ok := v.(Args); ok && err == nil {
		if _, twice := jsonvalue.KeyTwiceAsWritten([]byte(text)); !twice {
			return m, ""
		}
	}
	return nil, text
}

// ArgsProblem says what is wrong with a text that ParseArgs found bad.
func ArgsProblem(bad string) string {
	if key, duplicate := keyTwice(bad); duplicate {
		return fmt.Sprintf("the arguments have the key %q twice in one object", ellipsis.Runes(key, 100))
	}
	return "the arguments are not a JSON object"
}

// AmbiguousArgs reports whether a text that ParseArgs found bad is JSON in which an object has a key twice.
func AmbiguousArgs(bad string) bool {
	_, duplicate := keyTwice(bad)
	return duplicate
}

func keyTwice(text string) (key string, duplicate bool) {
	if !json.Valid([]byte(text)) {
		return "", false
	}
	return jsonvalue.KeyTwiceAsWritten([]byte(text))
}

var (
	errTrailing = errors.New("more than one JSON document")

	// ErrDeep is the error of a document that is too deep to be read.
	ErrDeep = errors.New("lists or objects more than 5,000 deep")
)

// MaxNesting is how deep a document may be. It leaves room for what is around a value where it is written.
const MaxNesting = 5_000

// DecodeJSON decodes exactly one JSON document; numbers become json.Number. What is too deep for it is ErrDeep.
func DecodeJSON(data []byte) (any, error) {
	var v any
	if jsonread.Decode(data, &v) { // which reads nothing that is nearly too deep
		return v, nil
	}
	v = nil
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		if strings.HasSuffix(err.Error(), "exceeded max depth") {
			return nil, ErrDeep
		}
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errTrailing
	}
	if jsonvalue.Deeper(data, MaxNesting) {
		return nil, ErrDeep
	}
	return v, nil
}

// WithoutBOM is a document without the byte order mark with which some programs and servers begin their UTF-8. JSON has
// no place for it, and nobody sees it.
func WithoutBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

const unknownTool = "tool not found: "

// UnknownTool is the error of a call of an unknown tool.
func UnknownTool(name string) string { return unknownTool + name }

// IsUnknownTool reports whether the error of a tool result says so.
func IsUnknownTool(err string) bool { return strings.HasPrefix(err, unknownTool) }
