//go:build unix

package traced

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program is an agent that acts as one with these variables would.
type program func(env map[string]string) error

func (p program) Complete(
	ctx context.Context, _ *chat.Request, _ func(chat.Delta) error,
) (chat.Reply, error) {
	env := map[string]string{}
	for _, v := range providers.Variables(ctx) {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return chat.Reply{Content: "done", Unreported: []string{chat.UnreportedModelCalls, chat.UnreportedToolCalls}}, p(env)
}

// send exports the call of a tool as JSON.
func send(env map[string]string, tool string) error {
	body := fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"spanId":"%x","name":"x","startTimeUnixNano":"1",`+
		`"endTimeUnixNano":"2","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},`+
		`{"key":"gen_ai.tool.name","value":{"stringValue":%q}}]}]}]}]}`, tool, tool)
	req, err := http.NewRequest(http.MethodPost, env["OTEL_EXPORTER_OTLP_ENDPOINT"]+"/v1/traces",
		bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for pair := range strings.SplitSeq(env["OTEL_EXPORTER_OTLP_HEADERS"], ",") {
		name, value, _ := strings.Cut(pair, "=")
		if value, err = url.PathUnescape(value); err != nil {
			return err
		}
		req.Header.Set(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func write(env map[string]string, tool string) error {
	line := fmt.Sprintf(`{"span_id":"%x","name":"x","start_time":2,"attributes":{"gen_ai.operation.name":"execute_tool",`+
		`"gen_ai.tool.name":%q}}`, tool, tool)
	return os.WriteFile(env["ARENA_TRACE_DIR"]+"/spans.jsonl", []byte(line), 0o600)
}

// ask asks an agent until it has spoken, and ends the trial. It returns the names of the tools that were called.
func ask(t *testing.T, p *Provider, trial *providers.Trial) (called []string, notices []string, err error) {
	t.Helper()
	ctx := providers.InTrial(t.Context(), trial)
	for round := 0; ; round++ {
		reply, failed := p.Complete(ctx, &chat.Request{Origin: chat.Origin{Reply: round}}, nil)
		for _, c := range reply.ToolCalls {
			called = append(called, c.Name)
		}
		if failed != nil || len(reply.ToolCalls) == 0 {
			part, _ := trial.Keep(workKey{p, "", ""}, nil)
			notices, err = trial.End(t.Context())
			if failed != nil {
				err = failed
			}
			if list, _ := os.ReadDir(part.(*work).dir); len(list) > 0 {
				t.Error("the files of the trial are still there")
			}
			return called, notices, err
		}
	}
}

func spec(env ...string) *scenario.Provider {
	p := &scenario.Provider{Type: scenario.ProgramType, Program: &scenario.Program{Env: env}}
	p.ID = "mine"
	return p
}

// TestTrials: spans of concurrent trials are separated, in both modes.
func TestTrials(t *testing.T) {
	t.Parallel()
	p := New(program(func(env map[string]string) error {
		trial, _ := url.PathUnescape(strings.TrimPrefix(env["OTEL_RESOURCE_ATTRIBUTES"], "arena.trial="))
		if err := send(env, "sent by "+trial); err != nil {
			return err
		}
		return write(env, "written by "+trial)
	}), spec())
	var g sync.WaitGroup
	for i := range 32 {
		g.Go(func() {
			id := fmt.Sprintf("a, b/c%%=#%d", i)
			called, notices, err := ask(t, p, &providers.Trial{ID: id})
			if want := "sent by " + id + "|written by " + id; strings.Join(called, "|") != want {
				t.Errorf("%q, want %q", called, want)
			}
			if len(notices) > 0 || err != nil {
				t.Error(notices, err)
			}
		})
	}
	g.Wait()
	if strays := providers.Strays(p); strays != nil || p.server != nil {
		t.Errorf("%q, or it still listens", strays)
	}
}

func TestOddities(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		act     program
		env     []string
		called  string
		notice  string
		problem string
	}{
		{name: "nothing", act: func(map[string]string) error { return nil }},
		{name: "told twice", act: func(env map[string]string) error {
			if err := send(env, "f"); err != nil {
				return err
			}
			return send(env, "f")
		}, called: "f"},
		{name: "a wrong secret", act: func(env map[string]string) error {
			env["OTEL_EXPORTER_OTLP_HEADERS"] = "x-arena-secret=guess"
			return send(env, "f")
		}, notice: "1 request with traces had no secret or no trial"},
		{name: "another trial", act: func(env map[string]string) error {
			env["OTEL_EXPORTER_OTLP_HEADERS"] += ",x-arena-trial=other"
			return send(env, "f")
		}, notice: "1 span came for trials that had ended (other), and did not count"},
		{name: "a pipe in the place of the file", act: func(env map[string]string) error {
			return os.Mkdir(env["KENSA_TRACE_DIR"]+"/spans.jsonl", 0o700)
		}, problem: "it is a folder, and a plain file is needed"},
		{name: "a line that is none", act: func(env map[string]string) error {
			return os.WriteFile(env["KENSA_TRACE_DIR"]+"/spans.jsonl", []byte("{}\n"), 0o600)
		}, problem: "what it did is not known: spans.jsonl: line 1: this is no span"},
		{name: "an endpoint of its own", env: []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://x"},
			act: func(env map[string]string) error {
				if env["OTEL_EXPORTER_OTLP_ENDPOINT"] != "" {
					return fmt.Errorf("it was told of ours")
				}
				return write(env, "f")
			}, called: "f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := New(c.act, spec(c.env...))
			called, notices, err := ask(t, p, &providers.Trial{ID: "x"})
			notices = append(notices, providers.Strays(p)...)
			if strings.Join(called, "|") != c.called {
				t.Errorf("called %q", called)
			}
			if joined := strings.Join(notices, "|"); (joined == "") != (c.notice == "") || !strings.Contains(joined, c.notice) {
				t.Errorf("notices %q", joined)
			}
			if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%v, want %q", err, c.problem)
			}
		})
	}
}
