package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

const orderSchema = `{"type":"object","properties":{
	"id":{"type":"string"},"count":{"type":"integer"},"price":{"type":"number"},"express":{"type":"boolean"},
	"tags":{"type":"array","items":{"type":"string"}},"speed":{"type":"string","enum":["Slow","Fast"]},
	"note":{"type":["string","null"]},"address":{"type":"object","properties":{"zip":{"type":"integer"}}}},
	"required":["id"],"additionalProperties":false}`

func spec(id string, edit func(*scenario.Tool)) *scenario.Tool {
	t := &scenario.Tool{Meta: scenario.Meta{ID: id}, Mode: "mock", InputSchema: json.RawMessage(orderSchema)}
	if edit != nil {
		edit(t)
	}
	return t
}

func registry(t *testing.T, specs ...*scenario.Tool) *Registry {
	t.Helper()
	r, err := New(specs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func call(t *testing.T, r *Registry, name, args string) chat.ToolResult {
	t.Helper()
	c := chat.ToolCall{ID: "c1", Name: name}
	c.Args, c.BadArgs = chat.ParseArgs(args)
	box := NewKit(r).Box("")
	return box.Call(t.Context(), c)
}

func TestMockResults(t *testing.T) {
	t.Parallel()
	r := registry(t,
		spec("nothing", nil),
		spec("text", func(s *scenario.Tool) { s.MockResult = json.RawMessage(`"shipped"`) }),
		spec("json_as_text", func(s *scenario.Tool) {
			s.MockResult, s.OutputSchema = json.RawMessage(`"{\"status\": \"shipped\"}"`), json.RawMessage(`{"type":"string"}`)
		}),
		spec("object", func(s *scenario.Tool) { s.MockResult = json.RawMessage(`{"z":1,"a":12345678901234567890}`) }),
		spec("json_template", func(s *scenario.Tool) {
			s.MockTemplate = `{"id":"{{.id}}","late":{{if gt .count 3}}true{{else}}false{{end}}}`
		}),
		spec("text_template", func(s *scenario.Tool) { s.MockTemplate = `order {{.id}} costs {{.price}}` }),
		spec("parts", func(s *scenario.Tool) {
			s.MockParts = []chat.Part{{Type: "text", Text: "see"}, {Type: "image", Media: &chat.Media{MIMEType: "image/png"}}}
		}),
	)
	cases := []struct{ tool, args, want string }{
		{"json_as_text", `{"id":"A"}`, `{"status": "shipped"}`},
		{"nothing", `{"id":"A"}`, "{\n  \"result\": \"mock result of nothing\"\n}"},
		{"text", `{"id":"A"}`, "shipped"},
		{"object", `{"id":"A"}`, "{\n  \"z\": 1,\n  \"a\": 12345678901234567890\n}"},
		{"json_template", `{"id":"A1","count":4}`, "{\n  \"id\": \"A1\",\n  \"late\": true\n}"},
		{"text_template", `{"id":"A1","price":49.99}`, "{\n  \"result\": \"order A1 costs 49.99\"\n}"},
		{"parts", `{"id":"A"}`, "see[image:image/png]"},
	}
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			t.Parallel()
			got := call(t, r, c.tool, c.args)
			if got.Error != "" || got.Text() != c.want || got.ID != "c1" || got.Name != c.tool {
				t.Errorf("got %+v, want text %q", got, c.want)
			}
		})
	}
}

func TestCallsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	r := registry(t,
		spec("get_order", nil),
		spec("liar", func(s *scenario.Tool) {
			s.MockResult = json.RawMessage(`{"status":7}`)
			s.OutputSchema = json.RawMessage(`{"type":"object","properties":{"status":{"type":"string"}}}`)
		}),
		spec("crash", func(s *scenario.Tool) { s.MockTemplate = `{{index .tags 9}}` }),
	)
	cases := []struct{ name, tool, args, kind, want string }{
		{"unknown tool", "get_oder", `{"id":"A"}`, chat.ErrorExecution, "tool not found: get_oder (did you mean get_order?)"},
		{"cut arguments", "get_order", `{"id":`, chat.ErrorValidation, "not a JSON object"},
		{"a key twice", "get_order", `{"id":"A","id":"B"}`, chat.ErrorValidation, `the arguments have the key "id" twice in one object`},
		{"a list", "get_order", `[1]`, chat.ErrorValidation, "not a JSON object"},
		{"missing argument", "get_order", `{}`, chat.ErrorValidation, "missing property 'id'"},
		{"unknown argument", "get_order", `{"id":"A","colour":1}`, chat.ErrorValidation, "'colour'"},
		{"wrong type", "get_order", `{"id":"A","count":"many"}`, chat.ErrorValidation, "count: "},
		{"a number of a million digits", "get_order", `{"id":"A","price":1e9999999}`, chat.ErrorValidation, "too large to work with"},
		{"result of the wrong shape", "liar", `{"id":"A"}`, chat.ErrorValidation, "invalid result of liar: status: "},
		{"failing template", "crash", `{"id":"A","tags":["x"]}`, chat.ErrorMock, "crash: mock_template"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := call(t, r, c.tool, c.args)
			if got.ErrorType != c.kind || !strings.Contains(got.Error, c.want) || got.Content != got.Error {
				t.Errorf("got %q (%s), want %q (%s)", got.Error, got.ErrorType, c.want, c.kind)
			}
		})
	}
}

func TestCoerce(t *testing.T) {
	t.Parallel()
	s, err := compileSchema(json.RawMessage(orderSchema))
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct{ name, args, want string }{
		{"what fits stays", `{"id":"42","count":2,"price":1.50}`, `{"count":2,"id":"42","price":1.50}`},
		{"numbers as text", `{"count":" 3 ","price":"1.5"}`, `{"count":3,"price":1.5}`},
		{"no number", `{"count":"0x10","price":"cheap"}`, `{"count":"0x10","price":"cheap"}`},
		{"booleans as text", `{"express":"True"}`, `{"express":true}`},
		{"a list as text", `{"tags":"[\"a\"]"}`, `{"tags":["a"]}`},
		{"the case of an enum", `{"speed":"fast"}`, `{"speed":"Fast"}`},
		{"empty optional arguments go", `{"count":null,"express":"","speed":""}`, `{}`},
		{"unless they are allowed", `{"note":null}`, `{"note":null}`},
		{"required ones stay", `{"id":""}`, `{"id":""}`},
		{"inside objects", `{"address":{"zip":"8001"}}`, `{"address":{"zip":8001}}`},
		{"unknown ones stay", `{"other":null}`, `{"other":null}`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args, bad := chat.ParseArgs(c.args)
			if bad != "" {
				t.Fatalf("bad fixture %s", bad)
			}
			before := Canonical(args)
			if diff := cmp.Diff(c.want, Canonical(s.coerce(args))); diff != "" {
				t.Error(diff)
			}
			if Canonical(args) != before {
				t.Error("the arguments of the model were changed")
			}
		})
	}
}

func TestOffered(t *testing.T) {
	t.Parallel()
	r := registry(t, spec("b_two", nil), spec("a", nil), spec("b_one", nil))
	cases := []struct {
		allowed []string
		want    []string
	}{
		{nil, nil},
		{[]string{"a"}, []string{"a"}},
		{[]string{"b_*", "missing"}, []string{"b_one", "b_two"}},
		{[]string{"*"}, []string{"a", "b_one", "b_two"}},
	}
	for _, c := range cases {
		var got []string
		for _, offered := range r.Offered(c.allowed) {
			got = append(got, offered.Name)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("allowed %v: %s", c.allowed, diff)
		}
	}
}

func TestLongResultsAreCut(t *testing.T) {
	t.Parallel()
	long, err := json.Marshal(strings.Repeat("é", MaxResult))
	if err != nil {
		t.Fatal(err)
	}
	r := registry(t, spec("long", func(s *scenario.Tool) { s.MockResult = long }))
	got := call(t, r, "long", `{"id":"A"}`).Content
	if len(got) > MaxResult+24 || !strings.HasSuffix(got, "é…\n[cut at 1 MiB]") {
		t.Errorf("%d bytes, end %q", len(got), got[len(got)-20:])
	}
}

func TestSchemasAreNotFetched(t *testing.T) {
	t.Parallel()
	_, err := New([]*scenario.Tool{spec("x", func(s *scenario.Tool) {
		s.InputSchema = json.RawMessage(`{"$ref":"http://127.0.0.1:1/schema.json"}`)
	})}, nil)
	if err == nil || !strings.Contains(err.Error(), "schemas are not fetched") {
		t.Errorf("error %v", err)
	}
}
