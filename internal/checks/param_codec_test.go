package checks

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// everything is a parameter struct with a field of each kind, those of checks to come included.
type everything struct {
	Flag    bool               `param:"flag" default:"true"`
	Count   int                `param:"count" default:"3" min:"1" max:"9"`
	Limit   *int               `param:"limit"`
	Ratio   float64            `param:"ratio" default:"0.5" max:"1" above:"0"`
	Mode    string             `param:"mode" words:"loose,strict" default:"loose"`
	Wait    time.Duration      `param:"wait"`
	Steps   []step             `param:"steps"`
	Env     map[string]string  `param:"env"`
	Args    map[string]any     // no parameter
	Regexps map[string]pattern `param:"regexps"`
	Value   anyValue           `param:"value" alias:"v"`
	shared
}

type shared struct {
	Names []string `param:"names" alias:"tools,name"`
}

type step struct {
	Tool string `param:"tool,required"`
	Max  *int   `param:"max" min:"0"`
}

func (everything) Build(*binder) Check { return nil }

func decodeEverything(t *testing.T, text string) (everything, []string) {
	t.Helper()
	var problems diag.List
	r := &node.Reader{File: "x.yaml", Diags: &problems}
	b := &binder{c: &Compiler{}, r: r, name: "all", read: map[string]*node.Node{}}
	if docs := node.Parse(r, []byte(text)); len(docs) > 0 {
		b.body = docs[0]
	}
	var e everything
	ok := b.decode(layoutFor[everything](), &e)
	var lines []string
	for _, p := range problems.Sorted() {
		lines = append(lines, p.Pos.String()[len("x.yaml:"):]+" "+p.Code+": "+p.Msg)
	}
	if ok != (problems.Errors() == 0) {
		t.Errorf("decoded: %v, problems: %v", ok, lines)
	}
	return e, lines
}

func TestEveryKindOfParameter(t *testing.T) {
	t.Parallel()
	e, problems := decodeEverything(t, `
flag: false
count: 4.0
limit: 0
ratio: 1
mode: strict
wait: 90s
steps: [{tool: a}, {tool: 7, max: 2}]
env: {A: b, C: 1}
regexps: {x: a+}
v: null
tools: one
`)
	if problems != nil {
		t.Fatal(problems)
	}
	want := everything{
		Count: 4, Limit: new(0), Ratio: 1, Mode: "strict", Wait: 90 * time.Second,
		Steps: []step{{Tool: "a"}, {Tool: "7", Max: new(2)}}, Env: map[string]string{"A": "b", "C": "1"},
		Value: anyValue{given: true}, shared: shared{Names: []string{"one"}},
	}
	if got := e.Regexps["x"].String(); got != "a+" {
		t.Errorf("regexp %q", got)
	}
	e.Regexps = nil
	if diff := cmp.Diff(want, e, cmp.AllowUnexported(anyValue{}, everything{}, shared{})); diff != "" {
		t.Error(diff)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	e, problems := decodeEverything(t, "")
	want := everything{Flag: true, Count: 3, Ratio: 0.5, Mode: "loose"}
	if diff := cmp.Diff(want, e, cmp.AllowUnexported(anyValue{}, everything{}, shared{})); diff != "" || problems != nil {
		t.Error(diff, problems)
	}
}

func TestParametersThatDoNotFit(t *testing.T) {
	t.Parallel()
	_, got := decodeEverything(t, `
flag: 1
count: 2.5
limit: "7"
ratio: 0
mode: stric
wait: 5
steps: [{tol: a}, b, {tool: x, max: -1}]
env: {A: ""}
regexps: {x: "(", y: ""}
value: .inf
names: [a, {b: c}]
`)
	want := []string{
		"2:7 wrong-type: all: flag must be true or false, found the number 1",
		"3:8 wrong-type: all: count must be a whole number, found 2.5",
		`4:8 wrong-type: all: limit must be a whole number, found text "7"`,
		"5:8 out-of-range: all: ratio must be above 0, found 0",
		`6:7 unknown-value: all: mode cannot be "stric"; expected one of loose, strict`,
		"7:7 wrong-type: all: wait must be a time span above zero such as 90s or 5m, found the number 5",
		`8:9 missing-parameter: all: missing parameter "tool" (text) in steps[0]`,
		`8:10 unknown-parameter: all: unknown parameter "tol" in steps[0]`,
		`8:19 wrong-type: all: steps[1] must be a map, found text "b"`,
		"8:37 out-of-range: all: steps[2].max must be at least 0, found -1",
		"9:10 empty-value: all: env.A is empty",
		"10:14 bad-regex: all: regexps.x is not a regular expression: missing closing ): `(`",
		"10:22 empty-value: all: regexps.y is empty",
		"11:8 wrong-type: .inf is not a number that JSON can hold",
		"12:12 wrong-type: all: names[1] must be text, found a map",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestParametersInWords(t *testing.T) {
	t.Parallel()
	want := "flag (true or false), count (whole number), limit (whole number), ratio (number), " +
		"mode (one of loose or strict), wait (time span such as 30s), steps (list " +
		"of map with tool (text), max (whole number)), " +
		"env (map to text), regexps (map to regular expression), value (any value), names (list of text)"
	if got := keys.Listed(layoutFor[everything]().list); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// A kind of field that no codec reads is found when the checks are tested, not by users.
func TestUnreadableParameters(t *testing.T) {
	t.Parallel()
	type bad struct {
		C chan int `param:"c"`
	}
	defer func() {
		if p := recover(); p == nil || !strings.Contains(p.(string), "chan int") {
			t.Errorf("panic: %v", p)
		}
	}()
	layoutFor[bad]()
}

func TestBuildIsNotCalledWithBrokenParameters(t *testing.T) {
	t.Parallel()
	d := define[mustBeSound](Def{Name: "sound"})
	var problems diag.List
	b := &binder{c: &Compiler{}, def: d, name: "sound", r: &node.Reader{Diags: &problems}, read: map[string]*node.Node{}}
	if d.build(b) != nil || problems.Errors() != 1 {
		t.Error(problems.Sorted())
	}
}

type mustBeSound struct {
	Name string `param:"name,required"`
}

func (mustBeSound) Build(*binder) Check { panic("built without its parameters") }

var _ Check = stub(func(context.Context, *Subject) (Finding, error) { return Finding{}, nil })
