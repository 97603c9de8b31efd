package cassette

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
)

// TestOnlyTheFileIsRedacted: a recorded trial works with the values in its tools and later requests; the file holds
// none of them, wherever they are repeated. The file can be replayed even though the user said one of the values.
func TestOnlyTheFileIsRedacted(t *testing.T) {
	t.Parallel()
	const card = "4111-1111"
	dir := t.TempDir()
	talk := func(tape *Recorder, live bool) (replies []string, given map[string]any) {
		l := tape.Lane("turn 1")
		ctx := t.Context()
		asked := request("Pay.")
		reply, err := l.Complete(ctx, client(&model{reply: chat.Reply{
			Content: "Paying with " + card, ToolCalls: []chat.ToolCall{{ID: "c", Name: "pay", Args: map[string]any{"Card": card}}},
		}}, live), "m", asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		res := l.Call(ctx, reply.ToolCalls[0], "", func(_ context.Context, call chat.ToolCall) chat.ToolResult {
			given = call.Args
			return chat.ToolResult{Content: `{"iban": "DE02-1203", "ok": true}`}
		})
		message := reply.Message()
		asked.Messages = append(asked.Messages, message,
			chat.Message{Role: chat.ToolRole, Content: res.Content, ToolResult: &res},
			chat.Message{Role: chat.User, Content: "And " + card + ", whose is it?"})
		second, err := l.Complete(ctx, client(&model{reply: chat.Reply{Content: "DE02-1203 has " + card}}, live), "m", asked, nil)
		if err != nil {
			t.Fatal(err)
		}
		return []string{reply.Content, res.Content, second.Content}, given
	}
	deck := folderIn(dir, false)
	deck.Redact = []string{"card", "iban"}
	record := open(t, deck)
	live, given := talk(record, true)
	want := []string{"Paying with " + card, `{"iban": "DE02-1203", "ok": true}`, "DE02-1203 has " + card}
	if diff := cmp.Diff(want, live); diff != "" || given["Card"] != card {
		t.Errorf("the trial has other values, the tool %v (-want +got):\n%s", given, diff)
	}
	trial := result.Turn{
		Assistant: want[2], Messages: []chat.Message{{Role: chat.Assistant, Content: want[0]}},
		ToolCalls:  []result.ToolCall{{Name: "pay", Args: map[string]any{"Card": card}, Result: want[1]}},
		Assertions: []result.Verdict{{Type: "x", Status: result.Failed, Details: map[string]any{"seen": []any{card}}}},
	}
	clean := Redact(record, trial, reflect.TypeFor[result.Status]())
	if text, err := compact(clean); err != nil || strings.Contains(string(text), card) || strings.Contains(string(text), "DE02") {
		t.Errorf("written of the trial: %s %v", text, err)
	}
	if trial.Messages[0].Content != want[0] || trial.ToolCalls[0].Args["Card"] != card {
		t.Error("the trial itself was changed")
	}
	closed(t, record)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), card) || strings.Contains(string(data), "DE02") {
		t.Errorf("the file holds a value:\n%s", data)
	}
	replay := open(t, folderIn(dir, true))
	played, _ := talk(replay, false)
	want = []string{"Paying with [redacted]", `{"iban": "[redacted]", "ok": true}`, "[redacted] has [redacted]"}
	if diff := cmp.Diff(want, played); diff != "" {
		t.Errorf("played (-want +got):\n%s", diff)
	}
	if notice := closed(t, replay); notice != "" {
		t.Error(notice)
	}
	if left := replay.RedactedFields(); !left["card"] || !left["iban"] {
		t.Errorf("left out: %v", left)
	}
}

// TestRedactedAsOne: a secret that is learned late is removed from all exchanges in the same way. So each exchange
// still continues the one before it, tools keep their names, and each tool has one definition.
func TestRedactedAsOne(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	values := []any{"A-1001", "A-1001-XYZ", json.Number("20310715"), "refund", "cancel_it"}
	talk := func(tape *Recorder, live bool) (called []string) {
		asked := request("Where are A-1001, A-1001-XYZ and 20310715? Refund or cancel_it!")
		asked.Tools, asked.Stream = nil, false
		for _, name := range []string{"refund", "cancel_it", "refund_all"} {
			asked.Tools = append(asked.Tools, chat.Tool{
				Name: name, Description: "Takes A-1001 or A-1001-XYZ",
				Schema: json.RawMessage(`{"type":"integer","maximum":20310715,"examples":["A-1001-XYZ"]}`),
			})
		}
		for i, v := range values {
			said := chat.Reply{Content: "Taking A-1001-XYZ", ToolCalls: []chat.ToolCall{
				{ID: "c", Name: asked.Tools[i%3].Name, Args: map[string]any{"what": v, "n": json.Number("20310715")}},
			}}
			reply, err := tape.Lane("turn 1").Complete(t.Context(), client(&model{reply: said}, live), "m", asked, nil)
			if err != nil {
				t.Fatal(err)
			}
			called = append(called, reply.ToolCalls[0].Name)
			result := chat.ToolResult{ID: "c", Name: reply.ToolCalls[0].Name, Content: "A-1001 or A-1001-XYZ"}
			asked.Messages = append(slices.Clip(asked.Messages), reply.Message(),
				chat.Message{Role: chat.ToolRole, Content: result.Content, ToolResult: &result})
		}
		return called
	}
	deck := folderIn(dir, false)
	deck.Redact = []string{"what"}
	record := open(t, deck)
	talk(record, true)
	closed(t, record)
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "A-1001") || strings.Contains(string(data), "20310715") {
		t.Errorf("the file holds a value:\n%s", data)
	}
	if n := strings.Count(string(data), `"content": "Where are`); n != 1 {
		t.Errorf("the first message stands there %d times", n)
	}
	file, err := recording.Open(files[0], recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.Load(0); err != nil {
		t.Error(err)
	}
	replay := open(t, folderIn(dir, true))
	want := []string{"refund", "cancel_it", "refund_all", "refund", "cancel_it"}
	if diff := cmp.Diff(want, talk(replay, false)); diff != "" {
		t.Errorf("called (-want +got):\n%s", diff)
	}
	if notice := closed(t, replay); notice != "" {
		t.Error(notice)
	}
	if seen := Redact(replay, "A-1001, A-1001-XYZ"); strings.Contains(seen, "1001") {
		t.Errorf("written of the replay: %s", seen)
	}
}

func TestFitsBlind(t *testing.T) {
	t.Parallel()
	for text, fits := range map[string]bool{
		"a 12 b 34 c": true, "a  b  c": true, "a [redacted] b [redacted] c": true, "a 12 c": false, "x a 12 b 34 c": false,
		"a 12 b 34 cd": false, "a b c": false, "": false,
	} {
		if got := matchesRedactedText("a [redacted] b [redacted] c", text); got != fits {
			t.Errorf("%q: %t", text, got)
		}
	}
	if matchesRedactedText("a", "b") || matchesRedactedText("a", "a") {
		t.Error("nothing was taken out of it")
	}
}
