package scenario

import (
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// RecordingEval is a document of kind Eval: checks over recordings.
type RecordingEval struct {
	Meta
	File         string `digest:"-"`
	Description  string
	TaskType     string // task type of the prompt whose evals are run too; "": the only prompt
	TaskTypePos  diag.Pos
	Recordings   []string `digest:"-"` // files with one or more conversations
	PassedOver   []string `digest:"-"` // files that it names, although others are judged
	RecordingPos diag.Pos // position of their names
	Type         string   // type of the recordings in the file; "": detected
	AllTurns     []Placed // checks of every reply
	Conversation []Placed
	Tags         []string
}

// recordingEvalFile is a document of kind Eval as written in a file.
type recordingEvalFile struct {
	RecordingEval
	path, kind *node.Node
}

// recordingEvalFields are the keys of kind Eval.
var recordingEvalFields = table("an eval", func() rows[recordingEvalFile] {
	return rows[recordingEvalFile]{
		ownName[recordingEvalFile]("id"),
		ownName[recordingEvalFile]("name"),
		str("description", func(e *recordingEvalFile) *string { return &e.Description }).doc("What is looked at."),
		custom("task_type", text, func(d *decoder, e *recordingEvalFile, v *node.Node) {
			task, _ := d.Name(v, "task_type")
			e.TaskType = intern(task)
			e.TaskTypePos = d.Pos(v)
			d.refer(toTask, v)
		}).doc("The task type of the prompt whose evals are run as well."),
		object("recording", recordingFields, func(e *recordingEvalFile) *recordingEvalFile { return e }).
			doc("What to look at."),
		assertions("assertions", TurnAssertion, func(e *recordingEvalFile) *[]Placed { return &e.AllTurns }).
			doc("Checks of every reply."),
		custom("turns", listOf(evalTurnFields), func(d *decoder, e *recordingEvalFile, v *node.Node) {
			d.Items(v, "turns", func(_ int, item *node.Node) { evalTurnFields.read(d, item, e) })
		}).doc("Checks of every reply."),
		assertions("conversation_assertions", ConversationAssertion,
			func(e *recordingEvalFile) *[]Placed { return &e.Conversation }).doc("Checks of the whole conversation."),
		tags("tags", "tag", func(e *recordingEvalFile) *[]string { return &e.Tags }).doc("Words to select evals by."),
		idle[recordingEvalFile]("mode", words("instant", "realtime", "accelerated"),
			"recordings are judged as fast as they are read", "instant"),
		idle[recordingEvalFile]("speed", positive, "recordings are judged as fast as they are read"),
	}
})

var recordingFields = table("recording", func() rows[recordingEvalFile] {
	return rows[recordingEvalFile]{
		custom("path", text, func(d *decoder, e *recordingEvalFile, v *node.Node) {
			e.path = v
			e.RecordingPos = d.Pos(v)
		}).must().doc("The file, or a pattern of files, from the folder of this one."),
		custom("type", recordingTypes, func(d *decoder, e *recordingEvalFile, v *node.Node) {
			e.kind = v
			e.Type, _ = d.OneOf(v, "type", recordingTypes...)
		}).doc("The kind of recording, where its content does not tell it."),
	}
})

var recordingTypes = words("session", "arena_output", "transcript", "generic")

var evalTurnFields = table("a turn of an eval", func() rows[recordingEvalFile] {
	return rows[recordingEvalFile]{
		object("all_turns", part("all_turns",
			custom("assertions", listOf(checkFields), func(d *decoder, e *recordingEvalFile, v *node.Node) {
				e.AllTurns = append(e.AllTurns, d.checks(v, "assertions", TurnAssertion)...)
			}).must().doc("The checks."),
		), func(e *recordingEvalFile) *recordingEvalFile { return e }).must().doc("Checks of every reply."),
	}
})

// recordingEval reads a document of kind Eval.
func (d *decoder) recordingEval(doc document) *RecordingEval {
	e := &recordingEvalFile{RecordingEval: RecordingEval{Meta: doc.meta, File: d.File}}
	if !recordingEvalFields.read(d, doc.spec, e) {
		return nil
	}
	switch {
	case d.recorded && e.path != nil:
		d.unusedRecording(e)
	case d.recorded:
	case e.path != nil:
		d.recordingFiles(e)
	default:
		d.Missing(doc.spec, "the eval", "recording").Hint = "write recording: {path: talk.recording.json}"
	}
	return &e.RecordingEval
}

// unusedRecording warns of a missing recording if others are judged instead.
func (d *decoder) unusedRecording(e *recordingEvalFile) {
	name, ok := d.Name(e.path, "path")
	if !ok {
		return
	}
	const hint = "the others are judged; the path is relative to the folder of this file"
	switch path, fs := d.besides(name), d.places.fs; {
	case !fs.isGlob(path) && !fs.exists(path):
		d.Warnf(e.path, "missing-file", "there is no recording %q", path).Hint = hint
	case fs.isGlob(path):
		found, err := fs.glob(path)
		if err != nil || len(found) == 0 {
			d.Warnf(e.path, "no-match", "no recording matches %q", path).Hint = hint
		}
		for _, one := range found {
			e.PassedOver = append(e.PassedOver, fs.access(one))
		}
	default:
		e.PassedOver = []string{fs.access(path)}
	}
}

// recordingFiles resolves the path of a recording, which may be a pattern, from the folder of the eval.
func (d *decoder) recordingFiles(e *recordingEvalFile) {
	name, ok := d.Name(e.path, "path")
	if !ok {
		return
	}
	fs := d.places.fs
	path := d.besides(name)
	if fs.isGlob(path) {
		found, err := fs.glob(path)
		if err != nil || len(found) == 0 {
			d.Errorf(e.path, "no-match", "no recording matches %q", path)
		}
		for _, f := range found {
			e.Recordings = append(e.Recordings, fs.access(f))
		}
		return
	}
	e.Recordings = []string{fs.access(path)}
	switch {
	case fs.isDir(path):
		d.Errorf(e.path, "is-directory", "%q is a directory, not a recording", path).
			Hint = "name the files: " + join(path, "*.json")
	case !fs.exists(path):
		d.Errorf(e.path, "missing-file", "there is no recording %q", path).Hint =
			"the path is relative to the folder of this file"
	case e.kind == nil && !MayBeRecording(path):
		d.Errorf(e.path, "unknown-recording", "the name %q does not tell what kind of recording it is", filepath.Base(path)).
			Hint = "add type: session, arena_output, transcript or generic"
	}
}

// Scenario returns the eval as a scenario.
func (e *RecordingEval) Scenario() *Scenario {
	return &Scenario{
		Meta: e.Meta, File: e.File, Description: e.Description, TaskType: e.TaskType, TaskTypePos: e.TaskTypePos,
		Tags: e.Tags, Turns: []Turn{{Pos: e.Pos, Assertions: e.AllTurns}}, Conversation: e.Conversation,
		Recorded: e,
	}
}

// MayBeRecording reports whether a file may be a recording by its name.
func MayBeRecording(path string) bool {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".eval", ".json", ".jsonl", ".ndjson", ".yaml", ".yml":
		return true
	}
	return false
}
