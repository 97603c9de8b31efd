package scenario

import (
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/node"
)

// recordingEvalFile is a document of kind Eval as it stands in a file.
type recordingEvalFile struct {
	RecordingEval
	path, kind *node.Node
}

// recordingEvalFields are the keys of kind Eval.
var recordingEvalFields = table("an eval", func() rows[recordingEvalFile] {
	return rows[recordingEvalFile]{
		drop[recordingEvalFile]("id", text),   // read with the name of the document
		drop[recordingEvalFile]("name", text), // the same
		drop[recordingEvalFile]("description", text),
		object("recording", recordingFields, func(e *recordingEvalFile) *recordingEvalFile { return e }).must(),
		custom("turns", listShape{evalTurnFields}, func(d *decoder, e *recordingEvalFile, v *node.Node) {
			d.Items(v, "turns", func(_ int, item *node.Node) { evalTurnFields.read(d, item, e) })
		}),
		assertions("conversation_assertions", ConversationAssertion,
			func(e *recordingEvalFile) *[]Placed { return &e.Conversation }),
		strs("tags", func(e *recordingEvalFile) *[]string { return &e.Tags }),
		drop[recordingEvalFile]("mode", words("instant", "realtime", "accelerated")),
		drop[recordingEvalFile]("speed", positive),
	}
})

var recordingFields = table("recording", func() rows[recordingEvalFile] {
	return rows[recordingEvalFile]{
		custom("path", text, func(d *decoder, e *recordingEvalFile, v *node.Node) {
			e.path = v
			e.Recording, _ = d.Name(v, "path")
		}).must(),
		custom("type", recordingTypes, func(d *decoder, e *recordingEvalFile, v *node.Node) {
			e.kind = v
			e.Type, _ = d.OneOf(v, "type", recordingTypes...)
		}),
	}
})

var recordingTypes = words("session", "arena_output", "transcript", "generic")

var evalTurnFields = table("a turn of an eval", func() rows[recordingEvalFile] {
	return rows[recordingEvalFile]{
		object("all_turns", part("all_turns",
			custom("assertions", listShape{checkFields}, func(d *decoder, e *recordingEvalFile, v *node.Node) {
				e.AllTurns = append(e.AllTurns, d.checks(v, "assertions", TurnAssertion)...)
			}).must(),
		), func(e *recordingEvalFile) *recordingEvalFile { return e }).must(),
	}
})

// recordingEval reads a document of kind Eval.
func (d *decoder) recordingEval(doc document) *RecordingEval {
	e := &recordingEvalFile{RecordingEval: RecordingEval{Meta: doc.meta, File: d.File}}
	if !recordingEvalFields.read(d, doc.spec, e) {
		return nil
	}
	if e.Recording != "" {
		d.recordingFiles(e)
	}
	d.need("evals over recordings", doc.root, Feature{})
	return &e.RecordingEval
}

// recordingFiles resolves the path of a recording, which may be a pattern, from the folder of the eval.
func (d *decoder) recordingFiles(e *recordingEvalFile) {
	fs := d.places.fs
	path := d.besides(e.Recording)
	e.Recording = fs.access(path)
	if fs.isGlob(path) {
		found, err := fs.glob(path)
		if err != nil || len(found) == 0 {
			d.Errorf(e.path, "no-match", "no recording matches %q", path)
		}
		return
	}
	switch {
	case fs.isDir(path):
		d.Errorf(e.path, "is-directory", "%q is a directory, not a recording", path).
			Hint = "name the files: " + join(path, "*.json")
	case !fs.exists(path):
		d.Errorf(e.path, "missing-file", "there is no recording %q", path).Hint = "the path starts at the folder of this file"
	case e.kind == nil && !recordingExtension(path):
		d.Errorf(e.path, "unknown-recording", "the name %q does not tell what kind of recording it is", filepath.Base(path)).
			Hint = "add type: session, arena_output, transcript or generic"
	}
}

func recordingExtension(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".json", ".jsonl", ".yaml", ".yml":
		return true
	}
	return false
}
