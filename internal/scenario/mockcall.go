package scenario

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// mockCall is a tool call of a mock reply, with its recorded result if there is one.
type mockCall struct {
	chat.ToolCall
	result chat.ToolResult
	partAt []diag.Pos // of the parts of the result
	came   bool       // there is a result
}

var mockCallFields = table("a tool call", func() rows[mockCall] {
	return rows[mockCall]{
		custom("name", text, func(d *decoder, c *mockCall, v *node.Node) {
			if name, ok := d.Name(v, "name"); ok && d.IsPlainName(v, "tool call", false) {
				c.Name = name
			}
		}).must().doc("The tool."),
		custom("arguments", wireMap, readMockArguments).doc("Its arguments, or JSON text as a model writes it."),
		custom("args", wireMap, readMockArguments).doc("The same as arguments."),
		custom("result", foreign, readMockResult).doc("What the tool answers here; it is not run then."),
		custom("result_parts", listOf(mockPartFields), func(d *decoder, c *mockCall, v *node.Node) {
			c.came = true
			d.Items(v, "result_parts", func(_ int, item *node.Node) {
				if p, at, ok := d.mockPart(item); ok {
					c.result.Parts, c.partAt = append(c.result.Parts, p), append(c.partAt, at)
				}
			})
		}).doc("Texts and media that the tool answers."),
		label("error", func(c *mockCall) *string { return &c.result.Error }).doc("The tool fails with this text."),
		word("error_type", words(chat.ErrorValidation, chat.ErrorExecution, chat.ErrorApproval),
			func(c *mockCall) *string { return &c.result.ErrorType }).preset("execution").doc("The type of the failure."),
	}
})

func readMockArguments(d *decoder, c *mockCall, v *node.Node) {
	if v.Kind == node.Scalar { // JSON text, or invalid JSON as a model may write it
		if s, ok := d.String(v, "arguments"); ok {
			c.Args, c.BadArgs = chat.ParseArgs(s)
		}
		return
	}
	if v.Kind != node.Map {
		d.Fields(v, "arguments", nil, nil) // reports it
		return
	}
	c.Args, _ = d.Any(v).(map[string]any)
}

// readMockResult reads a text as it is, and any other value as JSON, indented as the model gets the results of tools.
func readMockResult(d *decoder, c *mockCall, v *node.Node) {
	c.came = true
	if v.Kind == node.Scalar {
		c.result.Content, _ = d.String(v, "result")
		return
	}
	var b bytes.Buffer
	if raw := d.raw(v, "result"); raw != nil && json.Indent(&b, raw, "", "  ") == nil {
		c.result.Content = b.String()
	}
}

// check checks the combination of keys.
func (c *mockCall) check(d *decoder, n *node.Node) {
	if c.Args == nil && c.BadArgs == "" {
		c.Args = map[string]any{}
	}
	switch {
	case c.result.ErrorType != "" && c.result.Error == "":
		d.Missing(n, "a tool call with error_type", "error")
	case c.result.Error == "":
		return
	case !c.came:
		c.result.Content = c.result.Error
	}
	c.came = true
	if c.result.ErrorType == "" {
		c.result.ErrorType = chat.ErrorExecution
	}
}

// note keeps the first position of each tool without a given result.
func (c *mockCall) note(d *decoder, n *node.Node) {
	same := func(u MockCallUse) bool { return u.Name == c.Name }
	if !c.came && c.Name != "" && !slices.ContainsFunc(d.calls, same) {
		d.calls = append(d.calls, MockCallUse{c.Name, d.Pos(node.Get(n, "name"))})
	}
}

// mockUses returns the tools without given results in the replies that read reads.
func (d *decoder) mockUses(read func()) []MockCallUse {
	d.calls = nil
	read()
	return d.calls
}

func (r *mockReplyFile) add(c *mockCall, at diag.Pos) {
	if c.came {
		if r.Results == nil {
			r.Results = map[int]chat.ToolResult{}
		}
		c.result.Name = c.Name
		r.Results[len(r.ToolCalls)] = c.result
		if len(c.partAt) > 0 {
			if r.ResultPos == nil {
				r.ResultPos = map[int][]diag.Pos{}
			}
			r.ResultPos[len(r.ToolCalls)] = c.partAt
		}
	}
	r.ToolCalls, r.Places = append(r.ToolCalls, c.ToolCall), append(r.Places, at)
}
