package scenario

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/node"
)

// toolFile is a tool as written in a file.
type toolFile struct {
	*Tool
	mode, http, exec, client  *node.Node
	sandbox                   *node.Node // of exec
	result, template, outputs *node.Node
	parts                     *node.Node // mock_parts
}

var toolModes = words("mock", "live", "exec", "client", "mcp", "local")

// toolFields are the keys of kind Tool.
var toolFields = table("a tool", func() rows[toolFile] {
	return rows[toolFile]{
		ownName[toolFile]("name"),
		ownName[toolFile]("id"),
		str("description", func(t *toolFile) *string { return &t.Description }).asIs().
			doc("What the tool does; models read it."),
		custom("input_schema", wireMap, readInputSchema).doc("JSON Schema of the arguments."),
		custom("parameters", wireMap, readInputSchema).doc("The same as input_schema."),
		custom("output_schema", wireMap, func(d *decoder, t *toolFile, v *node.Node) {
			t.outputs, t.OutputPos = v, d.Pos(v)
			t.OutputSchema = d.jsonSchema(v, "output_schema")
		}).doc("JSON Schema of the result."),
		custom("mode", toolModes, func(d *decoder, t *toolFile, v *node.Node) {
			t.mode = v
			t.Mode, _ = d.OneOf(v, "mode", toolModes...)
		}).doc("Simulated (mock, the default) or real."),
		custom("timeout_ms", counting, func(d *decoder, t *toolFile, v *node.Node) {
			if ms, ok := d.Int(v, "timeout_ms", 1, int(counting.High)); ok {
				t.Timeout = time.Duration(ms) * time.Millisecond
			}
		}).doc("The longest that a call may take, in milliseconds. Left out: 30000."),
		custom("mock_result", foreign, func(d *decoder, t *toolFile, v *node.Node) {
			if d.only(v, t.result, "mock_result", "mock_result_file") {
				t.result, t.MockResult = v, d.raw(withoutPlaces(v, ignorePlace), "mock_result")
			}
		}).orNull().doc("The result of every call."),
		custom("mock_template", text, func(d *decoder, t *toolFile, v *node.Node) {
			s, ok := d.Name(v, "mock_template")
			if ok && d.only(v, t.template, "mock_template", "mock_template_file") {
				t.template = v
				d.mockTemplate(t.Tool, v, s)
			}
		}).doc("A Go template over the arguments that makes the result: {{.order_id}}."),
		custom("mock_result_file", text, readMockResultFile).doc("The file that holds the result."),
		custom("mock_template_file", text, func(d *decoder, t *toolFile, v *node.Node) {
			data, ok := d.attached(v, "mock_template_file")
			if ok && d.only(v, t.template, "mock_template", "mock_template_file") {
				t.template = v
				d.mockTemplate(t.Tool, v, string(data))
			}
		}).doc("The file that holds the template."),
		custom("mock_parts", listOf(partFields), func(d *decoder, t *toolFile, v *node.Node) {
			t.parts = v
			t.MockParts, t.MockPartPos = d.parts(v, "mock_parts")
		}).asIs().doc("A result with images, sounds or files."),
		custom("http", httpFields, func(d *decoder, t *toolFile, v *node.Node) {
			readHTTP(d, t, v)
		}).doc("How to call it: mode live."),
		custom("exec", execFields, func(d *decoder, t *toolFile, v *node.Node) {
			readExec(d, t, v)
		}).doc("The program to start: mode exec."),
		custom("client", clientFields, func(d *decoder, t *toolFile, v *node.Node) {
			t.client, t.Client = v, new(ClientTool)
			clientFields.read(d, v, t.Client)
		}).doc("What the user's side does: mode client."),
	}
})

var toolName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

// tool reads a document of kind Tool.
func (d *decoder) tool(doc document) *Tool {
	spec := doc.spec
	if f := node.Get(spec, "function"); f != nil { // {"type": "function", "function": {…}}
		spec = f
		if name := node.Get(f, "name"); name != nil {
			doc.meta.ID, doc.meta.Pos = name.Value, d.Pos(name)
		}
	}
	t := toolFile{Tool: &Tool{Meta: doc.meta, File: d.File}}
	if !toolFields.read(d, spec, &t) {
		return nil
	}
	if !toolName().MatchString(t.ID) {
		report := d.Foreignf(nil, "wrong-name", "%q is not a name for a tool", t.ID)
		report.Pos, report.Hint = t.Pos, "models take up to 64 letters, digits, _ and -"
	}
	if t.InputSchema == nil {
		t.InputSchema, t.InputPos = json.RawMessage(`{"type":"object","properties":{}}`), t.Pos
	}
	d.toolMode(spec, &t)
	d.templateArguments(&t)
	d.oneAnswer(&t)
	d.mockFits(&t)
	d.resultPlaces(&t)
	d.mockPlaces(&t)
	return t.Tool
}

func readInputSchema(d *decoder, t *toolFile, v *node.Node) {
	if t.InputSchema != nil {
		d.Errorf(v, "duplicate-key", "the tool has both input_schema and parameters").Hint = "keep one of the two"
		return
	}
	t.InputPos = d.Pos(v)
	if t.InputSchema = d.jsonSchema(v, "input_schema"); t.InputSchema == nil {
		t.InputSchema = json.RawMessage(`{"additionalProperties":true}`) // report the problem once, not for every argument
		return
	}
	if kind := node.Get(v, "type"); kind != nil && kind.Kind == node.Scalar && kind.Value != "object" {
		d.Errorf(kind, "wrong-type", "the arguments of a tool are an object, not %q", kind.Value)
	}
}

// raw is a value as JSON.
func (d *decoder) raw(n *node.Node, what string) json.RawMessage {
	b, err := jsonvalue.Plain(d.Any(n))
	if err != nil {
		d.Errorf(n, "wrong-type", "%s cannot be written as JSON: %v", what, err)
		return nil
	}
	return b
}

func readMockResultFile(d *decoder, t *toolFile, v *node.Node) {
	data, ok := d.attached(v, "mock_result_file")
	if !ok || !d.only(v, t.result, "mock_result", "mock_result_file") {
		return
	}
	t.result = v
	if json.Valid(data) {
		t.MockResult = data
		return
	}
	if b, err := json.Marshal(strings.ToValidUTF8(string(data), "\uFFFD")); err == nil {
		t.MockResult = b
	}
}

// attached reads a file that a value names.
func (d *decoder) attached(n *node.Node, what string) ([]byte, bool) {
	name, ok := d.Name(n, what)
	if !ok {
		return nil, false
	}
	path, _ := d.runtimePath(name)
	data, problem := d.places.fs.take(path)
	if problem != nil {
		if problem.code == MissingFile {
			problem = d.missingFile(name)
		}
		d.Errorf(n, problem.code, "%s", problem.msg).Hint = problem.hint
		return nil, false
	}
	return data, true
}

var templateLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^template: [^:]*:(\d+):(?:\d+:)? ?`)
})

// mockTemplate checks a Go template over the arguments of a tool.
func (d *decoder) mockTemplate(t *Tool, n *node.Node, src string) {
	t.MockTemplate, t.TemplatePos = src, d.Pos(n)
	parsed, err := template.New("mock").Parse(src)
	if err == nil {
		d.templateFails(n, src, parsed)
		return
	}
	msg := err.Error()
	report := d.Errorf(n, "invalid-template", "")
	if m := templateLine().FindStringSubmatch(msg); m != nil {
		msg = msg[len(m[0]):]
		if line, convErr := strconv.Atoi(m[1]); convErr == nil && node.IsBlock(n) { // its text starts below the |
			report.Pos.Line, report.Pos.Col, report.Width = int32(n.Line+line), 0, 0
		}
	}
	report.Msg = "mock_template: " + msg
	report.Hint = "the language is that of Go templates, over the arguments: {{.order_id}}"
}
