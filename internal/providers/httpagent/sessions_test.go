package httpagent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestSessions: each trial has a session of its own, for all its turns, by whatever way the endpoint tells it.
func TestSessions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, from, where string }{
		{"made up", "", ""}, {"by a header", "header", "X-Session"}, {"by a path", "path", "meta.id"},
		{"a number", "path", "meta.number"}, {"in a stream", "path", "meta.id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var number atomic.Int64
			var mu sync.Mutex
			messages := map[string][]string{}
			url := served(t, func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					Message string
					Session any
				}
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
					t.Error(err)
				}
				n := 1000000 + number.Add(1)
				id := fmt.Sprint(in.Session)
				switch {
				case in.Session != nil && c.name == "a number":
					n = int64(in.Session.(float64))
					id = fmt.Sprint(n)
				case in.Session == nil:
					id = fmt.Sprint(n)
				}
				mu.Lock()
				messages[id] = append(messages[id], in.Message)
				all := strings.Join(messages[id], " ")
				mu.Unlock()
				w.Header().Set("X-Session", id)
				if c.name == "in a stream" {
					answer(200, "text/event-stream", fmt.Sprintf("data: {\"meta\": {\"id\": %q}}\n\ndata: {\"text\": %q}\n\n"+
						"data: [DONE]\n\n", id, all))(w, r)
					return
				}
				answer(200, jsonKind, fmt.Sprintf(`{"reply": %q, "meta": {"id": %q, "number": %d}}`, all, id, n))(w, r)
			})
			p := agent(t, url, func(s *scenario.Provider) {
				s.HTTP.SessionFrom, s.HTTP.SessionName = c.from, c.where
				if c.name == "in a stream" {
					s.HTTP.Stream = &scenario.HTTPStream{Data: "text", Done: "[DONE]"}
				}
			})
			var all sync.WaitGroup
			for i := range 8 {
				all.Go(func() {
					trial := &providers.Trial{ID: "same"} // ids of earlier runs come again
					ctx := providers.InTrial(t.Context(), trial)
					want := ""
					for turn := range 3 {
						word := fmt.Sprintf("%d-%d", i, turn)
						want = strings.TrimSpace(want + " " + word)
						req := ask(word)
						req.Origin.Turn = turn
						r, err := p.Complete(ctx, req, nil)
						if err != nil || r.Content != want {
							t.Errorf("got %q, %v, want %q", r.Content, err, want)
						}
					}
					if _, err := trial.End(ctx); err != nil {
						t.Error(err)
					}
					if _, err := p.Complete(ctx, ask("more"), nil); err == nil || !strings.Contains(err.Error(), "the trial is over") {
						t.Errorf("after its end a trial says %v", err)
					}
				})
			}
			all.Wait()
		})
	}
}
