package recording

import (
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

// failures are fields by which a record reports that it failed, or was cut.
var failures = [][2]string{
	{"error", `"boom7"`},
	{"error", `{"message":"boom7"}`},
	{"is_error", `true`},
	{"status", `"failed"`},
	{"status", `"error"`},
	{"status", `"incomplete"`},
	{"status_code", `500`},
	{"success", `false`},
	{"has_error", `true`},
	{"exception", `"boom7"`},
	{"errors", `["boom7"]`},
	{"state", `"failed"`},
	{"http_status", `503`},
	{"finish_reason", `"max_tokens"`},
	{"stop_reason", `"max_tokens"`},
}

// TestNoFailureIsLost adds a failure to every message, and to the objects around the replies of one call, in every
// format: the file is refused, or the conversation is not read as a success.
func TestNoFailureIsLost(t *testing.T) {
	t.Parallel()
	for _, tk := range talks() {
		t.Run(tk.name, func(t *testing.T) {
			t.Parallel()
			tree := parseTree(t, tk.text)
			n := 0
			for _, at := range tree.around("reply2", "said1") {
				members := at.copies[0].members
				for _, f := range failures {
					if at.has(f[0]) || !at.mayFail(tk.format) || strings.HasSuffix(f[0], "reason") && !at.isReply() {
						continue
					}
					for _, c := range at.copies {
						c.members = append(slices.Clone(members), &member{f[0], treeOf(value{text: []byte(f[1])})})
					}
					if n++; tk.wentWell(tree.write()) {
						t.Errorf("%s %s is lost in %s", f[0], f[1], at.way)
					}
				}
				for _, c := range at.copies {
					c.members = members
				}
			}
			flat := []string{"numbered traces", "OpenInference traces"} // where fields are attributes with numbers
			if n < 4 && !slices.Contains(flat, tk.name) {
				t.Errorf("only %d failures were tried", n)
			}
		})
	}
}

// wentWell reports whether a file is read without any report that something failed or was cut.
func (tk *talk) wentWell(text string) bool {
	if tk.name == "YAML transcript" {
		text = "# by hand\n" + text
	}
	f, err := open([]byte(text), Options{})
	if err != nil {
		return false
	}
	for i := range f.Sessions() {
		s, err := f.Load(i)
		if err != nil || s.Error != "" || len(s.Doubts) > 0 {
			return false
		}
		for _, m := range s.Messages {
			if !chat.Complete(m.FinishReason) || m.ToolResult != nil && m.ToolResult.Error != "" ||
				slices.ContainsFunc(m.Verdicts, func(v Verdict) bool { return v.Failed() }) {
				return false
			}
		}
	}
	return true
}

// place is an object of a tree, with the path to it. An object that later calls repeat has several copies.
type place struct {
	copies []*tree
	way    string
}

func (p *place) has(names ...string) bool {
	return slices.ContainsFunc(p.copies[0].members, func(m *member) bool {
		return slices.ContainsFunc(names, func(name string) bool { return foldKey([]byte(m.key)) == foldKey([]byte(name)) })
	})
}

// isReply reports whether the object is a message of the assistant.
func (p *place) isReply() bool {
	return p.has("role") && strings.Contains(p.copies[0].write(), "assistant")
}

// recordsOfCalls are the formats whose records are calls, or conversations that another program wrote down.
var recordsOfCalls = []Format{
	FormatChatLog, FormatTranscript, FormatOpenAI, FormatLiteLLM, FormatLangSmith, FormatBatch, FormatShareGPT,
}

// mayFail reports whether the object is one that fails: a message, a choice, or the record of a call.
func (p *place) mayFail(f Format) bool {
	if p.has("role") {
		return true
	}
	return strings.HasSuffix(p.way, "reply2") && slices.Contains(recordsOfCalls, f) && p.has("messages", "choices", "response", "message", "output", "conversations",
		"outputs")
}

// around returns the objects on the paths to some words, each once.
func (tr *tree) around(words ...string) (list []*place) {
	known := map[string]*place{}
	seen := map[*tree]bool{}
	tr.walk(nil, func(path []*tree, leaf *tree) {
		if !slices.Contains(words, strings.Trim(leaf.text, `"`)) {
			return
		}
		way := ""
		for i, node := range path {
			if i > 0 {
				for _, m := range path[i-1].members {
					if m.value == node {
						way += "." + m.key
					}
				}
			}
			if node.members == nil {
				continue
			}
			text := node.write()
			if known[text] == nil {
				known[text] = &place{}
				list = append(list, known[text])
			}
			p := known[text]
			if p.way = way + " to " + strings.Trim(leaf.text, `"`); !seen[node] {
				seen[node], p.copies = true, append(p.copies, node)
			}
		}
	})
	return list
}
