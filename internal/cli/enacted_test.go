package cli_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/jsonvalue"
)

// enacted is a conversation that a check is to judge, as vectors and the examples of checks tell of it. It is made into
// a project whose agent has just this conversation.
type enacted struct {
	Type   string
	Scope  string
	Params map[string]any
	Told   toldTalk

	turns  []enactedTurn
	config map[string]any // spec of the arena
	steps  map[string]any // what the mock says in steps
	tools  map[string]bool
	states map[string]*enactedState
	ends   string // state that is terminal; ""
}

// toldTalk is what is told of the conversation.
type toldTalk struct {
	Output   *string
	Messages []struct {
		Role, Content string
		ToolCalls     []any  `json:"tool_calls"`
		State         string `json:"workflow_state"`
	}
	Metadata struct {
		State       string           `json:"workflow_current_state"`
		Complete    *bool            `json:"workflow_complete"`
		Transitions []toldTransition `json:"workflow_transitions"`
		Outputs     jsonvalue.Object `json:"composition_step_outputs"`
		Branches    jsonvalue.Object `json:"composition_branch_taken"`
		Parallels   jsonvalue.Object `json:"composition_parallel_status"`
	}
	Calls []toldCall `json:"tool_calls"`
}

type toldTransition struct {
	From, To, Event string
	Turn            int `json:"turn_index"`
}

type toldCall struct {
	Name, Error string
	Args        map[string]any
	Turn        int `json:"turn_index"`
}

// enactedTurn is a turn of the scenario: what the agent does in its rounds.
type enactedTurn struct{ rounds []any }

type enactedState struct {
	Task        string            `json:"prompt_task,omitempty"`
	Events      map[string]string `json:"on_event,omitempty"`
	Terminal    bool              `json:"terminal,omitempty"`
	Skills      string            `json:"skills,omitempty"`
	Mode        string            `json:"orchestration,omitempty"`
	Composition string            `json:"composition,omitempty"`
}

// outside is a state that everybody may leave for. Nobody speaks in it within the turn.
const outside = "outside"

// files makes the project. The error says why no conversation of a project can be the one that is told.
func (v *enacted) files() (map[string]any, error) {
	v.config, v.tools, v.states, v.steps = map[string]any{}, map[string]bool{}, map[string]*enactedState{}, map[string]any{}
	build := v.walk
	switch {
	case v.Type == "spoke_in_state" || v.Type == "workflow_spoke_in_state":
		build = v.speak
	case strings.HasPrefix(v.Type, "skill_"):
		build = v.activate
	case strings.HasPrefix(v.Type, "composition_"):
		build = v.compose
	}
	for _, m := range v.Told.Messages {
		if m.ToolCalls != nil || m.Role == "tool" {
			return nil, errors.New("its calls stand in messages")
		}
	}
	if err := build(); err != nil {
		return nil, err
	}
	return v.write(), nil
}

func (v *enacted) state(name string) *enactedState {
	if v.states[name] == nil {
		v.states[name] = &enactedState{Task: "help", Events: map[string]string{}}
	}
	return v.states[name]
}

// names are the values of a parameter, which is a text or a list of texts.
func (v *enacted) names(param string) (names []string) {
	switch value := v.Params[param].(type) {
	case string:
		return []string{value}
	case []any:
		for _, item := range value {
			if name, ok := item.(string); ok {
				names = append(names, name)
			}
		}
	}
	return names
}

// at returns a turn, with all before it.
func (v *enacted) at(turn int) *enactedTurn {
	for len(v.turns) <= turn {
		v.turns = append(v.turns, enactedTurn{})
	}
	return &v.turns[turn]
}

func calling(content, tool string, args map[string]any) map[string]any {
	return map[string]any{"content": content, "tool_calls": []any{map[string]any{"name": tool, "arguments": args}}}
}

func moving(content, event string) map[string]any {
	return calling(content, "workflow__transition", map[string]any{"event": event, "context": "told"})
}

// walk makes a workflow of the transitions, and the calls between them.
func (v *enacted) walk() error {
	m := &v.Told.Metadata
	if m.State == "" && m.Complete == nil && m.Transitions == nil {
		return nil // there is no workflow, and the check is refused
	}
	start, at := m.State, ""
	for _, c := range v.Told.Calls { // a transition that is told as a call
		if c.Name == "workflow__transition" && c.Error == "" && len(m.Transitions) == 0 && m.State != "" {
			m.Transitions = []toldTransition{{From: "before", To: m.State, Turn: c.Turn}}
		}
	}
	for i, t := range m.Transitions {
		if i == 0 {
			start = t.From
		} else if t.From != at {
			return errors.New("its transitions do not follow each other")
		}
		event := fmt.Sprintf("Step%d", i)
		v.state(t.From).Events[event], at = t.To, t.To
		v.state(t.To)
		v.at(t.Turn).rounds = append(v.at(t.Turn).rounds, moving("", event))
	}
	start = cmp.Or(start, "done")
	if at = cmp.Or(at, start); m.State != "" && m.State != at {
		return errors.New("its state is not the one that its transitions lead to")
	}
	v.state(start)
	for _, name := range append(v.names("state"), v.names("sequence")...) {
		v.state(name)
	}
	if m.Complete != nil && *m.Complete {
		if v.ends = at; len(v.states[at].Events) > 0 {
			return errors.New("it goes on from the state that is its end")
		}
	}
	for _, r := range v.rules() {
		v.state(r)
	}
	v.calls()
	v.workflow(start)
	return nil
}

// rules are the states of the rules of the check, whose tools become some of the project.
func (v *enacted) rules() (states []string) {
	list, _ := v.Params["rules"].([]any)
	for _, item := range list {
		rule, _ := item.(map[string]any)
		if name, ok := rule["state"].(string); ok {
			states = append(states, name)
		}
		allowed, _ := rule["allowed"].([]any)
		if one, ok := rule["allowed"].(string); ok {
			allowed = []any{one}
		}
		for _, tool := range allowed {
			v.tools[fmt.Sprint(tool)] = true
		}
	}
	return states
}

// calls has the agent call what it called, after the transitions of the turn.
func (v *enacted) calls() {
	for _, c := range v.Told.Calls {
		if c.Name == "workflow__transition" {
			continue
		}
		if !strings.Contains(c.Name, "__") {
			v.tools[c.Name] = true
		}
		args := map[string]any{}
		maps.Copy(args, c.Args)
		v.at(c.Turn).rounds = append(v.at(c.Turn).rounds, calling("", c.Name, args))
	}
}

// workflow gives the project its states, all of which can be left but the one that is the end.
func (v *enacted) workflow(start string) {
	for name, state := range v.states {
		if name == v.ends {
			state.Terminal, state.Events = true, nil
		} else {
			state.Events["Leave"] = outside
		}
	}
	v.states[outside] = &enactedState{Task: "help", Mode: "external", Terminal: true}
	v.config["workflow"] = map[string]any{"version": 1, "entry": start, "states": v.states}
}

// speak has the agent say each message in the state that it was said in.
func (v *enacted) speak() error {
	start, at := "", ""
	for i, m := range v.Told.Messages {
		switch m.Role {
		case "user":
			if at == outside {
				return errors.New("it goes on after a reply without words")
			}
			v.turns = append(v.turns, enactedTurn{})
			if i == len(v.Told.Messages)-1 && m.State != "" {
				start = cmp.Or(start, m.State)
				v.state(m.State)
				v.at(len(v.turns) - 1).rounds = []any{moving("", "Leave")}
			}
			continue
		case "assistant":
		default:
			return fmt.Errorf("it has a message of role %s", m.Role)
		}
		if m.State == "" {
			return nil // there is no workflow, and the check is refused
		}
		turn := &v.turns[len(v.turns)-1]
		start = cmp.Or(start, m.State)
		v.state(m.State)
		if at != "" && at != m.State {
			v.state(at).Events["To "+m.State] = m.State
			turn.rounds = append(turn.rounds, moving("", "To "+m.State))
		}
		if at = m.State; strings.TrimSpace(m.Content) == "" {
			turn.rounds, at = append(turn.rounds, moving(m.Content, "Leave")), outside
		} else {
			turn.rounds = append(turn.rounds, m.Content)
		}
	}
	for _, name := range v.names("state") {
		v.state(name)
	}
	if start != "" {
		v.workflow(start)
	}
	return nil
}

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// activate makes skills of the names that were activated. Those that were denied are kept away by a filter.
func (v *enacted) activate() error {
	all, denied, given := map[string]bool{}, false, false
	for _, c := range v.Told.Calls {
		name, named := c.Args["name"].(string)
		if c.Name != "skill__activate" || !named {
			continue
		}
		if !skillName.MatchString(name) {
			return fmt.Errorf("no skill can be called %q", name)
		}
		all[name] = true
		denied, given = denied || c.Error != "", given || c.Error == ""
	}
	if denied && given {
		return errors.New("one activation was denied, and another was not")
	}
	for _, param := range []string{"skill_names", "sequence"} {
		for _, name := range v.names(param) {
			if skillName.MatchString(name) {
				all[name] = true
			}
		}
	}
	var skills []any
	for _, name := range slices.Sorted(maps.Keys(all)) {
		skills = append(skills, map[string]any{"name": name, "description": name, "instructions": "Do it."})
	}
	if v.calls(); skills != nil {
		v.config["skills"] = skills
	}
	if denied {
		v.state("only").Skills = "none"
		v.workflow("only")
	}
	return nil
}

// compose makes a composition that goes the way that is told. Steps of which nothing is told stand in another one,
// which is not run.
func (v *enacted) compose() error {
	m := &v.Told.Metadata
	var steps []any
	said := map[string]bool{}
	say := func(id string, text any) {
		if !said[id] {
			said[id], v.steps[id] = true, text
			steps = append(steps, prompting(id))
		}
	}
	one := func(told jsonvalue.Object, param string) jsonvalue.Object { // what is told of the step that is looked at
		name, _ := v.Params[param].(string)
		if value, ok := told[name]; ok {
			return jsonvalue.Object{name: value}
		}
		return nil
	}
	for id, target := range one(m.Branches, "branch") {
		to := fmt.Sprint(target)
		other, _ := v.Params["expected"].(string)
		if other == "" || other == to {
			other = "other"
		}
		steps = append(steps, map[string]any{
			"id": id, "kind": "branch", "predicate": map[string]any{"path": "${input}", "exists": true}, "then": to, "else": other,
		})
		say(to, "said")
		say(other, "said")
	}
	for id, status := range one(m.Parallels, "parallel") {
		v.steps["one"], v.steps["two"] = "said", "said"
		if status != "complete" {
			v.steps["two"] = map[string]any{"error": "asleep"}
		}
		steps = append(steps, map[string]any{
			"id": id, "kind": "parallel", "branches": []any{prompting("one"), prompting("two")},
			"reduce": map[string]any{"strategy": "append", "into": "both"},
		})
	}
	for _, id := range slices.Sorted(maps.Keys(m.Outputs)) {
		say(id, jsonvalue.Text(m.Outputs[id]))
	}
	if v.Type == "composition_output" && v.Told.Output != nil {
		say("answer", *v.Told.Output)
	}
	if steps == nil {
		say("answer", "said")
	}
	v.at(0)
	v.states["desk"] = &enactedState{Mode: "composition", Composition: "told", Events: map[string]string{}}
	v.workflow("desk")
	v.config["compositions"] = map[string]any{"told": map[string]any{"version": 1, "steps": steps}}
	v.unseen(steps)
	return nil
}

func prompting(id string) map[string]any {
	return map[string]any{"id": id, "kind": "prompt", "prompt_task": "help"}
}

// unseen adds a composition that is never run, for the names that the other one does not have.
func (v *enacted) unseen(steps []any) {
	has := func(id string) bool {
		return slices.ContainsFunc(steps, func(s any) bool { return s.(map[string]any)["id"] == id })
	}
	var others []any
	for param, make := range map[string]func(id string) map[string]any{
		"step": prompting,
		"branch": func(id string) map[string]any {
			return map[string]any{
				"id": id, "kind": "branch", "predicate": map[string]any{"path": "${input}", "exists": true},
				"then": v.Params["expected"], "else": "rest",
			}
		},
		"parallel": func(id string) map[string]any {
			return map[string]any{
				"id": id, "kind": "parallel", "branches": []any{prompting("left"), prompting("right")},
				"reduce": map[string]any{"strategy": "append", "into": "both"},
			}
		},
	} {
		id, ok := v.Params[param].(string)
		if !ok || has(id) {
			continue
		}
		others = append(others, make(id))
		if to, ok := v.Params["expected"].(string); ok && param == "branch" {
			others = append(others, prompting(to), prompting("rest"))
		}
	}
	if others == nil {
		return
	}
	v.config["compositions"].(map[string]any)["unseen"] = map[string]any{"version": 1, "steps": others}
	v.states["desk"].Events["Elsewhere"] = "unseen"
	v.states["unseen"] = &enactedState{Mode: "composition", Composition: "unseen", Terminal: true}
}
