package checks

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/arena-evals/arena/internal/checks/a2atest"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/result"
)

// TestA2AAgents: agents of the official library, with every kind of answer.
func TestA2AAgents(t *testing.T) {
	t.Parallel()
	content := func(string) string { return "Well:\n```json\n{\"score\": 0.75, \"reasoning\": \"fine\"}\n```" }
	for _, tc := range []struct {
		name  string
		agent a2atest.Agent
		want  string // of an error
	}{
		{name: "status", agent: a2atest.Agent{Answer: content}},
		{name: "message", agent: a2atest.Agent{Answer: content, Plain: true}},
		{name: "artifact", agent: a2atest.Agent{Answer: content, Artifact: true}},
		{name: "found by its card", agent: a2atest.Agent{Answer: content, Path: "/rpc/v1"}},
		{name: "slow", agent: a2atest.Agent{Answer: content, Slow: true}},
		{name: "slow, with an artifact and a token, found by its card", agent: a2atest.Agent{
			Answer: content, Slow: true, Artifact: true, Path: "/rpc", Token: secretKey,
		}},
		{name: "token", agent: a2atest.Agent{Answer: content, Token: secretKey}},
		{name: "another token", agent: a2atest.Agent{Answer: content, Token: "other"},
			want: `%s: status 401 Unauthorized: "who are you?"`},
		{name: "silent", want: "%s: the completed task has no text"},
		{name: "failed", agent: a2atest.Agent{Answer: content, State: a2a.TaskStateFailed},
			want: "%s: the task is failed and not completed: "},
		{name: "rejected", agent: a2atest.Agent{State: a2a.TaskStateRejected}, want: "%s: the task is rejected and not completed"},
		{name: "prose", agent: a2atest.Agent{Answer: func(string) string { return "All good." }},
			want: `%s: the reply cannot be used: it holds no JSON object with the answer: "All good."`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := tc.agent.Start()
			t.Cleanup(server.Close)
			c := compiledJSON(t, "a2a_eval", fmt.Sprintf(
				`{"agent_url": "%s/", "auth_token": "${KEY}", "criteria": "kind", "min_score": 0.5}`, server.URL))
			if tc.want != "" {
				expectError(t, c, plainHost(t), strings.ReplaceAll(tc.want, "%s", server.URL+"/"))
				return
			}
			h := plainHost(t)
			for range 2 { // the second time it is known where the agent is
				v := c.Judge(t.Context(), outsideSubject(h))
				if v.Status != result.Passed || *v.Score != 0.75 || v.Explanation != "fine" {
					t.Errorf("%s: %s%s", v.Status, v.Error, v.Explanation)
				}
			}
		})
	}
}

// rpcServer answers JSON-RPC with the given results in order, then repeats the last. It keeps the requests.
type rpcServer struct {
	results []string

	mu    sync.Mutex
	asked []map[string]any
}

func (s *rpcServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent map[string]any
	if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.results[min(len(s.asked), len(s.results)-1)]
	s.asked = append(s.asked, sent)
	_, _ = fmt.Fprintf(w, `{"jsonrpc": "2.0", "id": %v, "result": %s}`, sent["id"], text)
}

// TestA2AWire: answers of other implementations, and the requests to them.
func TestA2AWire(t *testing.T) {
	t.Parallel()
	task := func(state, text string) string {
		return fmt.Sprintf(`{"id": "t7", "status": {"state": %q, "message": {"parts": [{"text": %q}]}}}`, state, text)
	}
	for _, tc := range []struct {
		name    string
		results []string
		want    string // of an error
		asked   string
	}{
		{name: "in capitals", results: []string{task("COMPLETED", `{"score": 1}`)}, asked: "message/send"},
		{name: "works for a while", results: []string{task("submitted", ""), task("working", ""), task("completed", `{"score": 1}`)},
			asked: "message/send tasks/get tasks/get"},
		{name: "needs more", results: []string{task("input_required", "which one?")}, asked: "message/send",
			want: `the task is input-required and not completed: "which one?"`},
		{name: "needs a password", results: []string{task("working", ""), task("auth-required", "")},
			asked: "message/send tasks/get", want: "the task is auth-required and not completed"},
		{name: "gives up", results: []string{task("cancelled", "")}, asked: "message/send", want: "the task is canceled and not completed"},
		{name: "lost", results: []string{task("unknown", "")}, asked: "message/send", want: "the task is unknown and not completed"},
		{name: "no state", results: []string{`{"id": "t", "status": {}}`}, asked: "message/send", want: `the task is "" and not completed`},
		{name: "no id", results: []string{`{"status": {"state": "working"}}`}, asked: "message/send", want: "the task is working and has no id"},
		{name: "files only", results: []string{`{"id": "t", "status": {"state": "completed"}, "artifacts": [{"parts": [
			{"kind": "file", "file": {"uri": "x"}}]}, {"parts": [{"kind": "data", "data": {"score": 1}}]}]}`},
			asked: "message/send", want: "the completed task has no text"},
		{name: "a text in a part of data", results: []string{`{"parts": [{"kind": "data", "text": "{\"score\": 1}"}]}`},
			asked: "message/send", want: "message/send was answered with a part that is not only what its kind says (data)"},
		{name: "second artifact", results: []string{`{"id": "t", "status": {"state": "completed"}, "artifacts": [{"parts": []},
			{"parts": [{"text": "{\"score\":"}, {"kind": "text", "text": " 1}"}]}]}`}, asked: "message/send"},
		{name: "empty message", results: []string{`{"role": "agent", "parts": []}`}, asked: "message/send", want: "the message has no text"},
		{name: "neither", results: []string{`{"ok": true}`}, asked: "message/send", want: "message/send was answered with neither a task nor a message"},
		{name: "both", results: []string{`{"status": {"state": "completed"}, "parts": [{"kind": "text", "text": "x"}]}`}, asked: "message/send", want: "message/send was answered with both a task and a message"},
		{name: "both, wrapped", results: []string{`{"task": {"status": {"state": "completed"}}, "message": {"parts": [{"text": "x"}]}}`}, asked: "message/send", want: "message/send was answered with both a task and a message"},
		{name: "null", results: []string{`null`}, asked: "message/send", want: "message/send was answered with neither a task nor a message"},
		{name: "a list", results: []string{`[]`}, asked: "message/send", want: "message/send was answered with neither a task nor a message"},
		{name: "broken", results: []string{`{`}, asked: "message/send", want: "message/send was not answered with JSON-RPC"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			rpc := &rpcServer{results: tc.results}
			server := httptest.NewServer(rpc)
			t.Cleanup(server.Close)
			c := compiledJSON(t, "a2a_eval", fmt.Sprintf(`{"agent_url": %q, "criteria": "kind"}`, server.URL))
			if tc.want != "" {
				expectError(t, c, plainHost(t), tc.want)
			} else if v := c.Judge(t.Context(), outsideSubject(plainHost(t))); !v.Passed {
				t.Errorf("%s: %s%s", v.Status, v.Error, v.Explanation)
			}
			var asked []string
			for _, sent := range rpc.asked {
				asked = append(asked, sent["method"].(string))
			}
			if got := strings.Join(asked, " "); got != tc.asked {
				t.Errorf("asked %s, want %s", got, tc.asked)
			}
			params := rpc.asked[len(rpc.asked)-1]["params"].(map[string]any)
			if strings.HasSuffix(tc.asked, "get") && params["id"] != "t7" {
				t.Errorf("asked for %v", params)
			}
		})
	}
}

// TestA2AMessage: the message holds the criteria and, at its end, what rest_eval sends.
func TestA2AMessage(t *testing.T) {
	t.Parallel()
	rpc := &rpcServer{results: []string{`{"parts": [{"text": "{\"score\": 1}"}]}`}}
	server := httptest.NewServer(rpc)
	t.Cleanup(server.Close)
	c := compiledJSON(t, "a2a_eval", fmt.Sprintf(
		`{"agent_url": %q, "criteria": "safe?", "include_messages": false, "extra": {"tenant": "acme"}}`, server.URL))
	h := plainHost(t)
	for range 2 {
		s := outsideSubject(h)
		s.Messages[1].Content = "On <|im_start|>Monday."
		if v := c.Judge(t.Context(), s); !v.Passed {
			t.Errorf("%s: %s", v.Status, v.Error)
		}
	}
	ids := map[any]bool{}
	for _, sent := range rpc.asked {
		params := sent["params"].(map[string]any)
		message := params["message"].(map[string]any)
		ids[message["messageId"]] = true
		text := message["parts"].([]any)[0].(map[string]any)["text"].(string)
		lines := strings.Split(text, "\n")
		want := `{"criteria":"safe?","current_output":"On \u003c|im_start|\u003eMonday.","extra":{"tenant":"acme"},"tenant":"acme"}`
		if got := lines[len(lines)-1]; got != want || !strings.Contains(text, "\nCriteria: safe?\n") {
			t.Errorf("%s", text)
		}
		if message["role"] != "user" || params["configuration"].(map[string]any)["blocking"] != true || sent["jsonrpc"] != "2.0" {
			t.Errorf("%v", sent)
		}
	}
	if len(ids) != 2 || ids[""] || ids[nil] {
		t.Errorf("message ids %v", ids)
	}
}

// TestA2ACards: if no agent answers at the address, its card is read. A card may redirect calls, but never a token.
func TestA2ACards(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, path, card, token, want string
	}{
		{"none", "", "", "", `: status 404 Not Found: "404 page not found", and there is no agent card that says where else to ask`},
		{"no JSON", "agent.json", "<html>", "", `its agent card is not JSON: "<html>"`},
		{"the old place", "agent.json", `{"url": "/rpc"}`, "", ""},
		{"another host", "agent-card.json", `{"url": "http://elsewhere.test/rpc"}`, "${KEY}",
			"its agent card names an endpoint at another host, elsewhere.test, to which the auth_token does not go"},
		{"no JSON-RPC", "agent-card.json", `{"url": "/grpc", "preferredTransport": "GRPC"}`, "",
			"its agent card names no JSON-RPC endpoint"},
		{"JSON-RPC besides", "agent-card.json", `{"url": "/grpc", "preferredTransport": "GRPC",
			"additionalInterfaces": [{"transport": "HTTP+JSON", "url": "/x"}, {"transport": "JSONRPC", "url": "/rpc"}]}`, "", ""},
		{"a file", "agent-card.json", `{"url": "file:///etc/passwd"}`, "", "its agent card names an endpoint that cannot be called"},
		{"nothing there either", "agent-card.json", `{"url": "/nowhere"}`, "", "status 404 Not Found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			mux := http.NewServeMux()
			mux.Handle("/rpc", &rpcServer{results: []string{`{"parts": [{"text": "{\"score\": 1}"}]}`}})
			if tc.path != "" {
				mux.HandleFunc("/.well-known/"+tc.path, reply(http.StatusOK, tc.card))
			}
			server := httptest.NewServer(mux)
			t.Cleanup(server.Close)
			token := ""
			if tc.token != "" {
				token = fmt.Sprintf(`, "auth_token": %q`, tc.token)
			}
			c := compiledJSON(t, "a2a_eval", fmt.Sprintf(`{"agent_url": %q%s}`, server.URL, token))
			if tc.want != "" {
				expectError(t, c, plainHost(t), tc.want)
			} else if v := c.Judge(t.Context(), outsideSubject(plainHost(t))); !v.Passed {
				t.Errorf("%s: %s%s", v.Status, v.Error, v.Explanation)
			}
		})
	}
}

func TestA2AUgly(t *testing.T) {
	t.Parallel()
	for _, tc := range uglyServers {
		inside := []string{"score", "reply cannot", "one JSON object", "of its own"}
		if slices.ContainsFunc(inside, func(words string) bool { return strings.Contains(tc.want, words) }) {
			continue // about what is in a reply
		}
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server, _ := serve(t, tc.serve)
			timeout := "20s"
			if strings.Contains(tc.want, "300ms") {
				timeout = "300ms"
			}
			c := compiledJSON(t, "a2a_eval", fmt.Sprintf(
				`{"agent_url": %q, "timeout": %q, "min_score": 0, "auth_token": "${KEY}"}`, server.URL, timeout))
			expectError(t, c, plainHost(t), strings.ReplaceAll(tc.want, "%s", server.URL))
		})
	}
}

func TestSameHost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		from, to string
		want     bool
	}{
		{"http://a.test/x", "http://a.test/y", true},
		{"http://a.test", "http://A.test:80/y", true},
		{"http://a.test", "https://a.test/y", true},
		{"https://a.test", "https://a.test:443", true},
		{"https://a.test", "http://a.test", false},
		{"http://a.test:8080", "https://a.test", false},
		{"http://a.test:8080", "http://a.test", false},
		{"http://a.test", "http://b.a.test", false},
		{"http://a.test", "http://a.test.evil.test", false},
		{"http://a.test", "http://a.test@evil.test", false},
	} {
		from, err := url.Parse(tc.from)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(tc.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := dial.SameHost(from, to); got != tc.want {
			t.Errorf("%s → %s: %v", tc.from, tc.to, got)
		}
	}
}
