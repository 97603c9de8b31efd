//go:build unix

package checks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// scripted is a check type that is a shell script.
func scripted(t *testing.T, script string, env ...string) *scenario.Handler {
	t.Helper()
	return &scenario.Handler{
		Type: "my_eval", Command: "/bin/sh", Args: []string{"-c", script}, Env: env, Timeout: hang.Guard, Dir: t.TempDir(),
	}
}

func compiledHandler(t *testing.T, h *scenario.Handler, params string) *Compiled {
	t.Helper()
	c, problems := (&Compiler{}).CompileJSON(&JSONCheck{
		Type: h.Type, Params: params, Scope: ScopeTurn, Handlers: map[string]*scenario.Handler{h.Type: h},
	})
	if c == nil || len(problems) > 0 {
		t.Fatal(problems)
	}
	return c
}

func shellHost() *Host {
	return &Host{Getenv: lookup(map[string]string{"PATH": os.Getenv("PATH"), "KEY": secretKey, "REGION": "north-7"})}
}

// TestUglyPrograms: faulty programs that checks must handle.
func TestUglyPrograms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, script, want string }{
		{"fails", `echo '{"score": 1}'; echo "no model" >&2; exit 3`, "/bin/sh: exit status 3; stderr: no model"},
		{"dies", `kill -KILL $$`, "/bin/sh: signal: killed"},
		{"hangs", `sleep 1000000`, "/bin/sh: no answer within 300ms"},
		{"does not want to end", `trap '' TERM; while :; do sleep 1000000; done`, "/bin/sh: no answer within 300ms"},
		{"leaves a child behind", `sleep 1000000 & echo '{"score": 1}'`,
			"/bin/sh: it ended and left a process behind that holds its output open"},
		{"writes without end", `yes '{"score": 1}'`, "/bin/sh: it wrote more than 10 MB"},
		{"says nothing", `echo; echo why >&2`, "/bin/sh: it printed nothing, expected a JSON object with a score; stderr: why"},
		{"talks", `echo 'score: 1'`, `/bin/sh: its output is not one JSON object (invalid character 's' looking for beginning of value): "score: 1"`},
		{"talks first", `echo 'loading'; echo '{"score": 1}'`, `/bin/sh: its output is not one JSON object`},
		{"says it twice", `echo '{"score": 1}'; echo '{"score": 1}'`, `/bin/sh: its output is not one JSON object`},
		{"breaks off", `printf '{"score": 1'`, `/bin/sh: its output is not one JSON object (unexpected EOF)`},
		{"lists", `echo '[{"score": 1}]'`, `/bin/sh: its output is not one JSON object: "[`},
		{"counts", `echo 1`, `/bin/sh: its output is not one JSON object: "1"`},
		{"bytes", `printf '{"score": 1, "detail": "\377"}'`, "/bin/sh: its output is not valid UTF-8"},
		{"a text", `echo '{"score": "1"}'`, `/bin/sh: its output cannot be used: score is "1", expected a number from 0 to 1, without quotes`},
		{"says more", `echo '{"score": 1}x'`, "/bin/sh: its output is not one JSON object"},
		{"a zero byte", `printf '{"score": 1}\000'`, "/bin/sh: its output is not one JSON object"},
		{"no score", `echo '{"detail": "fine"}'`, "/bin/sh: its output cannot be used: it has no score"},
		{"an error beside it", `echo '{"score": 1, "error": "no model"}'`, "/bin/sh: its output cannot be used: it reports an error of its own (error), so it has not judged"},
		{"too much", `echo '{"score": 85}'`, "/bin/sh: its output cannot be used: score is 85, which is not between 0 and 1"},
		{"nothing", `echo '{"score": null}'`, "/bin/sh: its output cannot be used: score is null, expected a number from 0 to 1"},
		{"NaN", `echo '{"score": NaN}'`, "/bin/sh: its output is not one JSON object"},
		{"two scores", `echo '{"score": 0, "score": 1}'`, "/bin/sh: its output cannot be used: it says score twice and not the same"},
		{"tells a secret", `echo "key is $KEY" >&2; exit 1`, "/bin/sh: exit status 1; stderr: key is [redacted]"},
		{"prints a secret", `echo "$KEY"`, `looking for beginning of value): "[redacted]"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := scripted(t, tc.script, "KEY")
			if strings.Contains(tc.want, "300ms") {
				h.Timeout = 300 * time.Millisecond // is meant to pass
			}
			expectError(t, compiledHandler(t, h, `{"max_score": 0.5}`), shellHost(), tc.want)
		})
	}
}

func TestProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	h := scripted(t, "")
	h.Command = "./none.sh"
	expectError(t, compiledHandler(t, h, ""), shellHost(), "./none.sh: cannot be started: no such file or directory")
	expectError(t, compiledHandler(t, h, ""), nil, "nothing outside of arena can be reached from here")
}

// TestExecProtocol shows the exact input of a program, and the finding from its output.
func TestExecProtocol(t *testing.T) {
	t.Parallel()
	h := scripted(t, `cat >stdin.json; env >env.txt
		printf ' {"score": 0.85, "detail": "two\\nlines for %s", "data": {"k": 1, "key": "%s"}, "more": 1}\n\n' "$KEY" "$KEY"`,
		"KEY", "MODE=for ${REGION}", "ABSENT")
	c := compiledHandler(t, h, `{"language": "en", "limits": {"n": 7, "min_score": 1}, "min_score": 0.8, "max_score": 0.9, "message": "m"}`)
	s := outsideSubject(shellHost())
	s.Start, s.Turn, s.Variables, s.SessionID, s.PromptID = 0, 0, map[string]string{"lang": "en"}, "a/b/c", "p"
	s.Metadata = map[string]any{"a": true}
	s.Calls = []Call{{Name: "find", Args: map[string]any{"n": json.Number("7")}, Result: "x"}}
	v := c.Judge(t.Context(), s)
	if v.Status != result.Passed || *v.Score != 0.85 || v.Explanation != "two lines for [redacted]" || v.Message != "m" {
		t.Fatalf("%s %v: %s%s", v.Status, v.Score, v.Explanation, v.Error)
	}
	if diff := cmp.Diff(map[string]any{"k": json.Number("1"), "key": "[redacted]"}, v.Details); diff != "" {
		t.Error(diff)
	}
	want := `{"type":"my_eval","params":{"language":"en","limits":{"min_score":1,"n":7}},"content":"On Monday.","context":{` +
		`"messages":[{"role":"user","content":"When?"},{"role":"assistant","content":"On Monday."}],"turn_index":0,` +
		`"tool_calls":[{"name":"find","args":{"n":7},"result":"x","index":0}],"variables":{"lang":"en"},` +
		`"metadata":{"a":true},"session_id":"a/b/c","prompt_id":"p"}}`
	if got := read(t, h.Dir, "stdin.json"); got != want {
		t.Errorf(" got %s\nwant %s", got, want)
	}
	env := "\n" + read(t, h.Dir, "env.txt")
	if !strings.Contains(env, "\nMODE=for north-7\n") || !strings.Contains(env, "\nKEY="+secretKey) || strings.Contains(env, "REGION=") {
		t.Error(env)
	}
}

// TestExecProtocolOfASession: the content is the last reply of the conversation. Missing values are empty, not omitted.
func TestExecProtocolOfASession(t *testing.T) {
	t.Parallel()
	h := scripted(t, `cat >stdin.json; echo '{"score": 0.5, "data": [1]}'`)
	c, problems := (&Compiler{}).CompileJSON(&JSONCheck{
		Type: h.Type, Params: "", Scope: ScopeSession, Handlers: map[string]*scenario.Handler{h.Type: h},
	})
	if c == nil {
		t.Fatal(problems)
	}
	s := outsideSubject(shellHost())
	s.Session, s.Turn = true, -1
	s.Messages = append(s.Messages, chat.Message{Role: chat.User, Content: "Why?"}, chat.Message{Role: chat.Assistant, Content: "So."})
	v := c.Judge(t.Context(), s)
	if v.Status != result.Failed || v.Explanation != "the program gave no detail" {
		t.Errorf("%s: %s%s", v.Status, v.Error, v.Explanation)
	}
	if diff := cmp.Diff(map[string]any{"data": []any{json.Number("1")}}, v.Details); diff != "" {
		t.Error(diff)
	}
	got := read(t, h.Dir, "stdin.json")
	for _, part := range []string{
		`"params":{},"content":"So.",`, `"turn_index":1,"tool_calls":[],"variables":{},"metadata":{},"session_id":"","prompt_id":""}}`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("%s\nlacks %s", got, part)
		}
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPreflight: missing programs, addresses and variables are reported before the run.
func TestPreflight(t *testing.T) {
	t.Parallel()
	h := scripted(t, "", "KEY", "NOWHERE", "A=${GONE}", "B=${GONE:-x}")
	h.Command, h.CommandPos, h.Pos = "./none.sh", diag.Pos{File: "r.yaml", Line: 2, Col: 9}, diag.Pos{File: "r.yaml", Line: 1, Col: 1}
	c, problems := (&Compiler{}).CompileJSON(&JSONCheck{Type: "all_of", Params: `{"checks": [
		{"type": "my_eval"},
		{"type": "rest_eval", "params": {"url": "${GONE}/x", "headers": {"K": "${GONE}", "L": "${KEY}"}}},
		{"type": "rest_eval", "params": {"url": "${KEY}/x"}},
		{"type": "a2a_eval", "params": {"agent_url": "http://${KEY}.test", "auth_token": "${GONE}"}},
		{"type": "contains", "params": {"patterns": "x"}}
	]}`, Scope: ScopeTurn, Handlers: map[string]*scenario.Handler{h.Type: h}})
	if c == nil {
		t.Fatal(problems)
	}
	var got []string
	for _, p := range c.Preflight(shellHost().Getenv) {
		got = append(got, p.Pos.String()+" "+p.Severity.String()+" "+p.Msg)
	}
	want := []string{
		`params.json:3:43 error rest_eval: url: the environment has no GONE`,
		`params.json:3:67 warning rest_eval: the environment has no GONE; the header K is sent without it`,
		`params.json:4:43 error rest_eval: url: ${KEY}/x must start with http:// or https://`,
		`params.json:5:84 warning a2a_eval: the environment has no GONE for the auth_token`,
		`r.yaml:1:1 error my_eval: the environment has no GONE, of which env makes use`,
		`r.yaml:1:1 warning my_eval: the environment has no NOWHERE to pass on`,
		`r.yaml:2:9 error my_eval: "./none.sh" cannot be started: no such file or directory`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDeclaredTypes: a type that a later file may declare is compiled again later, and not reported before.
func TestDeclaredTypes(t *testing.T) {
	t.Parallel()
	h := scripted(t, "")
	late := &scenario.Handler{Type: "served", Later: "programs that keep running (runtime: server)", Pos: diag.Pos{File: "r.yaml", Line: 3}}
	declared := map[string]*scenario.Handler{"my_eval": h, "served": late}
	for _, tc := range []struct {
		text, want string
		unknown    bool // at first
	}{
		{text: "type: my_eval\nparams: {any: [thing], min_score: 0.5}\n", unknown: true},
		{text: "type: assertion\nparams: {eval_type: my_eval, eval_params: {a: 1}}\n", unknown: true},
		{text: "type: not\nparams: {check: {type: my_eval}, min_score: 3}\n", unknown: true, want: "not: min_score must be between 0 and 1, found 3"},
		{text: "type: my_evil\n", unknown: true, want: `unknown check "my_evil" = did you mean "my_eval"? ` + "`arena checks` lists all of them"},
		{text: "type: any_of\nparams: {checks: [{type: contians}]}\n", unknown: true, want: `unknown check "contians" = did you mean "contains"?`},
		{text: "type: served\n", unknown: true},
		{text: "type: my_eval\nparams: [1]\n", unknown: true, want: "my_eval: params must be a map of parameters"},
		{text: "type: contains\nparams: {}\n", want: `contains: missing parameter "patterns"`},
	} {
		spec := checkOf(t, tc.text)
		var problems diag.List
		spec.Early = true
		compiler := &Compiler{}
		first := compiler.Compile(spec, &problems)
		if spec.Unknown != tc.unknown || tc.unknown && (first != nil || problems.Errors() > 0) {
			t.Errorf("%s: unknown %v, problems %v", tc.text, spec.Unknown, problems.Sorted())
		}
		if !tc.unknown {
			continue
		}
		spec.Early, spec.Handlers = false, declared
		c := compiler.Compile(spec, &problems)
		said := ""
		for _, p := range problems.Sorted() {
			said += p.Msg + " = " + p.Hint
		}
		if (c == nil) != (tc.want != "") || !strings.Contains(said, tc.want) || spec.Unknown {
			t.Errorf("%s: %v, %s", tc.text, c, said)
		}
	}
}

// TestProgramsThatCannotRun: a type that arena cannot run is refused by the plan, or else by the verdict.
func TestProgramsThatCannotRun(t *testing.T) {
	t.Parallel()
	late := &scenario.Handler{Type: "served", Later: "programs that keep running", Pos: diag.Pos{File: "r.yaml", Line: 3}}
	spec := checkOf(t, "type: not\nparams: {check: {type: served}}\n")
	spec.Handlers = map[string]*scenario.Handler{"served": late}
	var problems diag.List
	c := (&Compiler{}).Compile(spec, &problems)
	if c == nil || problems.Errors() > 0 {
		t.Fatal(problems.Sorted())
	}
	const says = "served needs programs that keep running: this version of arena does not have that yet"
	found := c.Preflight(shellHost().Getenv)
	if len(found) != 1 || found[0].Msg != says || found[0].Severity != diag.Error || found[0].Code != "not-available" {
		t.Error(found)
	}
	s := replied("fine")
	s.Host = shellHost()
	if v := c.Judge(t.Context(), s); v.Status != result.Errored || !strings.Contains(v.Error, says) {
		t.Errorf("%s: %s%s", v.Status, v.Explanation, v.Error)
	}
}

func TestHandlersDoNotReplaceChecks(t *testing.T) {
	t.Parallel()
	p := &scenario.Project{}
	for _, name := range []string{"contains", "content_includes", "rest_eval_session", "assertion", "my_eval"} {
		p.Handlers = append(p.Handlers, &scenario.Handler{Type: name})
	}
	var problems diag.List
	(&Compiler{}).ReportHandlers(p, &problems)
	if problems.Errors() != 4 || !strings.HasPrefix(problems.Sorted()[0].Msg, `"assertion" is a check that arena has`) {
		t.Error(problems.Sorted())
	}
}
