package runner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// naming looks for names in checks that nothing in the project bears. A check that forbids what nothing is called, and
// one that waits for it, never fails. Names that only a conversation can tell are left to be heard.
type naming struct {
	p       *scenario.Project
	tools   *tools.Registry
	lenient bool // for files of other tools: warnings
	diags   *diag.List
	heard   *hearing // nil: nobody listens
	over    bool     // the conversations are over, and may be with other tools than the project's

	canned *[]string         // see mocked
	listed []string          // see known
	told   map[diag.Pos]bool // see noAnswer
}

// world is what the agents of scenarios can name.
type world struct {
	worldKey
	offered []string
}

// worldKey is what tells one world from others.
type worldKey struct {
	prompt *scenario.Prompt
	open   bool // the agents may call what the project does not list
	past   bool // what they called is over
	mocked bool // one of them says what mock replies say
}

// ReportNames reports the names in checks of chosen scenarios that nothing in the project bears.
func ReportNames(p *scenario.Project, chosen []*scenario.Scenario, lenient bool, d *diag.List) {
	registry, err := tools.New(mockable(p.Tools))
	if err != nil {
		return // reported by ReportToolUses
	}
	all := func(*scenario.Scenario) []*scenario.Provider { return p.Providers }
	(&naming{p: p, tools: registry, lenient: lenient, diags: d}).report(chosen, all)
}

// report looks at every check of chosen scenarios. agents are who may answer in one; nil is a recording.
func (n *naming) report(chosen []*scenario.Scenario, agents func(*scenario.Scenario) []*scenario.Provider) {
	worlds := map[worldKey]*world{}
	var all []*world
	under := map[*scenario.Prompt][]*world{}
	for _, s := range chosen {
		prompts, err := mayBeUnder(n.p, s)
		if err != nil || s.Skip != "" {
			continue
		}
		var in []*world
		for _, prompt := range prompts {
			key := n.key(s, prompt, agents(s))
			w := worlds[key]
			if w == nil {
				w = &world{key, n.offered(prompt)}
				worlds[key] = w
				all, under[prompt] = append(all, w), append(under[prompt], w)
			}
			in = append(in, w)
		}
		n.mockCalls(s, agents(s))
		n.list(s.Conversation, in...)
		for i := range s.Turns {
			n.list(s.Turns[i].Assertions, in...)
		}
	}
	if len(all) == 0 {
		return
	}
	n.list(n.p.Globals, all...)
	n.underPrompts(chosen, under)
}

// key is the world of a scenario. Agents that are not known yet may be any.
func (n *naming) key(s *scenario.Scenario, prompt *scenario.Prompt, agents []*scenario.Provider) worldKey {
	none := len(agents) == 0
	k := worldKey{prompt: prompt, past: s.Recorded != nil || none && n.over, mocked: none}
	for _, q := range agents {
		k.open = k.open || q.Type == replayType
		k.mocked = k.mocked || q.Type == "mock"
	}
	return k
}

func (n *naming) offered(prompt *scenario.Prompt) []string {
	if prompt == nil {
		return nil
	}
	var names []string
	for _, t := range n.tools.Offered(prompt.AllowedTools) {
		names = append(names, t.Name)
	}
	return names
}

// underPrompts looks at the guardrails and evals of prompts, which may be shared.
func (n *naming) underPrompts(chosen []*scenario.Scenario, under map[*scenario.Prompt][]*world) {
	sets := evalSets(n.p, chosen)
	in := map[any][]*world{}
	var order []any
	for _, prompt := range append([]*scenario.Prompt{nil}, n.p.Prompts...) {
		if prompt != nil && under[prompt] != nil {
			for _, v := range prompt.Validators {
				if v.Enabled {
					n.one(v.Compiled, under[prompt])
				}
			}
		}
		for _, e := range sets[prompt] {
			if in[e.Compiled] == nil {
				order = append(order, e.Compiled)
			}
			in[e.Compiled] = append(in[e.Compiled], under[prompt]...)
		}
	}
	for _, c := range order {
		n.one(c, in[c])
	}
}

func (n *naming) list(list []scenario.Placed, worlds ...*world) {
	for _, placed := range list {
		n.one(placed.Compiled, worlds)
	}
}

// one looks at all that a check is compiled to.
func (n *naming) one(c any, worlds []*world) {
	eachCompiled(c, func(check *checks.Compiled) { n.check(check, worlds) })
}

// check looks at a check that stands in worlds, and at those within it.
func (n *naming) check(c *checks.Compiled, worlds []*world) {
	if n.about(c, worlds) {
		names := c.Names()
		for i := range names {
			n.use(c.Type, &names[i], worlds)
		}
	}
	for _, part := range c.Nested() {
		n.check(part, worlds)
	}
}

// about reports a check of a part that the project does not have, and returns whether it has it.
func (n *naming) about(c *checks.Compiled, worlds []*world) bool {
	feature := map[checks.Part]string{
		checks.WorkflowPart: scenario.FeatureWorkflows, checks.CompositionPart: scenario.FeatureCompositions,
		checks.SkillPart: scenario.FeatureSkills,
	}[c.Def.About]
	if feature == "" || open(worlds) || past(worlds) {
		return true
	}
	if _, there := n.p.Has(feature); there || c.Def.About == checks.SkillPart && n.mocks(worlds, checks.SkillTool) {
		return true
	}
	code := "no-" + string(c.Def.About)
	n.wrong(c.Pos, c.Type, code, "%s: this project has no %s to look at", c.Type, c.Def.About).Hint =
		"take the check out, or give the project one"
	return false
}

// wrong reports a name as what it is under these circumstances: an error, or a warning.
func (n *naming) wrong(pos diag.Pos, name, code, format string, args ...any) *diag.Diagnostic {
	report := n.diags.Errorf
	if n.lenient {
		report = n.diags.Warnf
	}
	return report(pos, width(name), code, format, args...)
}

func (n *naming) use(check string, use *checks.NameUse, worlds []*world) {
	switch use.Kind {
	case checks.ToolName, checks.AgentName, checks.ToolPattern:
		n.tool(check, use, worlds)
	case checks.ArgumentName:
		n.argument(check, use)
	case checks.SkillName:
		if _, there := n.p.Has(scenario.FeatureSkills); !there {
			n.listen(check, use)
		}
	case checks.StateName:
		n.among(check, use, scenario.FeatureWorkflows)
	case checks.StepName:
		n.among(check, use, scenario.FeatureCompositions)
	default: // looked up where it is used, or the name of nothing in a project
	}
}

// among holds a name against those that a feature of the project brings with it.
func (n *naming) among(check string, use *checks.NameUse, feature string) {
	names, there := n.p.Has(feature)
	if there && !slices.Contains(names, use.Name) {
		n.wrong(use.Pos, use.Name, "unknown-name", "%s: %s: there is no %s %q", check, use.Param, use.Kind, use.Name).Hint =
			hintKnown(use.Name, names)
	}
}

// argument holds the name of an argument against the schema of its tool.
func (n *naming) argument(check string, use *checks.NameUse) {
	args, listed := n.tools.Arguments(use.Of)
	if !listed || slices.Contains(args, use.Name) {
		return
	}
	n.wrong(use.Pos, use.Name, "unknown-argument", "%s: %s: the tool %s has no argument %q", check, use.Param, use.Of,
		use.Name).Hint = hintKnown(use.Name, args) + "; a schema with additionalProperties: true takes any"
}

// tool holds the name of a tool, or a pattern of such names, against what agents can call.
func (n *naming) tool(check string, use *checks.NameUse, worlds []*world) {
	fits := func(name string) bool { return name == use.Name }
	if use.Pattern != nil {
		fits = use.Pattern.MatchString
	}
	known := n.known()
	switch {
	case slices.ContainsFunc(worlds, func(w *world) bool { return slices.ContainsFunc(w.offered, fits) }):
	case n.calls(worlds, fits): // as the mock replies say
	case open(worlds) || n.served(use):
		if !slices.ContainsFunc(known, fits) {
			n.listen(check, use)
		}
	case past(worlds) && len(known) == 0: // no project says what there is
		n.listen(check, use)
	case slices.ContainsFunc(known, fits) && past(worlds):
	case slices.ContainsFunc(known, fits):
		n.idle(check, use)
	default:
		n.unknown(check, use, known)
	}
}

// idle warns of a tool that no prompt offers here: what cannot be called can neither be forbidden nor waited for.
func (n *naming) idle(check string, use *checks.NameUse) {
	what := fmt.Sprintf("the tool %s is", use.Name)
	if use.Pattern != nil {
		what = "the tools that it matches are"
	}
	n.diags.Warnf(use.Pos, width(use.Name), "not-offered", "%s: %s: %s not offered here, so no call of it can come", check,
		use.Param, what).Hint = "list it under allowed_tools of the prompt"
}

func (n *naming) unknown(check string, use *checks.NameUse, known []string) {
	text := fmt.Sprintf("there is no %s %q", use.Kind, use.Name)
	if use.Pattern != nil {
		text = fmt.Sprintf("no tool matches %q", use.Name)
	}
	d := n.wrong(use.Pos, use.Name, "unknown-name", "%s: %s: %s", check, use.Param, text)
	if d.Hint = "this project has no tools: list their files under tools in the arena file"; len(known) > 0 {
		d.Hint = hintKnown(use.Name, known)
	}
}

// known are the tools of the project, also those that cannot be run yet.
func (n *naming) known() []string {
	if n.listed != nil {
		return n.listed
	}
	names := []string{}
	for _, t := range n.p.Tools {
		names = append(names, t.ID)
	}
	for i := range n.p.Later {
		if f := &n.p.Later[i]; f.Tool != "" && !strings.Contains(f.Tool, "*") {
			names = append(names, f.Tool)
		}
	}
	slices.Sort(names)
	n.listed = slices.Compact(names)
	return n.listed
}

// served reports whether a name may be that of a tool or an agent which a server or a feature of arena brings with it.
func (n *naming) served(use *checks.NameUse) bool {
	return (use.Kind != checks.ToolName || strings.Contains(use.Name, "__")) && n.more()
}

// more reports whether there may be tools that the project does not list.
func (n *naming) more() bool {
	has := func(feature string) bool {
		_, there := n.p.Has(feature)
		return there
	}
	return has(scenario.FeatureServers) || has(scenario.FeatureAgents) || has(scenario.FeatureSkills) ||
		n.p.HasWorkflow() || has("memory")
}

// listen leaves a name to be heard in the conversations, or says now that nobody will hear of it.
func (n *naming) listen(check string, use *checks.NameUse) {
	switch {
	case n.heard != nil:
		n.heard.expect(check, use)
	case n.over && len(n.known()) > 0:
		n.diags.Warnf(use.Pos, width(use.Name), "unknown-name", "%s: %s: there is no %s %q in this project",
			check, use.Param, use.Kind, use.Name).Hint = hintKnown(use.Name, n.known())
	}
}

func past(worlds []*world) bool {
	return slices.ContainsFunc(worlds, func(w *world) bool { return w.past })
}

func open(worlds []*world) bool {
	return slices.ContainsFunc(worlds, func(w *world) bool { return w.open })
}

// mocks reports whether the mock replies of some world call a tool.
func (n *naming) mocks(worlds []*world, name string) bool {
	return n.calls(worlds, func(called string) bool { return called == name })
}

func (n *naming) calls(worlds []*world, fits func(string) bool) bool {
	return slices.ContainsFunc(worlds, func(w *world) bool { return w.mocked }) && slices.ContainsFunc(n.mocked(), fits)
}

// mocked are the names of tools that mock replies of the project call and that something answers: the project, a result
// in the reply, or what servers and features bring with them.
func (n *naming) mocked() []string {
	if n.canned != nil {
		return *n.canned
	}
	seen := map[string]bool{}
	var names []string
	hear := func(r *scenario.MockReply) {
		for i := range r.ToolCalls {
			name := r.ToolCalls[i].Name
			if _, came := r.Results[i]; !seen[name] && (came || n.answers(name)) {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	n.eachReply(hear)
	n.canned = &names
	return names
}

func (n *naming) eachReply(visit func(*scenario.MockReply)) {
	files := []*scenario.MockFile{n.p.Mock}
	for _, q := range n.p.Providers {
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
				visit(s.Turns[i].Reply())
			}
		}
	}
	for _, s := range n.p.Scenarios {
		for i := range s.Turns {
			inline := s.Turns[i].Inline()
			for j := range inline {
				visit(&inline[j])
			}
		}
	}
}

// mockCalls reports the tools that mock replies for a scenario call, and that nothing answers.
func (n *naming) mockCalls(s *scenario.Scenario, agents []*scenario.Provider) {
	if n.over || s.Recorded != nil {
		return
	}
	for i := range s.Turns {
		if mock := s.Turns[i].Mock; mock != nil {
			for _, use := range mock.Calls {
				n.noAnswer(use)
			}
		}
	}
	if n.p.Mock != nil { // in place of those of the providers
		n.mockFileCalls(s, n.p.Mock)
		return
	}
	for _, q := range agents {
		if q.Mock != nil {
			n.mockFileCalls(s, q.Mock)
		}
	}
}

// mockFileCalls reports those of a file, which may hold replies for other projects too.
func (n *naming) mockFileCalls(s *scenario.Scenario, file *scenario.MockFile) {
	for _, use := range file.Calls {
		if !n.answers(use.Name) && (callsTool(file.Scenarios[s.ID], use.Name) ||
			s.Alias != "" && callsTool(file.Scenarios[s.Alias], use.Name)) {
			n.noAnswer(use)
		}
	}
}

// callsTool reports whether replies call a tool and leave the result to it.
func callsTool(m *scenario.MockScenario, name string) bool {
	if m == nil {
		return false
	}
	for i := range m.Turns {
		r := m.Turns[i].Reply()
		for j := range r.ToolCalls {
			if _, came := r.Results[j]; !came && r.ToolCalls[j].Name == name {
				return true
			}
		}
	}
	return false
}

// answers reports whether the project has a tool, or may have it from servers, agents, skills and workflows.
func (n *naming) answers(tool string) bool {
	_, there := slices.BinarySearch(n.known(), tool)
	return there || strings.Contains(tool, "__") && n.more()
}

// noAnswer reports, once, a call that could only fail: the trial would go on without the result that it is about.
func (n *naming) noAnswer(use scenario.MockUse) {
	if n.told[use.Pos] || n.answers(use.Name) {
		return
	}
	if n.told == nil {
		n.told = map[diag.Pos]bool{}
	}
	n.told[use.Pos] = true
	d := n.wrong(use.Pos, use.Name, "unknown-name", "mock: tool_calls: there is no tool %q", use.Name)
	d.Hint = "give the call a result, or the project this tool"
	if known := n.known(); len(known) > 0 {
		d.Hint = hintKnown(use.Name, known) + "; or give the call a result"
	}
}
