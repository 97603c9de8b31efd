package runner

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// TestChat: what is said becomes turns; what fails, is stopped or taken back is as if it had never been said.
func TestChat(t *testing.T) {
	t.Parallel()
	var sent []int // messages of each call
	client := answer(func(ctx context.Context, req *chat.Request) (chat.Reply, error) {
		sent = append(sent, len(req.Messages))
		switch last := req.Messages[len(req.Messages)-1].Content; last {
		case "fail":
			return chat.Reply{}, errors.New("it broke")
		case "wait":
			<-ctx.Done()
			return chat.Reply{}, context.Cause(ctx)
		case "crash":
			panic("no")
		default:
			return chat.Reply{Content: "You said " + last, FinishReason: "stop"}, nil
		}
	})
	plan := planOf(t, 1, client, scenario.Turn{Role: "user", Content: "never said"})
	planned, crashed := plan.Trial(0), 0
	var heard []string
	c, err := plan.Chat(t.Context(), &planned, ChatOptions{
		Now: time.Now, Crash: func(string, any, []byte) { crashed++ },
		OnEvent: func(e result.Event) {
			if m, ok := e.(result.MessageCreated); ok {
				heard = append(heard, m.Content)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	say := func(text, want string) {
		t.Helper()
		stop, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		if text == "wait" {
			cancel(errors.New("stopped"))
		}
		turn, err := c.Send(stop, text)
		switch {
		case err != nil && err.Error() != want:
			t.Errorf("%s: %v", text, err)
		case err == nil && turn.Assistant != want:
			t.Errorf("%s: %s", text, turn.Assistant)
		}
	}
	if _, _, err := c.Undo(); err == nil {
		t.Error("something was taken back of nothing")
	}
	say("a", "You said a")
	say("fail", "it broke")
	say("wait", "stopped")
	say("crash", "arena crashed in this turn: no")
	say("b", "You said b")
	if said, _, err := c.Undo(); said != "b" || err != nil {
		t.Errorf("taken back: %q, %v", said, err)
	}
	say("{{c}}", "You said {{c}}")
	got := c.Trial()
	if len(got.Turns) != 2 || got.Turns[0].User != "a" || got.Turns[1].User != "{{c}}" || got.Turns[1].Index != 1 {
		t.Errorf("turns: %+v", got.Turns)
	}
	if last := sent[len(sent)-1]; last != 3 || crashed != 1 || len(heard) < 6 {
		t.Errorf("%d messages sent, %d crashes, heard %q", last, crashed, heard)
	}
	if _, err := c.Close(t.Context(), true); err != nil {
		t.Error(err)
	}
}
