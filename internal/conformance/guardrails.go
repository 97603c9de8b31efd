package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/guard"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// guardrailTopics are the vectors about guardrails: what a conversation with one of them records, and when a stream is
// cut.
func guardrailTopics() []Topic {
	return []Topic{
		NewTopic("guardrails", judgeGuardrail),
		NewTopic("streaming", judgeStreaming),
	}
}

// guardrailVector is a guardrail with a user message and the model's reply.
type guardrailVector struct {
	Head
	Validator json.RawMessage `json:"validator"`
	User      string          `json:"user"`
	Model     string          `json:"model_output"`
	Expect    struct {
		Triggered   *bool   `json:"triggered"`
		ModelCalled *bool   `json:"model_called"`
		Direction   *string `json:"direction"`
		Final       *string `json:"final_output"`
		Replaced    *bool   `json:"final_output_replaced"` // by a text that is not given
	} `json:"expect"`
}

// judgeGuardrail has the conversation twice: the reply comes whole, and in pieces of one character.
func judgeGuardrail(ctx context.Context, v *guardrailVector, r *Report) error {
	set, err := readSet(v.Validator)
	if err != nil {
		return err
	}
	for _, streamed := range []bool{false, true} {
		mode := " of the whole reply"
		if streamed {
			mode = " of the streamed reply"
		}
		t := v.run(ctx, set, streamed)
		if t.err != nil {
			return t.err
		}
		direction := ""
		if len(t.firings) > 0 {
			direction = t.firings[0].Direction
		}
		That(r, "triggered"+mode, v.Expect.Triggered, len(t.firings) > 0)
		That(r, "model_called"+mode, v.Expect.ModelCalled, t.called)
		That(r, "direction"+mode, v.Expect.Direction, direction)
		That(r, "final_output"+mode, v.Expect.Final, t.said)
		That(r, "final_output_replaced"+mode, v.Expect.Replaced, t.said != v.Model && t.said != "")
	}
	return nil
}

// guardrailRun is the result of a conversation of one turn with guardrails.
type guardrailRun struct {
	called  bool // the model was
	said    string
	firings []result.Firing
	err     error
}

func (v *guardrailVector) run(ctx context.Context, set *guard.Set, streamed bool) guardrailRun {
	user := chat.Message{Role: chat.User, Content: v.User}
	if set.OnInput() {
		o, answered := set.Input(ctx, &checks.Subject{}, user)
		if answered || o.Err != nil {
			return guardrailRun{said: o.Message.Content, firings: o.Firings, err: o.Err}
		}
	}
	reply := chat.Message{Role: chat.Assistant, Content: v.Model}
	if !set.OnOutput() {
		return guardrailRun{called: true, said: v.Model}
	}
	w := set.Reply()
	for rest := v.Model; streamed && rest != ""; {
		_, size := utf8.DecodeRuneInString(rest)
		if w.OnDelta(chat.Delta{Text: rest[:size]}) != nil {
			break
		}
		rest = rest[size:]
	}
	o := w.Finish(ctx, &checks.Subject{Messages: []chat.Message{user}}, reply, nil)
	return guardrailRun{true, o.Message.Text(), o.Firings, o.Err}
}

// streamingVector is a reply as far as it was written, and whether it may go on.
type streamingVector struct {
	Head
	Validator   json.RawMessage `json:"validator"`
	Accumulated string          `json:"accumulated"`
	Expect      struct {
		Score *float64 `json:"score"`
		Stop  *bool    `json:"stop"`
	} `json:"expect"`
}

// judgeStreaming hands the text over whole, and byte by byte.
func judgeStreaming(_ context.Context, v *streamingVector, r *Report) error {
	rail, err := readValidator(v.Validator)
	if err != nil {
		return err
	}
	check, _ := rail.Compiled.(*checks.Compiled)
	if rail.Direction == "input" || check.Follow() == nil {
		return errors.New("the guardrail cannot judge a part of a reply")
	}
	whole, pieces := check.Follow(), check.Follow()
	whole.Write(v.Accumulated)
	for i := range len(v.Accumulated) {
		pieces.Write(v.Accumulated[i : i+1])
	}
	Near(r, "score", v.Expect.Score, whole.Best())
	That(r, "stop", v.Expect.Stop, whole.Failed())
	Near(r, "score byte by byte", v.Expect.Score, pieces.Best())
	That(r, "stop byte by byte", v.Expect.Stop, pieces.Failed())
	return nil
}

// readSet makes a set of one guardrail from JSON.
func readSet(data []byte) (*guard.Set, error) {
	v, err := readValidator(data)
	if err != nil {
		return nil, err
	}
	set, err := guard.New([]*scenario.Validator{v})
	if err == nil && set == nil {
		err = errors.New("the guardrail is switched off")
	}
	return set, err
}

// readValidator compiles one guardrail from JSON.
func readValidator(data []byte) (*scenario.Validator, error) {
	var compiler checks.Compiler
	var problems diag.List
	compile := func(c *scenario.Check, d *diag.List) {
		if check := compiler.Compile(c, d); check != nil {
			c.Compiled = check
		}
	}
	v := scenario.ReadValidator("validator", data, compile, &problems)
	if v == nil {
		return nil, refused(&problems)
	}
	return v, nil
}

func refused(problems *diag.List) error {
	for _, p := range problems.Sorted() {
		if p.Severity == diag.Error {
			return errors.New("the guardrail was refused: " + p.Msg)
		}
	}
	return errors.New("there is no guardrail")
}
