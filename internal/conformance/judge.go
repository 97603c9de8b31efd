package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/scenario"
)

// judgeServer is an OpenAI-compatible model that answers as the vector at hand says. It serves one vector at a time.
type judgeServer struct {
	client providers.Provider
	judges grading.Judges
	server *http.Server

	mu      sync.Mutex
	answer  *vectorAnswer
	called  bool
	prompts strings.Builder
}

// requestLimit is the maximum number of bytes that are read of a request.
const requestLimit = 64 << 20

// vectorAnswer is what the only judge of a vector does: it gives a reply, or it fails.
type vectorAnswer struct{ reply, failure *string }

// startJudge opens the server on a free port of this machine.
func startJudge() (*judgeServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	spec := &scenario.Provider{
		Meta: scenario.Meta{ID: "vector"}, Type: "openai-compatible", Model: "vector",
		BaseURL: "http://" + listener.Addr().String() + "/v1",
	}
	client, err := open.New(spec, open.Options{Retries: new(0)})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	// They remember no answer, for the next vector may get another one to the same question.
	j := &judgeServer{client: client, judges: judges.Single(client, spec.ID, spec.Model)}
	j.server = &http.Server{Handler: j, ReadHeaderTimeout: time.Minute}
	go func() { _ = j.server.Serve(listener) }() // ends with Close, and says no more than that
	return j, nil
}

func (j *judgeServer) Close() error { return errors.Join(providers.Close(j.client), j.server.Close()) }

// begin makes the server answer for one vector and returns its judges; nil when the vector has none.
func (j *judgeServer) begin(v *Vector) grading.Judges {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.called = false
	j.prompts.Reset()
	if j.answer = v.answer(); j.answer == nil {
		return nil
	}
	return j.judges
}

// asked reports whether the judge of the vector was called, and with which prompt.
func (j *judgeServer) asked() (called bool, prompt string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.called, j.prompts.String()
}

// answer is nil when no judge is configured.
func (v *Vector) answer() *vectorAnswer {
	if v.JudgeReply == nil && v.JudgeError == nil {
		return nil
	}
	return &vectorAnswer{v.JudgeReply, v.JudgeError}
}

func (j *judgeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, requestLimit))
	if err == nil {
		err = json.Unmarshal(data, &body)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case err != nil:
		fail(w, err.Error())
	case j.answer == nil:
		fail(w, "this vector has no judge")
	default:
		j.called = true
		for _, m := range body.Messages {
			fmt.Fprintln(&j.prompts, m.Content)
		}
		j.answer.write(w)
	}
}

func (a *vectorAnswer) write(w http.ResponseWriter) {
	if a.failure != nil {
		fail(w, *a.failure)
		return
	}
	send(w, http.StatusOK, jsonvalue.Object{
		"object": "chat.completion", "model": "vector", "choices": []any{jsonvalue.Object{
			"index": 0, "finish_reason": "stop", "message": jsonvalue.Object{"role": "assistant", "content": *a.reply},
		}},
		"usage": jsonvalue.Object{"prompt_tokens": 1, "completion_tokens": 1},
	})
}

// fail sends an error that no client tries to get around by asking again.
func fail(w http.ResponseWriter, text string) {
	send(w, http.StatusBadRequest, jsonvalue.Object{"error": jsonvalue.Object{"message": text}})
}

func send(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, jsonvalue.Compact(body)) // the client may have closed the connection
}
