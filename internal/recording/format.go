package recording

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// Format is a file format.
type Format string

// The formats.
const (
	FormatEventLog    Format = "event log"    // JSON lines, an event each
	FormatSession     Format = "session"      // metadata and events, as a document or as lines
	FormatArenaOutput Format = "arena output" // the result file of a run
	FormatArenaTurns  Format = "arena turns"  // an older form of it, by turns
	FormatTranscript  Format = "transcript"   // metadata and messages, YAML or JSON
	FormatResults     Format = "results.json" // arena's own
	FormatJournal     Format = "journal"      // arena's own
	FormatEventStream Format = "event stream" // arena's own
	FormatCassette    Format = "cassette"     // arena's own: the exchanges of a trial
	FormatChatLog     Format = "chat log"     // JSON lines, a conversation each, in the format of chat APIs
	FormatTraces      Format = "traces"       // OTLP JSON with the attributes of generative AI
	FormatSpans       Format = "spans"        // JSON objects with plain attributes
	FormatShareGPT    Format = "ShareGPT"     // conversations for training
	FormatLangfuse    Format = "Langfuse"     // traces with their observations
	FormatLangSmith   Format = "LangSmith"    // runs
	FormatPromptfoo   Format = "promptfoo"    // results of an evaluation
	FormatBatch       Format = "batch"        // replies of a batch of OpenAI or Anthropic
	FormatOpenAI      Format = "OpenAI log"   // responses and stored completions
	FormatLiteLLM     Format = "LiteLLM log"  // calls
	FormatInspect     Format = "inspect_ai"   // the log of an evaluation
)

// format describes a file format.
type format struct {
	name  Format
	about string   // what writes it, for people
	hints []string // values of Options.Type
	// detect reports whether a file has this format. It may see only the first keys of a long document.
	detect func(h *head) bool
	// scan finds the sessions of a file and the positions of their pieces.
	scan func(s *scan)
	// read makes a session of its pieces.
	read  func(b *builder, pieces iter.Seq[piece])
	free  bool // pieces need not be JSON
	apart bool // each record is a complete conversation, and has no data of others
	early bool // the first keys are enough to detect it
}

// formats returns the formats in the order in which they are tried. The last one accepts anything that may be YAML.
func formats() []format {
	return slices.Concat(runFormats(), exportFormats(), messageFormats())
}

// runFormats are the formats of runs of arena and PromptArena.
func runFormats() []format {
	return []format{
		{
			name: FormatEventLog, about: "events of conversations, a line each: of arena and of PromptKit",
			hints: sessionHints, detect: isEventLog, scan: scanEventLog, read: readEventLog,
		},
		{
			name: FormatSession, about: "an exported session of PromptKit: metadata and events",
			hints: sessionHints, detect: isSessionDocument,
			scan: scanDocuments, read: readSessionDocument,
		},
		{
			name: FormatSession, hints: sessionHints, detect: isSessionLines,
			scan: scanSessionLines, read: readSessionLines,
		},
		{
			name: FormatArenaOutput, about: "the result of one run of PromptArena",
			hints: arenaHints, detect: isArenaOutput,
			scan: scanDocuments, read: readArenaOutput,
		},
		{
			name: FormatArenaTurns, about: "the same by turns, of its older versions",
			hints: arenaHints, detect: isArenaTurns,
			scan: scanDocuments, read: readArenaTurns,
		},
		{
			name: FormatJournal, about: "`journal.jsonl` of a run of arena",
			hints: arenaHints, detect: isJournal, scan: scanJournal, read: readJournal,
		},
		{
			name: FormatResults, about: "`results.json` of a run of arena",
			hints: arenaHints, detect: isResults,
			scan: scanResults, read: readResults, early: true,
		},
		{
			name: FormatEventStream, about: "what `arena run --events` writes",
			hints: sessionHints, detect: isEventStream,
			scan: scanEventStream, read: readEventStream,
		},
		{
			name: FormatCassette, about: "what `arena run --record` writes",
			hints: cassetteHints, detect: isCassette, scan: scanDocuments, read: readCassette,
		},
	}
}

// exportFormats are the logs and exports of other programs: traces, platforms, evaluators, model APIs.
func exportFormats() []format {
	return []format{
		{
			name: FormatTraces, about: "OTLP as JSON, with the conventions of OpenTelemetry (`gen_ai.*`) or of OpenInference",
			detect: isTraces, scan: scanTraces, read: readTraces,
		},
		{
			name: FormatSpans, about: "spans of either convention with plain attributes, as Phoenix and kensa write them",
			detect: isSpans, scan: scanSpans, read: readSpans,
		},
		{
			name: FormatShareGPT, about: "conversations for training: `from` and `value`",
			hints: transcriptHints, detect: isShareGPT, scan: scanShareGPT, read: readShareGPT, apart: true,
		},
		{
			name: FormatLangfuse, about: "an export of Langfuse: traces with their observations, or observations",
			detect: isLangfuse, scan: scanLangfuse, read: readLangfuse,
		},
		{
			name: FormatLangSmith, about: "an export of LangSmith: the runs of traces, also one in the other",
			detect: isLangSmith, scan: scanLangSmith, read: readLangSmith,
		},
		{
			name: FormatPromptfoo, about: "what `promptfoo eval -o` writes, as JSON or JSON lines",
			detect: isPromptfoo, scan: scanPromptfoo, read: readPromptfoo, apart: true,
		},
		{
			name: FormatBatch, about: "the output of a batch of OpenAI or Anthropic, also after its input",
			detect: isBatch, scan: scanBatch, read: readBatch,
		},
		{
			name: FormatOpenAI, about: "objects of OpenAI's API of responses, and stored chat completions",
			detect: isOpenAILog, scan: scanOpenAILog, read: readOpenAILog,
		},
		{
			name: FormatLiteLLM, about: "what LiteLLM logs of calls, and the spend logs of its proxy",
			detect: isLiteLLM, scan: scanLiteLLM, read: readLiteLLM,
		},
		{
			name: FormatInspect, about: "a log of inspect_ai with its samples, as `.eval` or as JSON",
			detect: isInspect, scan: scanInspect, read: readInspect, apart: true,
		},
	}
}

// messageFormats are plain lists of messages, which say least about their source.
func messageFormats() []format {
	return []format{
		{
			name: FormatChatLog, about: "messages as OpenAI, Anthropic and others have them, or requests with their responses",
			hints: transcriptHints, detect: isChatLog, scan: scanChatLog, read: readChatLog, apart: true,
		},
		{
			name: FormatTranscript, about: "one conversation as YAML or JSON: `metadata` and `messages`",
			hints: transcriptHints, detect: isTranscript,
			scan: scanTranscript, read: readTranscript, free: true,
		},
	}
}

var (
	sessionHints    = []string{"session", "recording", "session_recording"}
	arenaHints      = []string{"arena", "arena_output", "scenario_output"}
	cassetteHints   = []string{"cassette", "arena_cassette"}
	transcriptHints = []string{"transcript", "yaml"}
)

const genericHint = "generic"

// Types returns the values of Options.Type.
func Types() []string {
	return slices.Concat(sessionHints, arenaHints, cassetteHints, transcriptHints, []string{genericHint})
}

// contradicts reports whether the user named another format.
func (f *format) contradicts(hint string) bool {
	return hint != "" && hint != genericHint && !slices.Contains(f.hints, hint)
}

// checkHint refuses an unknown format name.
func checkHint(hint string, problems *diag.List, file string) {
	if hint == "" || slices.Contains(Types(), hint) {
		return
	}
	problems.Errorf(diag.Pos{File: file}, 1, "unknown-type", "unknown type of recording %q", hint).
		Hint = orKnown(diag.DidYouMean(hint, Types()), Types())
}

func orKnown(hint string, known []string) string {
	if hint != "" {
		return hint
	}
	return "known types: " + strings.Join(known, ", ")
}

// unknown reports a file of an unknown format.
func (s *scan) unknown(h *head) {
	start := diag.Pos{File: s.file, Line: 1, Col: 1}
	if c := h.named(); c != nil {
		s.errorf(start, "unread-recording", "this file holds %s, which arena does not read", c.name).Hint = c.advice
		return
	}
	msg := "this is not a recording that arena can read"
	switch {
	case h.kind == '{' && len(h.keys) == 0:
		msg += ": an empty object"
	case h.kind == '{':
		msg += fmt.Sprintf(": an object with the keys %s", h.keysText())
	case h.kind == '[':
		msg += ": a list"
	}
	var names []string
	for _, f := range formats() {
		if !slices.Contains(names, string(f.name)) {
			names = append(names, string(f.name))
		}
	}
	s.errorf(start, "unknown-recording", "%s", msg).
		Hint = "arena reads: " + strings.Join(names, ", ")
}
