package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonschema"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Tuning has the parameters of a provider's model calls besides temperature, top_p and max_tokens.
type Tuning struct {
	Stop              []string
	ReasoningEffort   string
	ParallelToolCalls *bool
	// ReplyFormat is text, json_object or json_schema; "": json_schema if the scenario or the prompt has a schema.
	ReplyFormat string
	ReplySchema json.RawMessage // of json_schema, if neither the scenario nor the prompt has one; may be nil
	SchemaName  string          // the server's name for the schema; "": chosen by arena
	FormatPos   diag.Pos
	StrictTools bool           // the server enforces the schemas of tool arguments
	Body        map[string]any // extra_body, and parameters of some servers only, by their names on the wire

	ThinkingBudget int    // the part of the maximum output that is for thoughts; 0: none
	PromptCaching  bool   // requests mark what should be cached for the next one
	APIVersion     string // of the vendor's API; "": the one that arena knows

	// APIMode is completions or responses, where the vendor has two APIs; "": see Provider.Responses.
	APIMode          string
	ReasoningSummary string // auto, concise or detailed; "": no summary of the model's thoughts

	Gemini Gemini
}

// callFile is the parameters of model calls in a file: under defaults, or under additional_config as in other tools.
type callFile struct {
	Parameters
	Tuning
	provider  string // id
	keepAlive string
	caching   *node.Node            // prompt_caching, when it is on
	seen      map[string]*node.Node // parameters that were read, by their name
}

// callRows are the parameters of calls.
func callRows() rows[callFile] {
	return rows[callFile]{
		numPtr("temperature", keys.Number{Low: 0, High: 2}, func(c *callFile) **float64 { return &c.Temperature }).
			doc("How freely the model chooses, from 0 to 2."),
		numPtr("top_p", unit, func(c *callFile) **float64 { return &c.TopP }).
			doc("The share of probability from which the model chooses."),
		optionalInteger("max_tokens", counting, func(c *callFile) **int { return &c.MaxTokens }).
			doc("The most tokens of a reply."),
		custom("stop", texts, readStop).asIs().doc("Texts at which the reply ends, at most four."),
		word("reasoning_effort", words("none", "minimal", "low", "medium", "high", "xhigh", "max"),
			func(c *callFile) *string { return &c.ReasoningEffort }).
			doc("How long the model thinks before it answers; judges too."),
		flagPtr("parallel_tool_calls", func(c *callFile) **bool { return &c.ParallelToolCalls }).
			doc("Whether a reply may call several tools at once; left to the server when left out."),
		custom("response_format", replyFormatShape{}, readReplyFormat).
			doc("The form of the replies: text, json_object, or json_schema with the output_schema of the scenario or " +
				"the prompt."),
	}
}

// once refuses a parameter in two places.
func once(all rows[callFile]) rows[callFile] {
	for _, x := range all {
		read := x.read
		x.read = func(d *decoder, c *callFile, v *node.Node) {
			if first := c.seen[x.Name]; first != nil {
				d.Errorf(v, "duplicate-field", "%s is already set on line %d", x.Name, first.Line).Hint = "remove one of them"
				return
			}
			c.seen[x.Name] = v
			if read == nil {
				x.Shape.Check(d, v, x.Name)
				return
			}
			read(d, c, v)
		}
	}
	return all
}

// maxStops is the API's maximum number of stop sequences.
const maxStops = 4

func readStop(d *decoder, c *callFile, v *node.Node) {
	list, ok := d.Strings(v, "stop")
	switch {
	case !ok:
	case len(list) == 0 || slices.Contains(list, ""):
		d.Errorf(v, "empty-value", "stop needs a text at which the reply ends")
	case len(list) > maxStops:
		d.Errorf(v, "out-of-range", "stop takes at most %d texts, found %d", maxStops, len(list))
	default:
		c.Stop = list
	}
}

var replyFormats = words("text", "json_object", "json_schema")

// replyFormatFields are response_format in the form in which it goes to the API.
var replyFormatFields = table("response_format", func() rows[Tuning] {
	return rows[Tuning]{
		word("type", replyFormats, func(t *Tuning) *string { return &t.ReplyFormat }).must().
			doc("The form of the replies."),
		object("json_schema", replySchemaFields, func(t *Tuning) *Tuning { return t }).
			doc("The schema of type json_schema."),
	}
})

var replySchemaFields = table("json_schema", func() rows[Tuning] {
	return rows[Tuning]{
		label("name", func(t *Tuning) *string { return &t.SchemaName }).asIs().
			doc("By which name the server knows the schema."),
		custom("schema", anyMap, func(d *decoder, t *Tuning, v *node.Node) {
			t.ReplySchema = d.jsonSchema(v, "schema")
		}).must().doc("JSON Schema of the reply, where neither the scenario nor the prompt has an output_schema."),
		gone[Tuning]("strict",
			"strict is not a setting: arena asks for it wherever the schema allows it",
			"remove the line"),
		gone[Tuning]("description", "a schema has its description inside", "move it into schema"),
	}
})

// replyFormatShape is the name of a format, or a format with its schema.
type replyFormatShape struct{}

func (replyFormatShape) Label() string { return replyFormats.Label() + ", or map" }

func (replyFormatShape) Check(r keys.Reader, n *node.Node, _ string) {
	readReplyFormat(r.(*decoder), &callFile{}, n)
}

func (replyFormatShape) Schema(w keys.Writer) *jsonschema.Doc {
	return jsonschema.AnyOf(w.Item(replyFormats), w.Table(replyFormatFields))
}

func readReplyFormat(d *decoder, c *callFile, v *node.Node) {
	c.FormatPos = d.Pos(v)
	if v.Kind != node.Map {
		c.ReplyFormat, _ = d.OneOf(v, "response_format", replyFormats...)
		return
	}
	replyFormatFields.read(d, v, &c.Tuning)
	if at := node.Get(v, "json_schema"); at != nil && c.ReplyFormat != "" && c.ReplyFormat != "json_schema" {
		d.Errorf(at, "conflicting-fields", "json_schema has no effect with type %s", c.ReplyFormat).
			Hint = "write type: json_schema"
	}
}

// bodyShape is parameters of the server's own.
type bodyShape struct{}

func (bodyShape) Label() string { return "map to any value" }

func (bodyShape) Schema(keys.Writer) *jsonschema.Doc {
	d := ofType("object")
	d.PropertyNames = &jsonschema.Doc{Not: &jsonschema.Doc{Enum: append(callNames(), notBody...)}}
	return d
}

func (bodyShape) Check(r keys.Reader, n *node.Node, _ string) { readBody(r.(*decoder), &callFile{}, n) }

// notBody are parts of a request that extra_body must not set, because arena sets them.
var notBody = []string{
	"model", "messages", "input", "stream", "stream_options", "tools", "tool_choice", "functions", "function_call", "n",
	"seed", "max_completion_tokens", "encoding_format",
}

// callNames are the parameters with keys of their own.
func callNames() []string {
	all := callRows()
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	return names
}

func readBody(d *decoder, c *callFile, v *node.Node) {
	v = withoutPlaces(v, func(at *node.Node, place string) {
		if isName(strings.Trim(place, "{}")) { // others are of templates that servers know: {{ messages[0] }}
			d.unfilledPlace(at, "extra_body", place, writeValue)
		}
	})
	d.Each(v, "extra_body", func(key string, k, value *node.Node) {
		switch {
		case slices.Contains(callNames(), key):
			d.Errorf(k, "misplaced-field", "%s has a place of its own", key).Hint = "write it under defaults"
			return
		case key == "seed":
			d.Errorf(k, "misplaced-field", "seed belongs to the run").Hint =
				"write it under defaults of the config, or at a turn"
			return
		case key == "max_completion_tokens":
			d.Errorf(k, "misplaced-field", "the name of the token limit follows the model").Hint = "write defaults.max_tokens"
			return
		case slices.Contains(notBody, key):
			d.Errorf(k, "reserved-field", "extra_body cannot set %s: arena does", key)
			return
		}
		if c.Body == nil {
			c.Body = map[string]any{}
		}
		c.Body[key] = d.Any(value)
	})
}

// tuning returns the parameters as values.
func (c *callFile) tuning(p *Provider) {
	p.Temperature, p.TopP, p.MaxTokens, p.Tuning = c.Temperature, c.TopP, c.MaxTokens, c.Tuning
	p.PromptCaching = c.caching != nil && p.Type == "anthropic"
	if c.keepAlive != "" {
		if p.Body == nil {
			p.Body = map[string]any{}
		}
		p.Body["keep_alive"] = c.keepAlive
	}
}

// unsent are the parameters that unsupported_params may leave out.
func unsent() []string {
	return append(callNames(), "max_completion_tokens", "seed", "stream_options", "tool_choice", "tools", "top_k",
		"frequency_penalty", "presence_penalty")
}

// checkUnsupported finds misspelled names in unsupported_params. A completely different name may be one of the
// server's.
func checkUnsupported(d *decoder, v *node.Node) {
	items := v.Content
	if v.Kind == node.Scalar {
		items = []*node.Node{v}
	}
	for _, item := range items {
		if slices.Contains(unsent(), item.Value) {
			continue
		}
		if near := diag.Nearest(item.Value, unsent()); near != "" {
			d.Foreignf(item, "unknown-value", "unsupported_params: there is no parameter %q", item.Value).
				Hint = fmt.Sprintf("did you mean %q?", near)
		}
	}
}
