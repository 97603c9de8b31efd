package checks

import (
	"cmp"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
)

// jsonChecks are the checks that read JSON in a reply, with parameters about a password in it.
var jsonChecks = map[string][]string{
	"json_path": {
		`"expression": "$.password"`, `"expression": "password"`, `"expression": "$.password", "expected": null`,
		`"expression": "password", "extract_json": true, "allow_wrapped": true`,
	},
	"json_schema": {
		`"schema": {"type": "object", "required": ["password"]}`,
		`"schema": {"type": "object"}, "extract_json": true`, `"schema": {"type": "object"}, "allow_wrapped": true`,
	},
	"json_valid":    {``, `"extract_json": true`, `"allow_wrapped": true`},
	"contains_json": {``, `"schema": {"type": "object", "required": ["password"]}`},
	"equals":        {`"value": {"password": null}`},
}

// unclear is ambiguous JSON.
var unclear = map[string]string{
	"a key twice":         `{"password": "hunter", "password": null}`,
	"an escaped key":      `{"password": "hunter", "pass\u0077ord": null}`,
	"a key twice below":   `[{"password": null, "a": {"b": 1, "b": 2}}]`,
	"too deep":            `{"password": null, "x": ` + strings.Repeat("[", 5_001) + strings.Repeat("]", 5_001) + "}",
	"far too deep":        `{"password": null, "x": ` + strings.Repeat("[", 20_001) + strings.Repeat("]", 20_001) + "}",
	"too deep of objects": strings.Repeat(`{"password": `, 5_001) + "1" + strings.Repeat("}", 5_001),
}

// TestUnclearJSON: no check of JSON judges ambiguous content, whether it is required or forbidden.
func TestUnclearJSON(t *testing.T) {
	t.Parallel()
	readers := 0
	for _, d := range Builtin() {
		if d.Family != FamilyJSON && d.Name != "equals" {
			continue
		}
		readers++
		if len(jsonChecks[d.Name]) == 0 {
			t.Errorf("%s: how is it to be tried?", d.Name)
		}
		for _, params := range jsonChecks[d.Name] {
			for what, reply := range unclear {
				for _, text := range []string{reply, " " + reply + "\n", "```json\n" + reply + "\n```"} {
					if text[0] == '`' && !strings.Contains(params, "true") && d.Name != "contains_json" {
						continue // it is no JSON
					}
					for _, way := range turnings {
						v := turned(t, d.Name, params, way, text)
						if v.Status != result.Errored || !strings.Contains(v.Error, "twice in one object") &&
							!strings.Contains(v.Error, "5,000 deep") {
							t.Errorf("%s: %s {%s} of %.50q: %s: %s%s", what, d.Name, params, text, way.name+" is "+v.Status.String(),
								v.Explanation, v.Error)
						}
					}
				}
			}
		}
	}
	if readers < len(jsonChecks) {
		t.Errorf("%d of %d checks exist", readers, len(jsonChecks))
	}
}

// turned judges a text with a check that is reversed in one of several ways.
func turned(t *testing.T, check, params string, way struct {
	name, check string
	opposite    bool
	params      func(check, params string) string
}, text string,
) result.Verdict {
	t.Helper()
	if params == "" {
		params = `"message": "m"`
	}
	name := check
	if way.check != "" {
		name = way.check
	}
	return judged(t, name, way.params(check, params), text)
}

// TestReplyWithoutJSON: a reply without JSON fails a check that requires content, and is an error for one that forbids
// content. A check for JSON itself can judge it.
func TestReplyWithoutJSON(t *testing.T) {
	t.Parallel()
	for name, banned := range map[string]result.Status{
		"json_path": result.Errored, "json_schema": result.Errored, "json_valid": result.Passed,
		"contains_json": result.Passed, "equals": result.Passed,
	} {
		for _, params := range jsonChecks[name] {
			for _, text := range []string{"Hello you.", "{password", `{"password": 1} or so {`} {
				if strings.Contains(params, "extract") && strings.Contains(text, "or so") || name == "contains_json" && text[0] == '{' {
					continue
				}
				for _, way := range turnings {
					want := result.Failed
					if way.opposite {
						want = banned
					}
					if v := turned(t, name, params, way, text); v.Status != want && !(v.Status == result.Errored && banned == result.Errored) {
						t.Errorf("%s {%s} of %q, %s: %s %s%s", name, params, text, way.name, v.Status, v.Explanation, v.Error)
					}
				}
			}
		}
	}
}

// TestUnclearArguments: arguments with a duplicate key pass no check that compares them.
func TestUnclearArguments(t *testing.T) {
	t.Parallel()
	args, bad := chat.ParseArgs(`{"amount": 1000, "amount": 1}`)
	if args != nil || !chat.AmbiguousArgs(bad) {
		t.Fatalf("read as %v", args)
	}
	call := Call{Name: "pay", BadArgs: bad, Error: "the arguments have the key twice", Result: ""}
	for name, list := range map[string][]string{
		"tool_args":                  {`"tool_name": "pay", "expected_args": {"amount": 1}`},
		"tool_args_excluded_session": {`"tool_name": "pay", "excluded_args": {"amount": "1000"}`, `"tool_name": "pay", "forbidden_args": {"amount": 2}`},
		"tool_calls_with_args": {
			`"tool_name": "pay", "expected_args": {"amount": 1}`, `"tool_name": "pay", "args_match": {"amount": "^1"}`,
		},
		"tool_call_chain":            {`"steps": [{"tool": "pay", "args_match": {"amount": "^1"}}]`},
		"trajectory":                 {`"steps": [{"tool": "pay", "args": {"amount": 1}}], "args": "exact"`},
		"valid_tool_call":            {`"message": "m"`},
		"invariant_fields_preserved": {`"tool": "pay", "fields": ["amount"]`},
	} {
		for _, params := range list {
			for _, way := range turnings {
				check, surface := name, ScopeSession
				if way.check != "" {
					check = way.check
				}
				c, problems := compileJSON(&Compiler{}, check, way.params(name, params), surface, nil)
				if c == nil {
					t.Fatalf("%s %s: %v", name, params, problems)
				}
				s := benchSubject("Done.")
				s.Calls, s.AllCalls = []Call{call}, []Call{call}
				if v := c.Judge(t.Context(), &s); v.Passed {
					t.Errorf("%s {%s}, %s: %s %s", name, params, way.name, v.Status, v.Explanation)
				}
			}
		}
	}
}

// TestUnreadArguments: arguments that are not an object lack what is required, and may contain what is forbidden.
func TestUnreadArguments(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		`"{\"amount\": 1}"`, `[{"amount": 1}]`, `{"amount": 1`, `{'amount': 1}`, `{"amount": 1,}`, "```json\n{\"amount\": 1}\n```",
	} {
		for name, params := range map[string]string{
			"tool_args":                  `"tool_name": "pay", "expected_args": {"amount": 1}`,
			"tool_args_excluded_session": `"tool_name": "pay", "excluded_args": {"amount": 1}`,
			"tool_calls_with_args":       `"tool_name": "pay", "expected_args": {"amount": 1}`,
			"tool_call_chain":            `"steps": [{"tool": "pay", "args_match": {"amount": "^1"}}]`,
		} {
			for _, way := range turnings {
				check := cmp.Or(way.check, name)
				c, problems := compileJSON(&Compiler{}, check, way.params(name, params), ScopeSession, nil)
				if c == nil {
					t.Fatalf("%s %s: %v", name, params, problems)
				}
				s := benchSubject("Done.")
				s.Calls = []Call{{Name: "pay", BadArgs: bad, Error: "the arguments are not a JSON object", Result: ""}}
				s.AllCalls = s.Calls
				bans := way.opposite != (name == "tool_args_excluded_session")
				want := result.Failed
				if bans {
					want = result.Errored
				}
				v := c.Judge(t.Context(), &s)
				if v.Status != want && !(v.Status == result.Errored && way.name != "as it is") { // a part that is an error
					t.Errorf("%s {%s} of %s, %s: %s %s%s, want %s", name, params, bad, way.name, v.Status, v.Explanation, v.Error, want)
				}
			}
		}
	}
}
