package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/arena-evals/arena/internal/a2a"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// agentRule is an answer of a simulated agent.
type agentRule struct {
	contains string         // in lower case; "": anything
	regex    *regexp.Regexp // nil: anything
	answer   string
	err      error // the task fails; nil: it does not
}

// compileAgent returns the function that answers for a skill of a simulated agent, in the process of arena: the first
// rule that fits the query.
func compileAgent(spec *scenario.AgentSkill) (func(context.Context, map[string]any) (chat.ToolResult, error), error) {
	rules := make([]agentRule, len(spec.Rules))
	for i, r := range spec.Rules {
		rules[i] = agentRule{contains: strings.ToLower(r.Contains), answer: strings.Join(r.Texts, "\n")}
		if r.Error != "" {
			rules[i].err = fmt.Errorf("the task of the agent %s is failed: %s", spec.Agent, r.Error)
		}
		if r.Regex == "" {
			continue
		}
		var err error
		if rules[i].regex, err = regexp.Compile(r.Regex); err != nil {
			return nil, fmt.Errorf("responses: regex: %w", err)
		}
	}
	return func(_ context.Context, args map[string]any) (chat.ToolResult, error) {
		query, _ := args[a2a.Query].(string)
		lower := strings.ToLower(query)
		for i := range rules {
			r := &rules[i]
			if strings.Contains(lower, r.contains) && (r.regex == nil || r.regex.MatchString(query)) {
				return chat.ToolResult{Content: r.answer}, r.err
			}
		}
		return chat.ToolResult{}, errors.New("no matching rule among the responses of the agent " + spec.Agent)
	}, nil
}
