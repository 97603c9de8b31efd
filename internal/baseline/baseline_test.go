package baseline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestSchema: what is written fits its schema.
func TestSchema(t *testing.T) {
	t.Parallel()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	gated := some().Groups
	gated[0].Rule, gated[0].Score, gated[0].Repeatable = &Rule{PassRate: 0.8, Confidence: 0.95, Max: 50, Min: 1, Block: 1}, new(0.5), true
	for _, f := range []*File{some(), New("", nil), New("gated", gated)} {
		written, err := jsonschema.UnmarshalJSON(bytes.NewReader(f.Encode()))
		if err == nil {
			err = schema.Validate(written)
		}
		if err != nil {
			t.Errorf("%s: %v", f.Encode(), err)
		}
	}
}

func some() *File {
	return New("support", []Group{
		{Name: "b/p/default", Status: "failed", Passed: 3, Failed: 17, Low: 0.04216, High: 0.34366, Asked: "b0", Failing: []string{"y", "x", "y"}},
		{Name: "a/p/default", Status: "passed", Passed: 20, Low: 0.8609, High: 1, Asked: "a0", LatencyMS: 1234.5, CostUSD: new(0.000123456)},
	})
}

// TestEncode: the file is small and sorted, with a line a group, and reads as what was written.
func TestEncode(t *testing.T) {
	t.Parallel()
	const want = `{
  "baseline": 1,
  "suite": "support",
  "count": 2,
  "groups": [
    {"group":"a/p/default","status":"passed","passed":20,"failed":0,"low":0.861,"high":1,"cost_usd":0.0001235,` +
		`"latency_ms":1230,"asked":"a0","sum":"SUM"},
    {"group":"b/p/default","status":"failed","passed":3,"failed":17,"low":0.0422,"high":0.344,"latency_ms":0,` +
		`"failing":["x","y"],"asked":"b0","sum":"SUM"}
  ]
}
`
	f := some()
	got := string(f.Encode())
	for _, g := range f.Groups {
		got = strings.Replace(got, g.Sum, "SUM", 1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, text := range []string{string(f.Encode()), strings.ReplaceAll(string(f.Encode()), "\n", "\r\n")} {
		back, d := Read("f.json", []byte(text))
		if d != nil {
			t.Fatal(d.Line())
		}
		if diff := cmp.Diff(f, back); diff != "" {
			t.Errorf("read (-written +read):\n%s", diff)
		}
	}
	if f.Find("b/p/default") != &f.Groups[1] || f.Find("c") != nil {
		t.Error("groups are not found")
	}
	none := New("", nil)
	if back, d := Read("f.json", none.Encode()); d != nil || back.Count != 0 {
		t.Errorf("no groups: %+v", d)
	}
}

// TestRefused: nobody but arena writes the file, and what a merge made of it is found.
func TestRefused(t *testing.T) {
	t.Parallel()
	whole := string(some().Encode())
	lines := strings.SplitAfter(whole, "\n")
	for _, c := range []struct{ name, text, want string }{
		{"a number", strings.Replace(whole, `"failed":17`, `"failed":16`, 1), `f.json:7:1: the line of "b/p/default" was edited`},
		{"a status", strings.Replace(whole, `"status":"passed"`, `"status":"failed"`, 1), `f.json:6:1: the line of "a/p/default" was edited`},
		{"a check", strings.Replace(whole, `["x","y"]`, `["x","y","z"]`, 1), `f.json:7:1: the line of "b/p/default" was edited`},
		{"a line less", strings.Join(append(lines[:6:6], lines[7:]...), ""), ""},
		{"a line less, and no comma", strings.Replace(strings.Join(append(lines[:6:6], lines[7:]...), ""), "},\n  ]", "}\n  ]", 1),
			"f.json:4:1: 2 groups are said to be here, and there are 1: lines were taken out or added"},
		{"a line twice", strings.Join(append(lines[:6:6], lines[5:]...), ""), `f.json:7:1: "a/p/default" stands here twice, as after a merge`},
		{"the order", lines[0] + lines[1] + lines[2] + lines[3] + lines[4] + strings.TrimSuffix(lines[6], "\n") + ",\n" +
			strings.Replace(lines[5], "},", "}", 1) + lines[7] + lines[8],
			`f.json:7:1: "a/p/default" comes after "b/p/default": the lines are not in their order`},
		{"a conflict", strings.Replace(whole, lines[5], "<<<<<<< HEAD\n"+lines[5]+"=======\n"+lines[5]+">>>>>>> main\n", 1),
			"f.json:6:1: a merge has left a conflict here"},
		{"another version", strings.Replace(whole, `"baseline": 1`, `"baseline": 2`, 1),
			"f.json:1:1: the baseline has version 2, and this arena reads version 1"},
		{"another key", strings.Replace(whole, `"suite"`, `"sweet"`, 1), ""},
		{"results", `{"schema_version": 1}`, "f.json:1:1: the file is no baseline of arena"},
		{"a list", `[]`, ""},
		{"cut", whole[:100], ""},
		{"nothing", "", ""},
	} {
		f, d := Read("f.json", []byte(c.text))
		if d == nil {
			t.Errorf("%s: read as %+v", c.name, f)
		} else if c.want != "" && d.Line() != c.want || d.Hint == "" || d.Pos.Line == 0 {
			t.Errorf("%s: %s", c.name, d.Line())
		}
	}
}
