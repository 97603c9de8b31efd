package harness

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/hang"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestJudges holds who gets connections for judging beside those for the trials.
func TestJudges(t *testing.T) {
	t.Parallel()
	p := &scenario.Project{Judges: []scenario.Judge{{Name: "strict", Provider: "small"}}}
	named := func(id string) *scenario.Provider { return &scenario.Provider{Meta: scenario.Meta{ID: id}} }
	for _, c := range []struct {
		judge, id string
		want      bool
	}{
		{"", "small", true},
		{"", "large", false},
		{"large", "large", true},
		{"openai/gpt-4o-mini", "openai/gpt-4o-mini", true},
		{"openai/gpt-4o-mini", "large", false},
	} {
		clients := &Clients{Jobs: 50, Judge: c.judge}
		if got := clients.judges(p, named(c.id)); got != c.want {
			t.Errorf("--judge %q: provider %s judges: %v", c.judge, c.id, got)
		}
	}
}

// TestConnectionsOfBranches: the branches of a parallel step call the model at once, also where one trial runs at a
// time. The server answers none of the calls before all are there.
func TestConnectionsOfBranches(t *testing.T) {
	t.Parallel()
	const branches = 8
	var there sync.WaitGroup
	there.Add(branches)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Error(err)
		}
		there.Done()
		there.Wait()
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"ok"}}]}`)
	}))
	defer server.Close()
	parallel := &composition.Step{Kind: composition.Parallel, Branches: []*composition.Step{{Kind: composition.Tool, Tool: "get"}}}
	for range branches {
		parallel.Branches = append(parallel.Branches, &composition.Step{Kind: composition.Prompt, PromptTask: "help"})
	}
	p := &scenario.Project{Compositions: []*scenario.Composition{
		{Composition: &composition.Composition{Steps: []*composition.Step{{Kind: composition.Prompt}, parallel}}},
	}}
	spec := &scenario.Provider{Meta: scenario.Meta{ID: "wire"}, Type: "openai", Model: "m", BaseURL: server.URL}
	client, _, err := (&Clients{Jobs: 1, Retries: new(0)}).Open(p, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(hang.Guard, server.CloseClientConnections).Stop()
	var calls sync.WaitGroup
	for range branches {
		calls.Go(func() {
			req := &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "hi"}}}
			if _, err := client.Complete(t.Context(), req, nil); err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
}
