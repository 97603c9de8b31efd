package cassette

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// longTrial is a trial of ten turns with a tool call in each.
func longTrial(b *testing.B, tape *Recorder) {
	b.Helper()
	req := request("Where is my teapot?")
	m := &model{reply: chat.Reply{Content: strings.Repeat("It is on its way. ", 20), FinishReason: "stop"}}
	run := func(_ context.Context, call chat.ToolCall) chat.ToolResult {
		return chat.ToolResult{ID: call.ID, Name: call.Name, Content: `{"status": "sent"}`}
	}
	for turn := range 10 {
		at := fmt.Sprintf("turn %d", turn+1)
		reply, err := tape.Lane(at).Complete(b.Context(), m, "gpt-4o", req, nil)
		if err != nil {
			b.Fatal(err)
		}
		res := tape.Lane(at).Call(b.Context(), chat.ToolCall{Name: "pay", Args: map[string]any{"turn": turn}}, "", run)
		req.Messages = append(req.Messages, reply.Message(), chat.Message{Role: chat.ToolRole, ToolResult: &res})
	}
	if _, err := tape.Close(true); err != nil {
		b.Fatal(err)
	}
}

func recorderFor(b *testing.B, d *Folder) *Recorder {
	b.Helper()
	tape, err := d.Open(Trial{trialID, trialID}, false, nil)
	if err != nil {
		b.Fatal(err)
	}
	return tape
}

// BenchmarkRecord measures what --record adds to a trial, with the sync of its file.
func BenchmarkRecord(b *testing.B) {
	d := &Folder{Dir: b.TempDir(), Now: time.Now}
	for b.Loop() {
		longTrial(b, recorderFor(b, d))
	}
}

// BenchmarkReplay measures the replay of a trial, without its checks.
func BenchmarkReplay(b *testing.B) {
	dir := b.TempDir()
	longTrial(b, recorderFor(b, &Folder{Dir: dir, Now: time.Now}))
	d := &Folder{Dir: dir, Replay: true, Now: time.Now}
	for b.Loop() {
		longTrial(b, recorderFor(b, d))
	}
}

// BenchmarkCheck measures the check of a cassette before the run.
func BenchmarkCheck(b *testing.B) {
	d := &Folder{Dir: b.TempDir(), Now: time.Now}
	longTrial(b, recorderFor(b, d))
	data, err := os.ReadFile(d.file(trialID))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		var problems diag.List
		if d.checkFile("c.json", trialID, data, &problems); problems.Errors() > 0 {
			b.Fatal(problems.Sorted()[0].Msg)
		}
	}
}
