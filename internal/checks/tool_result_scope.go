package checks

import (
	"fmt"

	"github.com/arena-evals/arena/internal/plural"
)

// resultScope are the parameters that select the calls of a check of tool results.
type resultScope struct {
	ToolName string `param:"tool_name" alias:"tool" is:"tool" doc:"Look only at the results of this tool; of all when left out."`
}

func (r *resultScope) keeps(call *Call) bool { return r.ToolName == "" || call.Name == r.ToolName }

// each visits the calls in scope and counts them.
func (r *resultScope) each(s *Subject, visit func(i int, call *Call)) (n int) {
	for i := range s.Calls {
		if call := &s.Calls[i]; r.keeps(call) {
			n++
			visit(i, call)
		}
	}
	return n
}

// results describes the results in scope: 2 results of lookup.
func (r *resultScope) results(n int) string {
	text := plural.Count(n, "result")
	if r.ToolName != "" {
		text += " of " + r.ToolName
	}
	return text
}

// none is the finding for a check that needs a result when there is none.
func (r *resultScope) none(s *Subject, details Details) Finding {
	details["called_tools"] = callNames(s.Calls)
	if r.ToolName == "" {
		return Finding{Explanation: "no tool was called", Details: details}
	}
	return Finding{Explanation: r.ToolName + " was not called", Details: details}
}

// occurrences compares the number of matching results with the required number. what says what they match: "every
// pattern is in".
func occurrences(f *Finding, matched, wanted int, what, all string) {
	f.Explanation = fmt.Sprintf("%s %d of %s", what, matched, all)
	f.Details["match_count"], f.Details["occurrence"] = matched, wanted
	if matched >= wanted {
		f.Score = 1
	} else if wanted > 1 {
		f.Explanation += fmt.Sprintf(", at least %d needed", wanted)
	}
}

func (r *resultScope) looksAt(_ CallParts, tool string) bool { return r.keeps(&Call{Name: tool}) }
