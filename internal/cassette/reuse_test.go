package cassette

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/providers"
)

// counted counts the calls of a model.
type counted struct {
	model
	calls int
}

func (c *counted) Complete(ctx context.Context, req *chat.Request, onDelta func(chat.Delta) error) (chat.Reply, error) {
	c.calls++
	return c.model.Complete(ctx, req, onDelta)
}

// TestAskedAgain lists which answers of an older cassette are reused, and which equal requests are sent again.
func TestAskedAgain(t *testing.T) {
	t.Parallel()
	whole := chat.Reply{Content: `{"card": "4111-1111"}`, FinishReason: "stop"}
	for name, c := range map[string]struct {
		first  model
		closes bool
		change func(d *Folder)
		source string
		asked  string
		again  bool
		absent string
	}{
		"the same":         {first: model{reply: whole}},
		"another request":  {first: model{reply: whole}, asked: "Bye", again: true},
		"another server":   {first: model{reply: whole}, source: "there", again: true},
		"nobody knows who": {first: model{reply: whole}, source: "-", again: true},
		"everything again": {first: model{reply: whole}, change: func(d *Folder) { d.RecordAll = true }, again: true},
		"an error":         {first: model{err: &providers.Error{Kind: providers.Transport, Msg: "cut"}}, again: true},
		"half a reply":     {first: model{err: errors.New("cut"), pieces: []string{"Your "}}, again: true},
		"closed by a guardrail": {
			first: model{reply: chat.Reply{Content: "damn it"}, pieces: []string{"damn", " it"}}, closes: true, again: true,
		},
		"a field that must go": {
			first: model{reply: whole}, change: func(d *Folder) { d.Redact = []string{"card"} }, again: true, absent: "4111",
		},
		"a secret that is known now": {
			first: model{reply: whole}, again: true, absent: "4111",
			change: func(d *Folder) { d.Secrets = func() []string { return []string{"4111-1111"} } },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			d := folderIn(dir, false)
			tape := open(t, d)
			tape.SetSource("here")
			onDelta := func(chat.Delta) error {
				if c.closes {
					return providers.ErrEnough
				}
				return nil
			}
			_, _ = tape.Lane("turn 1").Complete(t.Context(), &c.first, "m", request("Hi"), onDelta)
			closed(t, tape)

			d = folderIn(dir, false)
			if c.change != nil {
				c.change(d)
			}
			tape = open(t, d)
			if source := c.source; source == "" {
				tape.SetSource("here")
			} else {
				tape.SetSource(strings.Trim(source, "-"))
			}
			text := "Hi"
			if c.asked != "" {
				text = c.asked
			}
			now := &counted{model: model{reply: whole}}
			reply, err := tape.Lane("turn 1").Complete(t.Context(), now, "m", request(text), nil)
			if err != nil || reply.Content != whole.Content {
				t.Errorf("got %q, %v", reply.Content, err)
			}
			if again := now.calls > 0; again != c.again || reply.Cached == c.again || tape.Reused() > 0 == c.again {
				t.Errorf("asked again: %t, want %t; cached: %t, kept: %d", again, c.again, reply.Cached, tape.Reused())
			}
			closed(t, tape)
			data, err := os.ReadFile(d.file(trialID))
			if err != nil || c.absent != "" && strings.Contains(string(data), c.absent) {
				t.Errorf("%v, or %q stayed in the file:\n%s", err, c.absent, data)
			}
		})
	}
}

// TestEvaluatorsAreAskedAgain: a recording run always calls programs and endpoints, because they may have changed.
func TestEvaluatorsAreAskedAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n, want := range []string{"good", "bad"} {
		tape := open(t, folderIn(dir, false))
		got, err := tape.Lane("turn 1").Outside().Exchange(t.Context(), checks.Sent{Kind: kindProgram, To: "polite"},
			func() (checks.Received, error) { return checks.Received{Text: want}, nil })
		if err != nil || got.Text != want {
			t.Errorf("%d: got %q, %v", n, got.Text, err)
		}
		closed(t, tape)
	}
}

// TestSpare: exchanges that a failed trial did not reach are kept.
func TestSpare(t *testing.T) {
	t.Parallel()
	for name, spare := range map[string]bool{"did not pass": true, "passed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			talk := func(spare bool, texts ...string) (calls int) {
				m := &counted{model: model{reply: chat.Reply{Content: "Yes.", FinishReason: "stop"}}}
				tape := open(t, folderIn(dir, false))
				tape.SetSource("here")
				for i, text := range texts {
					lane := tape.Lane([]string{"turn 1", "turn 2"}[i])
					if _, err := lane.Complete(t.Context(), m, "m", request(text), nil); err != nil {
						t.Error(err)
					}
				}
				if spare {
					tape.KeepOlder()
				}
				closed(t, tape)
				return m.calls
			}
			got := []int{talk(false, "Hi", "Bye"), talk(spare, "Hello"), talk(false, "Hello", "Bye")} // turn 1 differs
			want := []int{2, 1, 1}
			if spare {
				want[2] = 0
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLessIsNoReplacement(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record := func(models ...model) error {
		d := folderIn(dir, false)
		d.RecordAll = true
		tape := open(t, d)
		for i := range models {
			_, _ = tape.Lane("turn 1").Complete(t.Context(), &models[i], "m", request(string(rune('a'+i))), nil)
		}
		_, err := tape.Close(true)
		return err
	}
	good, bad := model{reply: chat.Reply{Content: "Yes."}}, model{err: errors.New("down")}
	if err := record(good, good, bad); err != nil {
		t.Fatal(err)
	}
	if err := record(bad); err == nil || !strings.Contains(err.Error(), "it holds more replies") {
		t.Errorf("two replies were replaced by an error: %v", err)
	}
	if err := record(good, good, good); err != nil {
		t.Error(err)
	}
}

func TestUnchanged(t *testing.T) {
	t.Parallel()
	const before = `{"exchanges": [{"kind": "model", "at": "turn 1", "request": {"messages": [{"role": "user", "content": "Hi"}]},
		"reply": {"content": "", "chunks": [[1, 2]], "retries": 1, "tool_calls": [{"id": "c1", "name": "pay", "args": {"id": "7",
		"latency_ms": 3}}]}, "latency_ms": 5}, {"kind": "tool", "reply": {"id": "c1", "content": "ok"}}]}`
	for name, c := range map[string]struct {
		old, new string
		same     bool
	}{
		"nothing":              {"", "", true},
		"how long it took":     {`"latency_ms": 5`, `"latency_ms": 50`, true},
		"how it streamed in":   {`[[1, 2]]`, `[[1, 9]]`, true},
		"how often":            {`, "retries": 1`, ``, true},
		"ids of calls":         {`"c1"`, `"c2"`, true},
		"whose result it is":   {`"id": "c1", "content"`, `"id": "c2", "content"`, false},
		"an argument id":       {`"7"`, `"8"`, false},
		"an argument":          {`"latency_ms": 3`, `"latency_ms": 4`, false},
		"what was said":        {`"Hi"`, `"Ho"`, false},
		"what the tool said":   {`"ok"`, `"no"`, false},
		"where it was asked":   {`turn 1`, `turn 2`, false},
		"what is no JSON":      {`]}`, `]`, false},
		"who answered at last": {`"retries": 1`, `"source": "there"`, false},
	} {
		if got := unchanged([]byte(before), []byte(strings.ReplaceAll(before, c.old, c.new))); c.old != "" && got != c.same {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

// TestSpareOtherTools: old requests with another definition of a tool are dropped, since they cannot be sent again.
func TestSpareOtherTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for n, describe := range []string{"Pays", "Pays now"} {
		tape := open(t, folderIn(dir, false))
		tape.SetSource("here")
		for i := range 2 - n {
			req := request("Hi")
			req.Tools[0].Description = describe
			m := &model{reply: chat.Reply{Content: "Yes.", FinishReason: "stop"}}
			if _, err := tape.Lane([]string{"turn 1", "turn 2"}[i]).Complete(t.Context(), m, "m", req, nil); err != nil {
				t.Fatal(err)
			}
		}
		tape.KeepOlder()
		closed(t, tape)
	}
}
