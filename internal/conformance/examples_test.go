package conformance

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// example is one entry of testdata/<check>.yaml, with the context of a vector beside it.
type example struct {
	Name, Type, Scope   string
	When                *vectorWhen
	Bare                bool // take the messages as they are, without a reply where there is none
	Want                string
	Score               *float64
	Says, Problem, Hint string
	Tools               map[string]vectorTool // of the project; none when left out
	JudgeReply          *string               `json:"judge_reply"`   // of the only judge
	JudgeReplies        []string              `json:"judge_replies"` // one a vote, and then the repair
	JudgeError          string                `json:"judge_error"`
	HTTP                *vectorHTTP           // what any endpoint answers
	Env                 map[string]string
	vectorContext

	params    *node.Node
	paramsPos diag.Pos
}

// TestExamples walks the table: each check has examples that pass, that fail, and that are refused, and does what they
// say.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, d := range checks.Builtin() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			seen := map[string]int{}
			for _, x := range readExamples(t, d) {
				kind := x.Want
				if kind == "" {
					kind = "refused"
				}
				seen[kind]++
				t.Run(x.Name, func(t *testing.T) { x.run(t) })
			}
			for _, kind := range []string{"passed", "failed", "refused"} {
				if seen[kind] == 0 {
					t.Errorf("no example is %s", kind)
				}
			}
		})
	}
}

func readExamples(t *testing.T, d *checks.Def) []example {
	t.Helper()
	var problems diag.List
	file := filepath.Join("..", "checks", "testdata", d.Name+".yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &node.Reader{File: file, Diags: &problems}
	docs := node.Parse(r, data)
	if len(docs) != 1 || problems.Errors() > 0 {
		t.Fatal(problems.Sorted())
	}
	list := docs[0].Content
	all := make([]example, len(list))
	for i, n := range list {
		x := example{Type: d.Name, Scope: checks.ScopeTurn}
		text, err := json.Marshal(r.Any(n))
		if err == nil {
			err = json.Unmarshal(text, &x)
		}
		if err != nil {
			t.Fatal(err)
		}
		x.params, x.paramsPos = node.Get(n, "params"), r.Pos(n)
		all[i] = x
	}
	return all
}

func (x *example) run(t *testing.T) {
	spec := &scenario.Check{Type: x.Type, Pos: x.paramsPos, Params: x.params, ParamsPos: x.paramsPos}
	if x.When != nil {
		spec.When = &scenario.When{ToolCalled: x.When.ToolCalled, MinToolCalls: x.When.MinToolCalls}
	}
	var problems diag.List
	compiled := (&checks.Compiler{}).Compile(spec, &problems)
	x.expectProblem(t, problems.Sorted())
	if (compiled == nil) != (x.Want == "") {
		t.Fatalf("compiled: %v, want %q; problems: %v", compiled != nil, x.Want, problems.Sorted())
	}
	if compiled == nil {
		return
	}
	s, _ := (&Vector{Context: x.vectorContext, Tools: x.Tools}).subject(x.Scope)
	if x.Bare {
		s = &checks.Subject{Messages: x.transcript()}
	}
	if judges := x.judges(); judges != nil {
		s.Judges = judges
	}
	if x.HTTP != nil {
		s.Host = anyHost(t, x.HTTP, x.Env)
	}
	v := compiled.Judge(t.Context(), s)
	if v.Status.String() != x.Want {
		t.Errorf("%s, want %s (%s%s)", v.Status, x.Want, v.Explanation, v.Error)
	}
	if v.Passed != (v.Status == result.Passed || v.Status == result.Skipped) {
		t.Errorf("passed is %v and status %s", v.Passed, v.Status)
	}
	if x.Score != nil && (v.Score == nil || math.Abs(*v.Score-*x.Score) > tolerance) {
		t.Errorf("score %v, want %v", v.Score, *x.Score)
	}
	if text := v.Explanation + v.Error + v.SkipReason; x.Problem == "" && !strings.Contains(text, x.Says) {
		t.Errorf("says  %s\nwant  %s", text, x.Says)
	}
	if _, err := json.Marshal(v); err != nil {
		t.Errorf("the verdict cannot be written: %v", err)
	}
}

// judges is nil when the example has none.
func (x *example) judges() *exampleJudges {
	replies := x.JudgeReplies
	if x.JudgeReply != nil {
		replies = []string{*x.JudgeReply}
	}
	if replies == nil && x.JudgeError == "" {
		return nil
	}
	return &exampleJudges{replies, x.JudgeError}
}

func (x *example) expectProblem(t *testing.T, problems []diag.Diagnostic) {
	t.Helper()
	if x.Problem == "" {
		if len(problems) > 0 {
			t.Errorf("problems: %v", problems)
		}
		return
	}
	for _, p := range problems {
		if p.Code == x.Problem && strings.Contains(p.Msg, x.Says) && strings.Contains(p.Hint, x.Hint) {
			if p.Pos.Line == 0 {
				t.Errorf("no position: %v", p)
			}
			return
		}
	}
	t.Errorf("problems: %v\nwant [%s] %s = %s", problems, x.Problem, x.Says, x.Hint)
}

// exampleJudges give the replies of an example, one a vote and then the repairs; the last one serves for all that come
// later.
type exampleJudges struct {
	replies []string
	failure string
}

func (j *exampleJudges) Ask(ctx context.Context, _ grading.JudgeUse, q *grading.Question) (grading.Answer, error) {
	a := grading.Answer{
		Key: fmt.Sprintf("vote %d of %d messages", q.Vote, len(q.Messages)), Judge: "strict", Provider: "openai-judge",
		Model: "gpt-4o-mini", Usage: chat.Usage{InputTokens: 100, OutputTokens: 20}, CostUSD: new(0.25), LatencyMS: 5,
		FinishReason: "stop",
	}
	if err := ctx.Err(); err != nil {
		return a, err
	}
	if j.failure != "" {
		return a, errors.New(j.failure)
	}
	repairs := (len(q.Messages) - 2) / 2
	a.Text = j.replies[min(q.Vote+repairs, len(j.replies)-1)]
	return a, nil
}

// anyHost is a host on which every address leads to one server, which answers always the same.
func anyHost(t *testing.T, answer *vectorHTTP, env map[string]string) *checks.Host {
	t.Helper()
	server := httptest.NewTLSServer(&vectorEndpoint{answer: answer, late: answer.DelayMS > 0})
	t.Cleanup(server.Close)
	var dialer net.Dialer
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, server.Listener.Addr().String())
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // the certificate is for another name
	}
	t.Cleanup(transport.CloseIdleConnections)
	hf := checks.Classifier{ID: "hf", URL: "https://classifiers.example.com", Key: "hf_secret"}
	return &checks.Host{HTTP: &http.Client{Transport: transport}, Classifiers: []checks.Classifier{hf},
		Getenv: func(name string) (string, bool) {
			value, set := env[name]
			return value, set
		}}
}
