package recording

import (
	"bytes"
	"encoding/json"
	"iter"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// isTranscript also accepts content that is not JSON, because only transcripts may be YAML.
func isTranscript(h *head) bool {
	return h.kind == 0 || h.kind == '{' && !h.lines && h.has("messages")
}

func scanTranscript(s *scan) {
	text, ok := s.readAll()
	if ok && (syntax(text) != nil || s.checkDuplicates(value{text: bytes.TrimSpace(text)}, span{line: 1})) {
		s.add("", span{at: s.size - int64(len(text)), size: int64(len(text)), line: 1, col: 1})
	}
}

func readTranscript(b *builder, pieces iter.Seq[piece]) {
	for p := range pieces {
		if syntax(p.text) == nil {
			b.transcript(p.value)
			continue
		}
		b.yaml(p)
	}
}

// transcript reads {metadata, messages}.
func (b *builder) transcript(v value) {
	o, ok := b.object(v, "a transcript")
	if !ok {
		return
	}
	b.checkConversation(o)
	b.metadata(o.get("metadata"))
	b.durationsInMS = true
	for item := range b.messageList(o).items {
		if e, ok := b.message(item); ok {
			b.add(e)
		}
	}
	b.separateReply(o)
}

func (b *builder) messageList(o object) value {
	messages := o.get("messages")
	if messages.kind() != '[' {
		b.errorf(o.value, "wrong-type", "messages must be a list, found %s", describe(messages))
	}
	return messages
}

// yaml reads a transcript in YAML. Each message is converted to JSON, at the position of its node.
func (b *builder) yaml(p piece) {
	r := &node.Reader{File: yamlName(b.file), Diags: &diag.List{}}
	docs := node.Parse(r, p.text)
	defer b.addProblems(r.Diags)
	switch {
	case r.Diags.Errors() > 0:
		return
	case len(docs) != 1:
		r.Diags.Errorf(diag.Pos{File: b.file, Line: 1, Col: 1}, 1, "wrong-type",
			"a transcript is one YAML document, found %d", len(docs))
		return
	}
	root := docs[0]
	messages := node.Get(root, "messages")
	if messages == nil {
		d := r.Errorf(root, "unknown-recording", "this is not a recording that arena can read: YAML without messages")
		d.Hint = "a transcript has the keys metadata and messages"
		if node.Get(root, "turns") != nil || node.Get(root, "run_command") != nil {
			d.Msg = "this is no recording: it has what a scenario has"
			d.Hint = "arena run " + b.file + " runs it; recordings are files with the messages of a conversation"
		}
		if kind := node.Get(root, "kind"); kind != nil && kind.Kind == node.Scalar {
			d.Msg = "this is no recording: it is a file of kind " + cutText(kind.Value, 40)
			d.Hint = "what to judge by is named with --assert, or -c for a config; of a folder every file is read, so name " +
				"the recordings, such as talks/*.json"
		}
		return
	}
	r.Each(root, "a transcript", func(key string, k, v *node.Node) { // reports duplicate keys
		checkYAMLConversation(r, key, k, v)
	})
	b.yamlFailure(r, root)
	b.durationsInMS = true
	if meta := node.Get(root, "metadata"); !node.IsNull(meta) {
		if v, ok := b.fromYAML(r, meta); ok {
			b.metadata(v)
		}
	}
	b.durationsInMS = true
	r.Items(messages, "messages", func(_ int, n *node.Node) {
		v, ok := b.fromYAML(r, n)
		if !ok {
			return
		}
		if e, ok := b.message(v); ok {
			b.add(e)
		}
	})
}

// yamlFailure reads whether the conversation failed.
func (b *builder) yamlFailure(r *node.Reader, root *node.Node) {
	o := object{members: map[string]value{}}
	for _, name := range []string{"error", "error_str", "is_error", "status", "status_code"} {
		if n := node.Get(root, name); !node.IsNull(n) {
			o.members[foldKey([]byte(name))], _ = b.fromYAML(r, n)
		}
	}
	b.failed("", b.failureIn(o))
}

// fromYAML converts a node to JSON and makes it the present piece.
func (b *builder) fromYAML(r *node.Reader, n *node.Node) (value, bool) {
	before := r.Diags.Errors()
	text, err := json.Marshal(r.Any(n))
	if err != nil {
		r.Errorf(n, "wrong-type", "this cannot be written as JSON: %v", err)
	}
	b.piece = piece{value{text: text}, &locator{line: int32(n.Line), col: int32(n.Column)}}
	return b.piece.value, r.Diags.Errors() == before
}

// addProblems adds problems, with the name of the file.
func (b *builder) addProblems(list *diag.List) {
	for _, d := range list.Sorted() {
		d.Pos.File = b.file
		b.problems.Add(d)
	}
}

// yamlName gives a file the extension of YAML for the parser.
func yamlName(file string) string { return file + ".yaml" }
