// Package a2atest is an agent that speaks A2A, on the server side of the official library, for tests.
package a2atest

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
)

// Agent says how an agent behaves. Its zero value ends every task at once, without a word.
type Agent struct {
	// Answer is what the agent says to a message.
	Answer func(text string) string
	// State is that of the task in the end; "" is completed.
	State a2a.TaskState
	// Path is the path of its JSON-RPC endpoint; "": /a2a. Only its card shows another path.
	Path string
	// Slow makes it return the task before it is done. It is done when somebody has asked for it once.
	Slow bool
	// Plain answers with a message and no task, Artifact with an artifact and not with the status.
	Plain, Artifact bool
	// Token is the bearer token that it demands; "" is none.
	Token string
}

// Start opens a server on this machine. The caller closes it.
func (a *Agent) Start() *httptest.Server {
	path := a.Path
	if path == "" {
		path = "/a2a"
	}
	r := &running{Agent: a, asked: make(chan struct{})}
	rpc := a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(r, a2asrv.WithCallInterceptor(r),
		a2asrv.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))))
	mux := http.NewServeMux()
	mux.Handle("POST "+path, a.guarded(rpc))
	server := httptest.NewServer(mux)
	mux.Handle("/.well-known/agent-card.json", a2asrv.NewStaticAgentCardHandler(&a2a.AgentCard{
		Name: "grader", Description: "Grades replies.", Version: "1.0.0", ProtocolVersion: "0.3.0", URL: server.URL + path,
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		Skills:             []a2a.AgentSkill{{ID: "grade", Name: "Grade", Description: "Grades a reply."}},
	}))
	return server
}

func (a *Agent) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.Token != "" && r.Header.Get("Authorization") != "Bearer "+a.Token {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// running is an agent at work. It implements a2asrv.AgentExecutor and a2asrv.CallInterceptor.
type running struct {
	*Agent
	once  sync.Once
	asked chan struct{} // closed when a task was asked for
}

func (r *running) Before(ctx context.Context, c *a2asrv.CallContext, req *a2asrv.Request) (context.Context, error) {
	switch params := req.Payload.(type) {
	case *a2a.MessageSendParams:
		if r.Slow {
			blocking := false
			params.Config.Blocking = &blocking
		}
	case *a2a.TaskQueryParams:
		r.once.Do(func() { close(r.asked) })
	}
	return ctx, nil
}

func (*running) After(context.Context, *a2asrv.CallContext, *a2asrv.Response) error { return nil }

func (r *running) Execute(ctx context.Context, req *a2asrv.RequestContext, queue eventqueue.Queue) error {
	var texts []string
	for _, p := range req.Message.Parts {
		if text, ok := p.(a2a.TextPart); ok {
			texts = append(texts, text.Text)
		}
	}
	answer := ""
	if r.Answer != nil {
		answer = r.Answer(strings.Join(texts, "\n"))
	}
	if r.Plain {
		return queue.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, a2a.TextPart{Text: answer}))
	}
	if err := queue.Write(ctx, a2a.NewStatusUpdateEvent(req, a2a.TaskStateWorking, nil)); err != nil {
		return err
	}
	if r.Slow {
		select {
		case <-r.asked:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return r.finish(ctx, req, queue, answer)
}

func (r *running) finish(
	ctx context.Context, req *a2asrv.RequestContext, queue eventqueue.Queue, answer string,
) error {
	var message *a2a.Message
	switch {
	case answer == "":
	case r.Artifact:
		if err := queue.Write(ctx, a2a.NewArtifactEvent(req, a2a.TextPart{Text: answer})); err != nil {
			return err
		}
	default:
		message = a2a.NewMessageForTask(a2a.MessageRoleAgent, req, a2a.TextPart{Text: answer})
	}
	state := r.State
	if state == "" {
		state = a2a.TaskStateCompleted
	}
	end := a2a.NewStatusUpdateEvent(req, state, message)
	end.Final = true
	return queue.Write(ctx, end)
}

func (*running) Cancel(context.Context, *a2asrv.RequestContext, eventqueue.Queue) error { return nil }
