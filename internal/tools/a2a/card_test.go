package a2a

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/scenario"
)

// TestCards: what is made of the cards of agents, whatever they say.
func TestCards(t *testing.T) {
	t.Parallel()
	skills := `"skills": [{"id": "find", "name": "Find"}]`
	token := scenario.Agent{Scheme: "Bearer", Token: "secret-token"}
	for _, c := range []struct {
		name, card string
		spec       scenario.Agent
		want       string // the tools, or the error
		asked      string // where the message went
	}{
		{"an agent", plainCard, scenario.Agent{}, find + " (Finds things)", "/rpc"},
		{"no address", `{"name": "Shop Agent", ` + skills + `}`, scenario.Agent{}, find + " (Find)", "/a2a"},
		{"a relative one", `{"name": "Shop Agent", "url": "ask", ` + skills + `}`, token, find + " (Find)", "/.well-known/ask"},
		{"gRPC alone", `{"name": "Shop Agent", "url": "/grpc", "preferredTransport": "GRPC", ` + skills + `}`, scenario.Agent{}, find + " (Find)", "/a2a"},
		{"JSON-RPC besides", `{"name": "Shop Agent", "url": "/grpc", "preferredTransport": "GRPC", "additionalInterfaces": [
			{"transport": "GRPC", "url": "/x"}, {"transport": "JSONRPC", "url": "/y"}], ` + skills + `}`, token, find + " (Find)", "/y"},
		{"elsewhere, with a token", `{"name": "Shop Agent", "url": "http://elsewhere.test/", ` + skills + `}`, token,
			`its agent card names an endpoint at another host, elsewhere.test, to which the token does not go`, ""},
		{"elsewhere, with a header", `{"name": "Shop Agent", "url": "http://elsewhere.test/", ` + skills + `}`,
			scenario.Agent{Headers: map[string]string{"X-Key": "k"}},
			`its agent card names an endpoint at another host, elsewhere.test, to which what stands under headers does not go`, ""},
		{"a file", `{"name": "Shop Agent", "url": "file:///etc/passwd", ` + skills + `}`, scenario.Agent{},
			`its agent card names an endpoint that cannot be called: file:///etc/passwd`, ""},
		{"with a password", `{"name": "Shop Agent", "url": "http://a:b@x/", ` + skills + `}`, scenario.Agent{},
			`its agent card names an endpoint that cannot be called: http://a:b@x/`, ""},
		{"no card", "-", scenario.Agent{}, `there is no agent card at /.well-known/agent-card.json, nor at /.well-known/agent.json`, ""},
		{"HTML", "<html>", scenario.Agent{}, `its agent card is not JSON: <html>`, ""},
		{"a list", "[]", scenario.Agent{}, `its agent card is not an agent card: json: cannot unmarshal array into Go value of type a2a.Card`, ""},
		{"no name", `{"name": "!", ` + skills + `}`, scenario.Agent{}, `its agent card has no name that could stand in the names of tools: !`, ""},
		{"no skills", `{"name": "Shop Agent"}`, scenario.Agent{}, `its agent card lists no skills, so there is nothing to call`, ""},
		{"no id", `{"name": "Shop Agent", "skills": [{"name": "Find"}]}`, scenario.Agent{},
			`its agent card has a skill without an id that could stand in the name of a tool: ""`, ""},
		{"two of a name", `{"name": "Shop Agent", "skills": [{"id": "find it"}, {"id": "Find-It"}]}`, scenario.Agent{},
			`the skills find it and Find-It of its agent card would both be the tool a2a__shop_agent__find_it`, ""},
		{"filtered", `{"name": "Shop Agent", "skills": [{"id": "find"}, {"id": "buy"}, {"id": "sell"}]}`,
			scenario.Agent{Skills: scenario.NameFilter{Block: []string{"b*", "sell"}}}, find + " (find)", "/a2a"},
		{"misfiltered", plainCard, scenario.Agent{Skills: scenario.NameFilter{Block: []string{"fnd"}}},
			`skill_filter names "fnd", and its agent card has no such skill; did you mean "find"?`, ""},
		{"misfiltered by a pattern", plainCard, scenario.Agent{Skills: scenario.NameFilter{Block: []string{"fnd*"}}},
			`skill_filter names "fnd*", and its agent card has no such skill; did you mean "find"?`, ""},
		{"filtered away", plainCard, scenario.Agent{Skills: scenario.NameFilter{Block: []string{"f*"}}},
			`skill_filter leaves none of its skills: find`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := start(t, &fake{card: c.card, results: []string{`{"parts": [{"text": "x"}]}`}})
			s := opened(t, f, c.spec)
			list, err := s.List(t.Context())
			got := fmt.Sprint(err)
			if err == nil {
				got = ""
				for _, tool := range list {
					got += tool.Name + " (" + tool.Description + ")"
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err != nil {
				if again := describe(called(s, find, `{"query": "x"}`)); again != "unavailable: "+find+": the agent: "+c.want {
					t.Error(again)
				}
				return
			}
			if got := describe(called(s, find, `{"query": "x"}`)); got != "x" {
				t.Error(got)
			}
			if all := f.seen(); all[len(all)-1].path != c.asked {
				t.Errorf("asked %s", all[len(all)-1].path)
			}
		})
	}
}

// TestCardIsReadOnce: however many wait for a card, it is read once; and who stops waiting ends nobody's wait.
func TestCardIsReadOnce(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var reads int
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		reads++
		mu.Unlock()
		<-release
		_, _ = io.WriteString(w, strings.ReplaceAll(plainCard, "%s", ""))
	}))
	t.Cleanup(server.Close)
	s := opened(t, &fake{Server: server}, scenario.Agent{})
	ctx, leave := context.WithCancelCause(t.Context())
	impatient := errors.New("no more patience")
	gone := make(chan error)
	go func() {
		_, err := s.List(ctx)
		gone <- err
	}()
	leave(impatient)
	if err := <-gone; !errors.Is(err, impatient) {
		t.Error(err)
	}
	var waiting sync.WaitGroup
	for range 20 {
		waiting.Go(func() {
			if list, err := s.List(t.Context()); err != nil || len(list) != 1 {
				t.Errorf("%v %v", list, err)
			}
		})
	}
	close(release)
	waiting.Wait()
	if reads != 1 {
		t.Errorf("the card was read %d times", reads)
	}
}

// TestCardIsReadAgain: a card that could not be read is read again, but not for ever.
func TestCardIsReadAgain(t *testing.T) {
	t.Parallel()
	f := start(t, &fake{card: "-"})
	s := opened(t, f, scenario.Agent{})
	for range 5 {
		if _, err := s.List(t.Context()); err == nil {
			t.Error("a card that is not there was read")
		}
	}
	if got := len(f.seen()); got != 2*cardReads {
		t.Errorf("asked %d times", got)
	}
}
