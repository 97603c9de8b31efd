package result

import (
	"fmt"
	"maps"
	"slices"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/plural"
)

// toolUse counts the calls of one tool over all trials.
type toolUse struct {
	worked bool
	broken int
	index  int    // plan index of the trial with the first failure
	trial  string // id of that trial
	reason string // reason of that failure
}

// toolUses are the tools of a run, by name.
type toolUses map[string]*toolUse

func (u toolUses) add(t *Trial) {
	for i := range t.Turns {
		for _, call := range t.Turns[i].ToolCalls {
			if call.Error != "" && !call.Broken {
				continue
			}
			tool := u[call.Name]
			if tool == nil {
				tool = &toolUse{}
				u[call.Name] = tool
			}
			if !call.Broken {
				tool.worked = true
				continue
			}
			if tool.broken++; tool.reason == "" || t.Index < tool.index {
				tool.index, tool.trial, tool.reason = t.Index, t.ID, call.Error
			}
		}
	}
}

// neverWorked warns of tools that failed in every call: without their results, an agent behaves differently.
func (u toolUses) neverWorked() (list []diag.Diagnostic) {
	const most = 200
	for _, name := range slices.Sorted(maps.Keys(u)) {
		tool := u[name]
		if tool.worked {
			continue
		}
		times := "its only call"
		if tool.broken > 1 {
			times = "each of its " + plural.Count(tool.broken, "call")
		}
		list = append(list, diag.Diagnostic{
			Severity: diag.Warning, Code: "tool-never-worked",
			Msg:  fmt.Sprintf("the tool %s failed in %s (%s): %s", name, times, tool.trial, ellipsis.Runes(tool.reason, most)),
			Hint: "no agent saw what it answers; see whether its server or program works",
		})
	}
	return list
}
