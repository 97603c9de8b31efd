package names

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools/memory"
)

// mocksCall reports whether mock replies of a setup call a tool.
func (n *Checker) mocksCall(setups []*setup, name string) bool {
	return n.anyMockCall(setups, func(called string) bool { return called == name })
}

func (n *Checker) anyMockCall(setups []*setup, fits func(string) bool) bool {
	return slices.ContainsFunc(setups, func(s *setup) bool { return s.mock }) &&
		slices.ContainsFunc(n.calledByMocks(), fits)
}

// calledByMocks returns the tools that mock replies call and that have an answer: from the project, in the reply, or
// from servers and features.
func (n *Checker) calledByMocks() []string {
	if n.mockTools != nil {
		return *n.mockTools
	}
	seen := map[string]bool{}
	var names []string
	collect := func(r *scenario.MockReply) {
		for i := range r.ToolCalls {
			name := r.ToolCalls[i].Name
			if _, came := r.Results[i]; !seen[name] && (came || n.mayExist(name)) {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	n.eachMockReply(collect)
	n.mockTools = &names
	return names
}

func (n *Checker) eachMockReply(visit func(*scenario.MockReply)) {
	files := []*scenario.MockFile{n.Project.Mock}
	for _, q := range n.Project.Providers {
		if !slices.Contains(files, q.Mock) {
			files = append(files, q.Mock)
		}
	}
	for _, file := range files {
		if file == nil {
			continue
		}
		for _, s := range file.Scenarios {
			for i := range s.Turns {
				for one := range s.Turns[i].Reply().Each() {
					visit(one)
				}
			}
		}
	}
	for _, s := range n.Project.Scenarios {
		for i := range s.Turns {
			inline := s.Turns[i].Inline()
			for j := range inline {
				for one := range inline[j].Each() {
					visit(one)
				}
			}
		}
	}
}

// checkMockCalls reports tools that mock replies for a scenario call and that have no answer.
func (n *Checker) checkMockCalls(s *scenario.Scenario, agents []*scenario.Provider) {
	if n.Recorded || s.Recorded != nil {
		return
	}
	for i := range s.Turns {
		if mock := s.Turns[i].More().Mock; mock != nil {
			for _, use := range mock.Calls {
				n.reportUnansweredCall(use)
			}
			for j := range mock.Replies {
				n.checkMockArguments(&mock.Replies[j])
			}
		}
	}
	if n.Project.Mock != nil { // it replaces those of the providers
		n.checkMockFile(s, n.Project.Mock)
		return
	}
	for _, q := range agents {
		if q.Mock != nil {
			n.checkMockFile(s, q.Mock)
		}
	}
}

// checkMockFile checks the calls of a mock file. The file may hold replies for other projects.
func (n *Checker) checkMockFile(s *scenario.Scenario, file *scenario.MockFile) {
	for _, use := range file.Calls {
		if !n.mayExist(use.Name) && (callsTool(file.Scenarios[s.ID], use.Name) ||
			s.Alias != "" && callsTool(file.Scenarios[s.Alias], use.Name)) {
			n.reportUnansweredCall(use)
		}
	}
	for _, m := range []*scenario.MockScenario{file.Scenarios[s.ID], file.Scenarios[s.Alias]} {
		if m == nil {
			continue
		}
		for i := range m.Turns {
			if reply := m.Turns[i].Rich(); reply != nil { // a text calls nothing
				n.checkMockArguments(reply)
			}
		}
	}
}

// checkMockArguments warns of results without effect, and of calls that do not fit the schema of their tool, so that it
// is not run. Arguments that are not an object are intended.
func (n *Checker) checkMockArguments(reply *scenario.MockReply) {
	for r := range reply.Each() {
		n.checkSaidArguments(r)
	}
}

func (n *Checker) checkSaidArguments(r *scenario.MockReply) {
	for i := range r.ToolCalls {
		call := &r.ToolCalls[i]
		_, came := r.Results[i]
		if came && i < len(r.Places) && !n.reported[r.Places[i]] && n.answersItself(call.Name) {
			n.note(r.Places[i])
			n.Diags.Warnf(r.Places[i], 1, scenario.NoEffect,
				"mock: tool_calls: arena itself answers %s: the result or error that is written here has no effect", call.Name).
				Hint = "take it out"
		}
		if came || call.Args == nil || i >= len(r.Places) || !n.Tools.Has(call.Name) {
			continue
		}
		if n.reported[r.Places[i]] {
			continue
		}
		err := n.Tools.Takes(call.Name, call.Args)
		if err == nil {
			n.checkMockNames(call, r.Places[i])
			continue
		}
		n.note(r.Places[i])
		n.Diags.Warnf(r.Places[i], 1, "bad-arguments", "mock: tool_calls: %s does not take these arguments: %v", call.Name,
			err).Hint = "the call is answered with an error; if that is meant, write it: error: …"
	}
}

// checkMockNames warns of an argument that the tool does not list and that is spelt nearly as one that it does.
func (n *Checker) checkMockNames(call *chat.ToolCall, at diag.Pos) {
	known, listed := n.Tools.Arguments(call.Name)
	for _, name := range slices.Sorted(maps.Keys(call.Args)) {
		near := diag.Nearest(name, known)
		if _, given := call.Args[near]; !listed || slices.Contains(known, name) || near == "" || given {
			continue
		}
		n.note(at)
		n.Diags.Warnf(at, 1, "unknown-argument", "mock: tool_calls: the tool %s has no argument %q", call.Name, name).Hint =
			"did you mean " + strconv.Quote(near) + "?"
		return
	}
}

// answersItself reports whether a tool is one of the workflow or of the skills, which no canned result replaces.
func (n *Checker) answersItself(tool string) bool {
	return !strings.HasPrefix(tool, memory.Prefix) && slices.Contains(n.Project.OwnTools(), tool)
}

// callsTool reports whether replies call a tool without giving its result.
func callsTool(m *scenario.MockScenario, name string) bool {
	if m == nil {
		return false
	}
	for i := range m.Turns {
		for r := range m.Turns[i].Reply().Each() {
			for j := range r.ToolCalls {
				if _, came := r.Results[j]; !came && r.ToolCalls[j].Name == name {
					return true
				}
			}
		}
	}
	return false
}

// mayExist reports whether the project has a tool, or may have it from servers, agents, skills or workflows.
func (n *Checker) mayExist(tool string) bool {
	_, there := slices.BinarySearch(n.knownTools(), tool)
	return there || n.mayBeListed(tool)
}

// reportUnansweredCall reports, once, a call that can only fail.
func (n *Checker) reportUnansweredCall(use scenario.MockCallUse) {
	if n.reported[use.Pos] || n.mayExist(use.Name) {
		return
	}
	n.note(use.Pos)
	d := n.problem(use.Pos, use.Name, "unknown-name", "mock: tool_calls: there is no tool %q", use.Name)
	d.Hint = "give the call a result, or the project this tool"
	if known := n.knownTools(); len(known) > 0 {
		d.Hint = diag.HintKnown(use.Name, known) + "; or give the call a result"
	}
}

// note notes a place that is reported.
func (n *Checker) note(at diag.Pos) {
	if n.reported == nil {
		n.reported = map[diag.Pos]bool{}
	}
	n.reported[at] = true
}
