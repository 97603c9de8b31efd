// Package names checks whether the names that checks use exist: tools and their arguments, agents, states, skills,
// steps. Names that only a server or a remote agent knows are checked during the trials.
package names

import (
	"slices"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/composition"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/tools/open"
	"github.com/arena-evals/arena/internal/workflow"
)

// Checker reports names in checks that the project does not have. A check that forbids a call of a tool that does not
// exist never fails. Names that only conversations can show are left to the tracker.
type Checker struct {
	Project  *scenario.Project
	Tools    *tools.Registry
	Lenient  bool // problems are warnings: the files are of another tool
	Diags    *diag.List
	Tracker  *claims.Tracker // nil: conversations are not observed
	Recorded bool            // the conversations are recorded, and may use other tools than the project's
	Finished bool            // they are those of a run of this project: its servers are the same

	// Ran returns the declarations of the projects whose runs made the conversations of a scenario, or of all with nil;
	// nil: not known, or the conversations are not recorded.
	Ran func(*scenario.Scenario) *result.Declared

	within    *scenario.Scenario // the scenario whose checks are compared; nil: all
	served    []*Served          // names that are left to the trials
	arguments []*Argument        // the same for names of arguments

	mockTools   *[]string // see calledByMocks
	toolNames   []string  // see knownTools
	reaches     map[*scenario.Scenario]*reach
	rans        map[*scenario.Scenario]*result.Declared // see then
	reportedRan map[claims.Name]bool
	reported    map[diag.Pos]bool               // see reportUnansweredCall
	rowSetups   map[*scenario.Scenario][]*setup // of scenarios with rows
}

// Left returns the names and arguments that Report left to the trials, because only servers and agents know them.
func (n *Checker) Left() ([]*Served, []*Argument) { return n.served, n.arguments }

// setup is a prompt with the kind of agents that run under it, and the tools that may be called there.
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

// Report reports names in checks of the chosen scenarios that the project does not have. With lenient they are
// warnings.
func Report(p *scenario.Project, chosen []*scenario.Scenario, lenient bool, d *diag.List) {
	registry, err := open.Registry(p, open.World{})
	if err != nil {
		return // ToolUses reports it
	}
	all := func(*scenario.Scenario) []*scenario.Provider { return p.Providers }
	(&Checker{Project: p, Tools: registry, Lenient: lenient, Diags: d}).Report(chosen, all)
}

// Report checks the names in all checks of the chosen scenarios. agents returns the providers that may answer in a
// scenario; none for recorded conversations.
func (n *Checker) Report(chosen []*scenario.Scenario, agents func(*scenario.Scenario) []*scenario.Provider) {
	setups := map[setupKey]*setup{}
	var all []*setup
	under := map[*scenario.Prompt][]*setup{}
	for _, s := range chosen {
		prompts, err := inventory.PossiblePrompts(n.Project, s)
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
		if s.Dataset != nil {
			if n.rowSetups == nil {
				n.rowSetups = map[*scenario.Scenario][]*setup{}
			}
			n.rowSetups[s] = in
		}
		n.checkMockCalls(s, agents(s))
		n.checkConsents(s, in)
		n.checkFailures(s, in)
		n.checkChoice(s, in)
		if n.Tracker != nil && s.Recorded == nil {
			n.Tracker.ExpectRules(s, agents(s))
			n.Tracker.ExpectWindow(s, agents(s))
		}
		n.serveRules(s, prompts)
		n.within = s
		n.checkList(s.Conversation, in...)
		for i := range s.Turns {
			n.checkList(s.Turns[i].Assertions, in...)
		}
	}
	if len(all) == 0 {
		return
	}
	n.expectMoves(chosen)
	n.checkIdleServers(all)
	n.within = nil
	n.checkList(n.Project.Globals, all...)
	n.checkPrompts(chosen, under)
}

// expectMoves waits for a trial that leaves the state in which it starts, where all scenarios of the project are run:
// of some of them it may be known that they stay.
func (n *Checker) expectMoves(chosen []*scenario.Scenario) {
	if n.Tracker == nil || !n.Project.HasWorkflow() {
		return
	}
	var leaving []*scenario.Scenario
	for _, s := range n.Project.Scenarios {
		if s.Skip == "" && !slices.Contains(chosen, s) {
			return
		}
		start, err := n.Project.Start(s)
		if s.Skip == "" && err == nil && start != nil && len(start.Events) > 0 && start.Mode != workflow.External {
			leaving = append(leaving, s)
		}
	}
	if len(leaving) > 0 {
		n.Tracker.ExpectMoves(n.Project.Workflow, leaving)
	}
}

// setupKey returns the key of a scenario's setup. Without known agents a mock is possible.
func (n *Checker) setupKey(s *scenario.Scenario, prompt *scenario.Prompt, agents []*scenario.Provider) setupKey {
	none := len(agents) == 0
	k := setupKey{prompt: prompt, recorded: s.Recorded != nil || none && n.Recorded, mock: none}
	for _, q := range agents {
		k.anyTool = k.anyTool || q.Type == scenario.ReplayType || q.RunsTools()
		k.mock = k.mock || q.Type == "mock"
	}
	return k
}

// offered returns the tools that may be called under a prompt: those that it offers, and those of steps that call one
// themselves.
func (n *Checker) offered(prompt *scenario.Prompt) (names []string) {
	for _, c := range n.Project.Compositions {
		for step := range c.All() {
			if step.Kind == composition.Tool {
				names = append(names, step.Tool)
			}
		}
	}
	if prompt == nil {
		return names
	}
	names = append(names, n.Project.OwnTools()...)
	for _, t := range n.Tools.Offered(prompt.AllowedTools) {
		names = append(names, t.Name)
	}
	if n.Project.Skills != nil { // an active skill may bring them
		for _, one := range n.Project.Skills.All() {
			names = append(names, slices.DeleteFunc(slices.Clone(one.Tools), func(t string) bool { return !n.Tools.Has(t) })...)
		}
	}
	return names
}

// checkPrompts checks the names in guardrails and evals, which prompts may share.
func (n *Checker) checkPrompts(chosen []*scenario.Scenario, under map[*scenario.Prompt][]*setup) {
	sets := inventory.EvalSets(n.Project, chosen)
	in := map[any][]*setup{}
	var order []any
	for _, prompt := range append([]*scenario.Prompt{nil}, n.Project.Prompts...) {
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

func (n *Checker) checkList(list []scenario.Placed, setups ...*setup) {
	for _, placed := range list {
		n.checkCompiled(placed.Compiled, setups)
	}
}

// checkCompiled checks every compiled form of a check, but for those of rows: see Rows.
func (n *Checker) checkCompiled(c any, setups []*setup) {
	inventory.EachSettled(c, func(check *checks.Compiled) {
		n.check(check, setups)
		n.checkGiven(check, setups)
		n.checkRanGuardrails(check)
	})
}

// check checks the names in a check and in its nested checks.
func (n *Checker) check(c *checks.Compiled, setups []*setup) {
	if n.hasPart(c, setups) {
		names := c.Names()
		for i := range names {
			n.checkName(c.Type, &names[i], setups)
		}
		n.checkSteps(c.Type, names)
		n.checkRan(c, names)
		n.checkReach(c, names, setups)
		if n.Tracker != nil {
			n.Tracker.ExpectStates(c)
		}
	}
	for _, part := range c.Nested() {
		n.check(part, setups)
	}
}

// hasPart reports whether the project has the part that a check looks at, such as a workflow. If not, it reports an
// error.
func (n *Checker) hasPart(c *checks.Compiled, setups []*setup) bool {
	feature := map[checks.Part]string{
		checks.WorkflowPart: scenario.FeatureWorkflows, checks.CompositionPart: scenario.FeatureCompositions,
		checks.SkillPart: scenario.FeatureSkills,
	}[c.Def.About]
	if feature == "" || anyToolAllowed(setups) || anyRecorded(setups) {
		return true
	}
	_, there := n.Project.Has(feature)
	if there || c.Def.About == checks.SkillPart && n.mocksCall(setups, checks.SkillTool) {
		return true
	}
	code := "no-" + string(c.Def.About)
	n.problem(c.Pos, c.Type, code, "%s: this project has no %s to look at", c.Type, c.Def.About).Hint =
		"take the check out, or give the project one"
	return false
}

// problem adds an error, or a warning with lenient.
func (n *Checker) problem(pos diag.Pos, name, code, format string, args ...any) *diag.Diagnostic {
	report := n.Diags.Errorf
	if n.Lenient {
		report = n.Diags.Warnf
	}
	return report(pos, diag.Width(name), code, format, args...)
}

func (n *Checker) checkName(check string, use *checks.NameUse, setups []*setup) {
	switch use.Kind {
	case checks.ToolName, checks.AgentName, checks.ToolPattern:
		n.checkTool(check, use, setups)
	case checks.ArgumentName:
		n.checkArgument(check, use, setups)
	case checks.SkillName:
		if _, there := n.Project.Has(scenario.FeatureSkills); !there || n.hasInstalledSkills() {
			n.awaitOrWarn(check, use)
			return
		}
		n.checkFeatureName(check, use, scenario.FeatureSkills)
	case checks.StateName:
		if _, there := n.Project.Has(scenario.FeatureWorkflows); !there && n.Tracker != nil {
			n.Tracker.ExpectName(check, use)
			return
		}
		n.checkFeatureName(check, use, scenario.FeatureWorkflows)
	case checks.StepName: // see checkSteps
	default: // looked up where it is used, or not a name in a project
	}
}

// checkFeatureName compares a name with those that a feature of the project defines.
func (n *Checker) checkFeatureName(check string, use *checks.NameUse, feature string) {
	names, there := n.Project.Has(feature)
	if there && !slices.Contains(names, use.Name) {
		n.problem(use.Pos, use.Name, "unknown-name", "%s: %s: there is no %s %q", check, use.Param, use.Kind, use.Name).Hint =
			diag.HintKnown(use.Name, names)
	}
}

// checkArgument compares the name of an argument with the schema of its tool.
func (n *Checker) checkArgument(check string, use *checks.NameUse, setups []*setup) {
	n.checkValues(check, use)
	if !n.Tools.Has(use.Of) {
		n.serveArgument(check, use, setups)
		return
	}
	args, listed := n.Tools.Arguments(use.Of)
	if !listed || slices.Contains(args, use.Name) {
		n.checkArgumentValues(check, use)
		return
	}
	n.problem(use.Pos, use.Name, "unknown-argument", "%s: %s: the tool %s has no argument %q", check, use.Param, use.Of,
		use.Name).Hint = diag.HintKnown(use.Name, args) + "; a schema with additionalProperties: true takes any"
}

func anyRecorded(setups []*setup) bool {
	return slices.ContainsFunc(setups, func(w *setup) bool { return w.recorded })
}

func anyToolAllowed(setups []*setup) bool {
	return slices.ContainsFunc(setups, func(w *setup) bool { return w.anyTool })
}
