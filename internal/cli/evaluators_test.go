package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arena-evals/arena/internal/checks/a2atest"
)

// evaluators are what scripts have replies scored by: a REST endpoint, and an agent of the official A2A library.
type evaluators struct {
	rest, agent, hidden *httptest.Server

	mu   sync.Mutex
	seen []evaluated
}

// evaluated is a request as `evaluators log` writes it.
type evaluated struct {
	Path   string            `json:"path"`
	Header map[string]string `json:"header"`
	Body   json.RawMessage   `json:"body"`
}

type evaluatorsKey struct{}

func evaluatorsOf(ts *testscript.TestScript) *evaluators {
	return ts.Value(evaluatorsKey{}).(*evaluators)
}

// cmdEvaluators is the command evaluators of scripts:
//
//	evaluators serve       sets REST, AGENT and HIDDEN_AGENT, which only its card leads to, to addresses
//	evaluators stop        stops them
//	evaluators log f.jsonl writes what REST was sent
//
// Everybody gives 1 to a text with the word Monday and 0.2 to any other, with the reason that they were told. At REST
// the path /echo sends the Authorization header back, and /status/503 and the like that status.
func cmdEvaluators(ts *testscript.TestScript, neg bool, args []string) {
	e := evaluatorsOf(ts)
	switch {
	case !neg && len(args) == 1 && args[0] == "serve":
		e.rest = httptest.NewServer(e)
		e.agent = (&a2atest.Agent{Answer: grade, Slow: true, Token: "t-90210"}).Start()
		e.hidden = (&a2atest.Agent{Answer: grade, Path: "/rpc", Plain: true}).Start()
		for name, server := range map[string]*httptest.Server{"REST": e.rest, "AGENT": e.agent, "HIDDEN_AGENT": e.hidden} {
			ts.Defer(server.Close)
			ts.Setenv(name, server.URL)
		}
	case !neg && len(args) == 1 && args[0] == "stop":
		e.rest.Close()
		e.agent.Close()
		e.hidden.Close()
	case !neg && len(args) == 2 && args[0] == "log":
		f, err := os.Create(ts.MkAbs(args[1]))
		ts.Check(err)
		e.mu.Lock()
		defer e.mu.Unlock()
		for _, r := range e.seen {
			ts.Check(json.NewEncoder(f).Encode(r))
		}
		ts.Check(f.Close())
	default:
		ts.Fatalf("usage: evaluators serve, evaluators stop, or evaluators log file")
	}
}

// grade scores a text. The tokens of a template in it would show that nobody filled it in.
func grade(text string) string {
	score := "0.2"
	if strings.Contains(text, "Monday") {
		score = "1"
	}
	return fmt.Sprintf(`{"score": %s, "reasoning": "it was looked at"}`, score)
}

func (e *evaluators) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || !json.Valid(body) {
		http.Error(w, "the request is not JSON", http.StatusTeapot)
		return
	}
	auth := r.Header.Get("Authorization")
	e.mu.Lock()
	e.seen = append(e.seen, evaluated{r.URL.Path, map[string]string{"Authorization": auth}, body})
	e.mu.Unlock()
	status := http.StatusOK
	if code, ok := strings.CutPrefix(r.URL.Path, "/status/"); ok {
		_, err := fmt.Sscan(code, &status)
		if err != nil {
			panic(err)
		}
	}
	w.WriteHeader(status)
	if r.URL.Path == "/echo" {
		_, _ = fmt.Fprintf(w, `{"score": 1, "reasoning": %q}`, auth)
		return
	}
	_, _ = io.WriteString(w, grade(string(body)))
}

// addresses are the servers that are open, and what scripts call them.
func (e *evaluators) addresses() []string {
	var list []string
	for name, server := range map[string]*httptest.Server{"rest": e.rest, "agent": e.agent, "hidden": e.hidden} {
		if server != nil {
			list = append(list, server.URL, "http://"+name)
		}
	}
	return list
}
