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

// nameChecker reports names in checks that the project does not have. A check that forbids a call of a tool that does
// not exist never fails. Names that only conversations can show are left to the nameTracker.
type nameChecker struct {
	p        *scenario.Project
	tools    *tools.Registry
	lenient  bool // problems are warnings: the files are of another tool
	diags    *diag.List
	tracker  *nameTracker // nil: conversations are not observed
	recorded bool         // the conversations are recorded, and may use other tools than the project's

	mockTools *[]string         // see calledByMocks
	toolNames []string          // see knownTools
	reported  map[diag.Pos]bool // see reportUnansweredCall
}

// setup is a prompt with the kind of agents that run under it, and the tools it offers.
type setup struct {
	setupKey
	offered []string
}

// setupKey identifies a setup.
type setupKey struct {
	prompt   *scenario.Prompt
	anyTool  bool // agents may call tools that the project does not list
	recorded bool // the conversations are recorded
	mock     bool // one of the agents is a mock
}

// ReportNames reports names in checks of the chosen scenarios that the project does not have. With lenient they are
// warnings.
func ReportNames(p *scenario.Project, chosen []*scenario.Scenario, lenient bool, d *diag.List) {
	registry, err := compileTools(p, nil)
	if err != nil {
		return // ReportToolUses reports it
	}
	all := func(*scenario.Scenario) []*scenario.Provider { return p.Providers }
	(&nameChecker{p: p, tools: registry, lenient: lenient, diags: d}).report(chosen, all)
}

// report checks the names in all checks of the chosen scenarios. agents returns the providers that may answer in a
// scenario; none for recorded conversations.
func (n *nameChecker) report(chosen []*scenario.Scenario, agents func(*scenario.Scenario) []*scenario.Provider) {
	setups := map[setupKey]*setup{}
	var all []*setup
	under := map[*scenario.Prompt][]*setup{}
	for _, s := range chosen {
		prompts, err := possiblePrompts(n.p, s)
		if err != nil || s.Skip != "" {
			continue
		}
		var in []*setup
		for _, prompt := range prompts {
			key := n.setupKey(s, prompt, agents(s))
			w := setups[key]
			if w == nil {
				w = &setup{key, n.offered(prompt)}
				setups[key] = w
				all, under[prompt] = append(all, w), append(under[prompt], w)
			}
			in = append(in, w)
		}
		n.checkMockCalls(s, agents(s))
		n.checkConsents(s, in)
		n.checkList(s.Conversation, in...)
		for i := range s.Turns {
			n.checkList(s.Turns[i].Assertions, in...)
		}
	}
	if len(all) == 0 {
		return
	}
	n.checkList(n.p.Globals, all...)
	n.checkPrompts(chosen, under)
}

// setupKey returns the key of a scenario's setup. Without known agents a mock is possible.
func (n *nameChecker) setupKey(s *scenario.Scenario, prompt *scenario.Prompt, agents []*scenario.Provider) setupKey {
	none := len(agents) == 0
	k := setupKey{prompt: prompt, recorded: s.Recorded != nil || none && n.recorded, mock: none}
	for _, q := range agents {
		k.anyTool = k.anyTool || q.Type == replayType
		k.mock = k.mock || q.Type == "mock"
	}
	return k
}

func (n *nameChecker) offered(prompt *scenario.Prompt) []string {
	if prompt == nil {
		return nil
	}
	names := ownTools(n.p)
	for _, t := range n.tools.Offered(prompt.AllowedTools) {
		names = append(names, t.Name)
	}
	if n.p.Skills != nil { // an active skill may bring them
		for _, one := range n.p.Skills.All() {
			names = append(names, slices.DeleteFunc(slices.Clone(one.Tools), func(t string) bool { return !n.tools.Has(t) })...)
		}
	}
	return names
}

// checkPrompts checks the names in guardrails and evals, which prompts may share.
func (n *nameChecker) checkPrompts(chosen []*scenario.Scenario, under map[*scenario.Prompt][]*setup) {
	sets := evalSets(n.p, chosen)
	in := map[any][]*setup{}
	var order []any
	for _, prompt := range append([]*scenario.Prompt{nil}, n.p.Prompts...) {
		if prompt != nil && under[prompt] != nil {
			for _, v := range prompt.Validators {
				if v.Enabled {
					n.checkCompiled(v.Compiled, under[prompt])
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
		n.checkCompiled(c, in[c])
	}
}

func (n *nameChecker) checkList(list []scenario.Placed, setups ...*setup) {
	for _, placed := range list {
		n.checkCompiled(placed.Compiled, setups)
	}
}

// checkCompiled checks every compiled form of a check.
func (n *nameChecker) checkCompiled(c any, setups []*setup) {
	eachCompiled(c, func(check *checks.Compiled) { n.check(check, setups) })
}

// check checks the names in a check and in its nested checks.
func (n *nameChecker) check(c *checks.Compiled, setups []*setup) {
	if n.hasPart(c, setups) {
		names := c.Names()
		for i := range names {
			n.checkName(c.Type, &names[i], setups)
		}
	}
	for _, part := range c.Nested() {
		n.check(part, setups)
	}
}

// hasPart reports whether the project has the part that a check looks at, such as a workflow. If not, it reports an
// error.
func (n *nameChecker) hasPart(c *checks.Compiled, setups []*setup) bool {
	feature := map[checks.Part]string{
		checks.WorkflowPart: scenario.FeatureWorkflows, checks.CompositionPart: scenario.FeatureCompositions,
		checks.SkillPart: scenario.FeatureSkills,
	}[c.Def.About]
	if feature == "" || anyToolAllowed(setups) || anyRecorded(setups) {
		return true
	}
	if _, there := n.p.Has(feature); there || c.Def.About == checks.SkillPart && n.mocksCall(setups, checks.SkillTool) {
		return true
	}
	code := "no-" + string(c.Def.About)
	n.problem(c.Pos, c.Type, code, "%s: this project has no %s to look at", c.Type, c.Def.About).Hint =
		"take the check out, or give the project one"
	return false
}

// problem adds an error, or a warning with lenient.
func (n *nameChecker) problem(pos diag.Pos, name, code, format string, args ...any) *diag.Diagnostic {
	report := n.diags.Errorf
	if n.lenient {
		report = n.diags.Warnf
	}
	return report(pos, width(name), code, format, args...)
}

func (n *nameChecker) checkName(check string, use *checks.NameUse, setups []*setup) {
	switch use.Kind {
	case checks.ToolName, checks.AgentName, checks.ToolPattern:
		n.checkTool(check, use, setups)
	case checks.ArgumentName:
		n.checkArgument(check, use)
	case checks.SkillName:
		if _, there := n.p.Has(scenario.FeatureSkills); !there || n.hasInstalledSkills() {
			n.awaitOrWarn(check, use)
			return
		}
		n.checkFeatureName(check, use, scenario.FeatureSkills)
	case checks.StateName:
		n.checkFeatureName(check, use, scenario.FeatureWorkflows)
	case checks.StepName:
		n.checkFeatureName(check, use, scenario.FeatureCompositions)
	default: // looked up where it is used, or not a name in a project
	}
}

// checkFeatureName compares a name with those that a feature of the project defines.
func (n *nameChecker) checkFeatureName(check string, use *checks.NameUse, feature string) {
	names, there := n.p.Has(feature)
	if there && !slices.Contains(names, use.Name) {
		n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: there is no %s %q", check, use.Param, use.Kind, use.Name).Hint =
			hintKnown(use.Name, names)
	}
}

// checkArgument compares the name of an argument with the schema of its tool.
func (n *nameChecker) checkArgument(check string, use *checks.NameUse) {
	args, listed := n.tools.Arguments(use.Of)
	if !listed || slices.Contains(args, use.Name) {
		return
	}
	n.problem(use.Pos, use.Name, "unknown-argument", "%s: %s: the tool %s has no argument %q", check, use.Param, use.Of,
		use.Name).Hint = hintKnown(use.Name, args) + "; a schema with additionalProperties: true takes any"
}

// checkTool compares the name of a tool, or a pattern, with the tools that agents can call.
func (n *nameChecker) checkTool(check string, use *checks.NameUse, setups []*setup) {
	fits := func(name string) bool { return name == use.Name }
	if use.Pattern != nil {
		fits = use.Pattern.MatchString
	}
	known := n.knownTools()
	switch {
	case slices.ContainsFunc(setups, func(w *setup) bool { return slices.ContainsFunc(w.offered, fits) }):
	case n.anyMockCall(setups, fits): // mock replies call it
	case anyToolAllowed(setups) || n.mayBeServed(use):
		if !slices.ContainsFunc(known, fits) {
			n.awaitOrWarn(check, use)
		}
	case anyRecorded(setups) && len(known) == 0: // no project declares tools
		n.awaitOrWarn(check, use)
	case slices.ContainsFunc(known, fits) && anyRecorded(setups):
	case slices.ContainsFunc(known, fits):
		n.warnNotOffered(check, use)
	default:
		n.reportUnknownTool(check, use, known)
	}
}

// checkConsents reports consent_overrides for tools that no prompt of the scenario offers: nobody would be asked.
func (n *nameChecker) checkConsents(s *scenario.Scenario, setups []*setup) {
	if anyToolAllowed(setups) || anyRecorded(setups) {
		return
	}
	for i := range s.Turns {
		for _, c := range s.Turns[i].Consent {
			offered := slices.ContainsFunc(setups, func(w *setup) bool { return slices.Contains(w.offered, c.Tool) })
			if _, known := slices.BinarySearch(n.knownTools(), c.Tool); offered || !known {
				continue // an unknown tool is reported as that, or comes from a server
			}
			n.problem(c.Pos, c.Tool, "not-offered",
				"consent_overrides: the tool %s is not offered here, so the user is not asked", c.Tool).Hint =
				"list it under allowed_tools of the prompt"
		}
	}
}

// warnNotOffered warns of a tool that no prompt offers: the agent cannot call it.
func (n *nameChecker) warnNotOffered(check string, use *checks.NameUse) {
	what := fmt.Sprintf("the tool %s is", use.Name)
	if use.Pattern != nil {
		what = "the tools that it matches are"
	}
	n.diags.Warnf(use.Pos, width(use.Name), "not-offered", "%s: %s: %s not offered here, so it cannot be called", check,
		use.Param, what).Hint = "list it under allowed_tools of the prompt"
}

func (n *nameChecker) reportUnknownTool(check string, use *checks.NameUse, known []string) {
	text := fmt.Sprintf("there is no %s %q", use.Kind, use.Name)
	if use.Pattern != nil {
		text = fmt.Sprintf("no tool matches %q", use.Name)
	}
	d := n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: %s", check, use.Param, text)
	if d.Hint = "this project has no tools: list their files under tools in the arena file"; len(known) > 0 {
		d.Hint = hintKnown(use.Name, known)
	}
}

// knownTools returns the tools of the project, including those of modes that do not exist yet.
func (n *nameChecker) knownTools() []string {
	if n.toolNames != nil {
		return n.toolNames
	}
	names := ownTools(n.p)
	for _, t := range n.p.Tools {
		names = append(names, t.ID)
	}
	for i := range n.p.Later {
		if f := &n.p.Later[i]; f.Tool != "" && !strings.Contains(f.Tool, "*") {
			names = append(names, f.Tool)
		}
	}
	slices.Sort(names)
	n.toolNames = slices.Compact(names)
	return n.toolNames
}

// mayBeServed reports whether a server, an agent or a feature may provide a tool of that name.
func (n *nameChecker) mayBeServed(use *checks.NameUse) bool {
	return (use.Kind != checks.ToolName || strings.Contains(use.Name, "__")) && n.hasOtherTools()
}

// hasOtherTools reports whether there may be tools that the project does not list.
func (n *nameChecker) hasOtherTools() bool {
	has := func(feature string) bool {
		_, there := n.p.Has(feature)
		return there
	}
	return has(scenario.FeatureServers) || has(scenario.FeatureAgents)
}

// hasInstalledSkills reports whether the project names skills that only a package manager knows.
func (n *nameChecker) hasInstalledSkills() bool {
	_, there := n.p.Has(scenario.FeatureInstalledSkills)
	return there
}

// awaitOrWarn leaves a name to the tracker. Without a tracker it warns of a name that the project does not have.
func (n *nameChecker) awaitOrWarn(check string, use *checks.NameUse) {
	switch {
	case n.tracker != nil:
		n.tracker.await(check, use)
	case n.recorded && len(n.knownTools()) > 0:
		n.diags.Warnf(use.Pos, width(use.Name), "unknown-name", "%s: %s: there is no %s %q in this project",
			check, use.Param, use.Kind, use.Name).Hint = hintKnown(use.Name, n.knownTools())
	}
}

func anyRecorded(setups []*setup) bool {
	return slices.ContainsFunc(setups, func(w *setup) bool { return w.recorded })
}

func anyToolAllowed(setups []*setup) bool {
	return slices.ContainsFunc(setups, func(w *setup) bool { return w.anyTool })
}

// mocksCall reports whether mock replies of a setup call a tool.
func (n *nameChecker) mocksCall(setups []*setup, name string) bool {
	return n.anyMockCall(setups, func(called string) bool { return called == name })
}

func (n *nameChecker) anyMockCall(setups []*setup, fits func(string) bool) bool {
	return slices.ContainsFunc(setups, func(s *setup) bool { return s.mock }) &&
		slices.ContainsFunc(n.calledByMocks(), fits)
}

// calledByMocks returns the tools that mock replies call and that have an answer: from the project, in the reply, or
// from servers and features.
func (n *nameChecker) calledByMocks() []string {
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

func (n *nameChecker) eachMockReply(visit func(*scenario.MockReply)) {
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

// checkMockCalls reports tools that mock replies for a scenario call and that have no answer.
func (n *nameChecker) checkMockCalls(s *scenario.Scenario, agents []*scenario.Provider) {
	if n.recorded || s.Recorded != nil {
		return
	}
	for i := range s.Turns {
		if mock := s.Turns[i].Mock; mock != nil {
			for _, use := range mock.Calls {
				n.reportUnansweredCall(use)
			}
		}
	}
	if n.p.Mock != nil { // it replaces those of the providers
		n.checkMockFile(s, n.p.Mock)
		return
	}
	for _, q := range agents {
		if q.Mock != nil {
			n.checkMockFile(s, q.Mock)
		}
	}
}

// checkMockFile checks the calls of a mock file. The file may hold replies for other projects.
func (n *nameChecker) checkMockFile(s *scenario.Scenario, file *scenario.MockFile) {
	for _, use := range file.Calls {
		if !n.mayExist(use.Name) && (callsTool(file.Scenarios[s.ID], use.Name) ||
			s.Alias != "" && callsTool(file.Scenarios[s.Alias], use.Name)) {
			n.reportUnansweredCall(use)
		}
	}
}

// callsTool reports whether replies call a tool without giving its result.
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

// mayExist reports whether the project has a tool, or may have it from servers, agents, skills or workflows.
func (n *nameChecker) mayExist(tool string) bool {
	_, there := slices.BinarySearch(n.knownTools(), tool)
	return there || strings.Contains(tool, "__") && n.hasOtherTools()
}

// reportUnansweredCall reports, once, a call that can only fail.
func (n *nameChecker) reportUnansweredCall(use scenario.MockCallUse) {
	if n.reported[use.Pos] || n.mayExist(use.Name) {
		return
	}
	if n.reported == nil {
		n.reported = map[diag.Pos]bool{}
	}
	n.reported[use.Pos] = true
	d := n.problem(use.Pos, use.Name, "unknown-name", "mock: tool_calls: there is no tool %q", use.Name)
	d.Hint = "give the call a result, or the project this tool"
	if known := n.knownTools(); len(known) > 0 {
		d.Hint = hintKnown(use.Name, known) + "; or give the call a result"
	}
}
