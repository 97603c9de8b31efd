package cassette

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
)

// offering returns a request that offers these tools. Its message is always the same.
func offering(list ...chat.Tool) *chat.Request {
	return &chat.Request{Messages: []chat.Message{{Role: chat.User, Content: "Hi"}}, Tools: list}
}

// changing returns the requests of a trial whose tools change, and change back.
func changing() []*chat.Request {
	pay := func(event string) chat.Tool {
		return chat.Tool{Name: "pay", Description: "Pays", Schema: json.RawMessage(`{"type": "object", "title": "` + event + `"}`)}
	}
	other := chat.Tool{Name: "pay", Description: "Pays\nall"}
	numbered := chat.Tool{Name: "pay#2", Description: "Not the second of pay"}
	return []*chat.Request{
		offering(pay("a")), offering(pay("b")), offering(numbered, pay("a")), offering(other), offering(pay("b")), offering(),
	}
}

// TestToolsChange: tools may change within a trial, by workflow states, skills and servers. The cassette keeps the
// tools of each request, and defines each tool once.
func TestToolsChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	talk := func(d *Folder, live bool) (calls int, replies []string) {
		tape := open(t, d)
		tape.SetSource("here")
		for i, req := range changing() {
			m := &counted{model: model{reply: chat.Reply{Content: string(rune('a' + i)), FinishReason: "stop"}}}
			lane := tape.Lane("turn 1")
			reply, err := lane.Complete(t.Context(), m, "m", req, nil)
			if err != nil {
				t.Fatalf("request %d: %v", i+1, err)
			}
			calls += m.calls
			replies = append(replies, reply.Content)
		}
		if notice := closed(t, tape); notice != "" || !live && calls > 0 {
			t.Errorf("%d calls; %s", calls, notice)
		}
		return calls, replies
	}
	calls, recorded := talk(folderIn(dir, false), true)
	_, replayed := talk(folderIn(dir, true), false)
	if diff := cmp.Diff(recorded, replayed); diff != "" || calls != len(recorded) {
		t.Errorf("%d calls (-recorded +replayed):\n%s", calls, diff)
	}
	if calls, again := talk(folderIn(dir, false), true); calls > 0 || !cmp.Equal(again, recorded) {
		t.Errorf("recorded again: %d calls, %q", calls, again)
	}
	var doc document
	data, err := os.ReadFile(folderIn(dir, true).file(trialID))
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, defined := range doc.Tools {
		names = append(names, defined.Name+"="+defined.ref())
	}
	if diff := cmp.Diff([]string{"pay=pay", "pay=pay#2", "pay#2=pay#2#2", "pay=pay#3"}, names); diff != "" {
		t.Errorf("definitions (-want +got):\n%s", diff)
	}
	var problems diag.List
	if folderIn(dir, true).checkFile("c.json", trialID, data, &problems); problems.Errors() > 0 {
		t.Error(problems.Sorted()[0].Msg)
	}
}

// TestToolsOfSpareExchanges: exchanges that a trial did not reach keep the tools that their requests offered.
func TestToolsOfSpareExchanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	list := changing()
	talk := func(requests ...*chat.Request) (calls int) {
		tape := open(t, folderIn(dir, false))
		tape.SetSource("here")
		for i, req := range requests {
			m := &counted{model: model{reply: chat.Reply{Content: "Yes.", FinishReason: "stop"}}}
			if _, err := tape.Lane([]string{"turn 1", "turn 2"}[i]).Complete(t.Context(), m, "m", req, nil); err != nil {
				t.Error(err)
			}
			calls += m.calls
		}
		tape.KeepOlder()
		closed(t, tape)
		return calls
	}
	got := []int{talk(list[0], list[1]), talk(list[3]), talk(list[3], list[1])} // the tools of turn 1 have changed
	if diff := cmp.Diff([]int{2, 1, 0}, got); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// TestToolDefinedTwice: two definitions with the same name are refused, since a request would be ambiguous.
func TestToolDefinedTwice(t *testing.T) {
	t.Parallel()
	for _, second := range []string{`{"name": "pay"}`, `{"name": "other", "as": "pay"}`} {
		text := strings.Replace(whole, `"tools": [`, `"tools": [`+second+`,`, 1)
		var problems diag.List
		(&Folder{}).checkFile("c.json", "a/b/c", []byte(text), &problems)
		list := problems.Sorted()
		if len(list) != 1 || list[0].Msg != `the tools of this cassette define "pay" twice` || list[0].Pos.Line == 0 {
			t.Errorf("%s: %+v", second, list)
		}
	}
}
