package runner

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
)

// measuring are checks of measurements that recordings may lack, each with a limit that always holds.
var measuring = map[string]string{
	"cost_budget":         "{max_cost_usd: 1000000}",
	"finish_reason":       "{reasons: [stop, length, tool_calls, content_filter]}",
	"guardrail_triggered": "{should_trigger: false}",
	"latency_budget":      "{max_ms: 1000000000}",
	"max_cost":            "{max_usd: 1000000}",
	"max_duration":        "{max_seconds: 1000000}",
	"no_tool_errors":      "{}",
	"trajectory":          "{steps: [{tool: nobody}], max_tokens: 1000000}",
}

// A check of a measurement that a recording lacks is an error, and never passes. The table lists by format the checks
// that its examples cannot answer; it has every format and every such check.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	for _, d := range checks.Builtin() {
		if _, listed := measuring[d.Name]; d.Needs&checks.NeedsUsage != 0 && !listed {
			t.Errorf("%s is not in the table", d.Name)
		}
	}
	files, err := filepath.Glob("../recording/testdata/good/*")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, file := range files {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		f, err := recording.Open(file, recording.Options{})
		if err != nil {
			t.Fatal(err)
		}
		name := string(f.Format()) + ": " + filepath.Base(file)
		s, err := f.Load(0)
		if err != nil {
			t.Fatal(err)
		}
		s.Error = "" // an incomplete conversation is not judged
		got[name] = strings.Join(unmeasured(t, s), " ")
	}
	want := map[string]string{
		"arena output: run.json":              "cost_budget finish_reason latency_budget max_cost trajectory",
		"arena turns: turns.arena.json":       "turn 1: the recording has no reply here",
		"cassette: failed.cassette.json":      "turn 2: the recording has no reply here",
		"cassette: shop.cassette.json":        "cost_budget guardrail_triggered max_cost",
		"cassette: unended.cassette.json":     "turn 1: the recording has no reply here",
		"chat log: blocks.jsonl":              "turn 1: the recording has no reply here",
		"chat log: chat.jsonl":                "cost_budget finish_reason guardrail_triggered latency_budget max_cost max_duration trajectory",
		"chat log: chats.json":                "cost_budget finish_reason guardrail_triggered latency_budget max_cost max_duration trajectory",
		"chat log: messages.json":             "cost_budget finish_reason guardrail_triggered latency_budget max_cost max_duration trajectory",
		"chat log: requests.jsonl":            "cost_budget guardrail_triggered latency_budget max_cost max_duration",
		"event log: calls.jsonl":              "finish_reason guardrail_triggered",
		"event log: event-log.jsonl":          "cost_budget finish_reason guardrail_triggered max_cost trajectory",
		"event stream: stream.jsonl":          "cost_budget max_cost",
		"session: session-lines.jsonl":        "cost_budget finish_reason guardrail_triggered latency_budget max_cost trajectory",
		"session: session.json":               "cost_budget finish_reason guardrail_triggered latency_budget max_cost trajectory",
		"session: simple.recording.json":      "cost_budget finish_reason guardrail_triggered latency_budget max_cost trajectory",
		"LangSmith: langsmith.json":           "guardrail_triggered",
		"Langfuse: langfuse.json":             "finish_reason guardrail_triggered",
		"promptfoo: promptfoo.json":           "guardrail_triggered",
		"promptfoo: promptfoo.jsonl":          "guardrail_triggered",
		"LiteLLM log: litellm.jsonl":          "cost_budget guardrail_triggered max_cost (no_tool_errors)",
		"OpenAI log: responses.jsonl":         "cost_budget finish_reason guardrail_triggered latency_budget max_cost max_duration (no_tool_errors)",
		"OpenAI log: stored-completions.json": "cost_budget guardrail_triggered latency_budget max_cost max_duration",
		"batch: batch-results.jsonl":          "cost_budget guardrail_triggered latency_budget max_cost max_duration",
		"batch: batch.jsonl":                  "cost_budget guardrail_triggered latency_budget max_cost max_duration",
		"chat log: anthropic.json":            "cost_budget guardrail_triggered latency_budget max_cost max_duration trajectory",
		"chat log: reply.anthropic.json":      "cost_budget guardrail_triggered latency_budget max_cost max_duration",
		"ShareGPT: sharegpt.json":             "cost_budget finish_reason guardrail_triggered latency_budget max_cost max_duration (no_tool_errors) trajectory",
		"inspect_ai: inspect.json":            "cost_budget guardrail_triggered max_cost",
		"spans: spans.jsonl":                  "finish_reason guardrail_triggered",
		"spans: stored-spans.jsonl":           "finish_reason guardrail_triggered",
		"traces: openinference.json":          "guardrail_triggered",
		"traces: traces.json":                 "cost_budget guardrail_triggered max_cost",
		"traces: traces.jsonl":                "cost_budget finish_reason guardrail_triggered max_cost trajectory",
		"transcript: call.transcript.yaml":    "cost_budget finish_reason guardrail_triggered latency_budget max_cost (no_tool_errors) trajectory",
		"transcript: transcript.json":         "cost_budget finish_reason guardrail_triggered latency_budget max_cost max_duration trajectory",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// unmeasured returns the checks that could not judge because the conversation lacks the measurement.
func unmeasured(t *testing.T, s *recording.Session) (names []string) {
	t.Helper()
	eval := "recording: {path: any.json}\nconversation_assertions:\n"
	for _, name := range slices.Sorted(maps.Keys(measuring)) {
		eval += "  - {type: " + name + ", params: " + measuring[name] + "}\n"
	}
	trial := trialOf(t.Context(), overRecording(t, eval, s), options(1))
	if trial.Error != "" {
		return []string{trial.Error}
	}
	for i := range trial.Conversation {
		v := &trial.Conversation[i]
		switch {
		case v.Status == result.Errored:
			names = append(names, v.Type)
		case v.Type == "no_tool_errors" && slices.Contains(s.MissingInfo, recording.InfoToolErrors):
			names = append(names, "("+v.Type+")") // with a warning
		}
	}
	return names
}
