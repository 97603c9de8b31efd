package scenario

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// Scenarios of the second dialect name the program that is their agent, and its input. They become common scenarios:
// one turn, assertions over the conversation, and a judge that is called if all of them pass.

// programLimit is the default time limit of such a program.
const programLimit = 300 * time.Second

// programScenario is such a scenario as written in a file.
type programScenario struct {
	Scenario
	agent           Program
	input           *node.Node
	criteria, judge *node.Node
}

// inputByItself is the hint for a placeholder of the input, as other tools need it.
const inputByItself = "take it out: the input is the last argument of the program by itself"

// inputNames are names by which other tools fill in the input.
var inputNames = []string{
	"input", "INPUT", "prompt", "PROMPT", "message", "MESSAGE", "question", "QUESTION", "query", "QUERY", "user_input",
	"text", "row", "ROW", "0", "1", "@", "*",
}

// programScenarioFields are the keys of a scenario that names its program.
var programScenarioFields = table("a scenario with run_command", func() rows[programScenario] {
	return rows[programScenario]{
		ownName[programScenario]("id").must("give it an id, by which reports and filters name it"),
		str("name", func(s *programScenario) *string { return &s.Title }).
			doc("What people call it; judges read it too."),
		str("description", func(s *programScenario) *string { return &s.Description }).
			doc("What it is about; judges read it too."),
		custom("run_command", texts, func(d *decoder, s *programScenario, v *node.Node) {
			p := programFile{Program: &s.agent}
			p.Pos = d.Pos(v)
			readCommand(d, &p, v)
			if len(s.agent.Command) > 0 {
				d.leftOfProgram(s.agent.Command[0], v, nil, &leaving{
					what: "run_command", arguments: inputNames, argument: inputByItself,
					variable: inputByItself + "; a variable of the environment goes into env_overrides",
				})
			}
		}).must("write the program and its arguments as a list: [python3, agent.py]").asIs().instead(inputByItself).
			doc("The program that is the agent, and its arguments. The input comes behind them. No shell reads them."),
		custom("input", foreign, func(d *decoder, s *programScenario, v *node.Node) { readInput(d, s, v) }).asIs().
			doc("What the program is given: a text, or a map, which it gets as JSON. Nothing is filled in."),
		custom("dataset", text, func(d *decoder, s *programScenario, v *node.Node) { readDataset(d, &s.Scenario, v) }).
			doc("A file with rows, beside this one: .jsonl, .csv, .tsv, .json or .yaml. The program is run once for each, and " +
				"{{field}} in checks and criteria stands for its fields."),
		custom("input_field", text, func(d *decoder, s *programScenario, v *node.Node) { readInputField(d, &s.Scenario, v) }).
			doc("The field of a row that the program is given, in place of input."),
		custom("env_overrides", textMap, func(d *decoder, s *programScenario, v *node.Node) {
			s.agent.Env, s.agent.EnvPos = d.overrides(v), d.Pos(v)
		}).asIs().doc("Variables of the environment that the program sees; ${NAME} stands for one of arena's. Those of the " +
			"file .env it sees too."),
		str("expected_outcome", func(s *programScenario) *string { return &s.Outcome }).
			doc("What should come of it, for judges."),
		assertions("checks", ConversationAssertion, func(s *programScenario) *[]Placed { return &s.Conversation }).
			doc("Checks of what the program said and did."),
		custom("criteria", text, func(d *decoder, s *programScenario, v *node.Node) {
			if _, ok := d.Name(v, "criteria"); ok {
				s.criteria = v
			}
		}).doc("What a judge decides by, once all checks have passed."),
		custom("judge", text, func(d *decoder, s *programScenario, v *node.Node) {
			if _, ok := d.Name(v, "judge"); ok {
				s.judge = v
			}
		}).doc("The name of a file with criteria: judge: polite is judges/polite.yaml beside the folder of the scenario."),
		tags("tags", "tag", func(s *programScenario) *[]string { return &s.Tags }).doc("Words to select scenarios by."),
		trialsField(func(s *programScenario) **Trials { return &s.Trials }).
			doc("How often it is run: a number, or a map that ends as soon as the trials show enough.").preset("1"),
		dur("timeout", func(s *programScenario) *time.Duration { return &s.Timeout }).
			doc("The longest that the program may take, such as 90s. Left out: 300s."),
		custom("skip", text, func(d *decoder, s *programScenario, v *node.Node) { readSkip(d, &s.Scenario, v) }).
			doc("Why it is not run."),
		quarantineField(func(s *programScenario) **Quarantine { return &s.Quarantine }),
		remark[programScenario]("source", words("code", "traces", "user")).doc("Where it comes from, for people."),
		remark[programScenario]("failure_pattern", text).doc("What went wrong before, for people."),
		remark[programScenario]("trace_refs", keys.List{Item: foreign}).doc("Traces that it was made of, for people."),
	}
}).strays(func(key string) string {
	switch key {
	case "turns":
		return "the program answers one input; a conversation is a scenario with turns, and a provider of type command"
	case "assertions", "conversation_assertions":
		return "they are called checks here"
	case "env":
		return "it is called env_overrides here"
	}
	return ""
})

// programScenario reads a scenario that names its program.
func (d *decoder) programScenario(doc document) *Scenario {
	s := &programScenario{
		Scenario: Scenario{Meta: doc.meta, File: d.File},
		agent:    Program{Dir: d.places.fs.access(d.places.config)},
	}
	if !programScenarioFields.read(d, doc.spec, s) {
		return nil
	}
	s.Agent = &Provider{
		Meta: Meta{ID: ProgramType, Pos: s.agent.Pos}, File: d.File, Dir: filepath.Dir(d.File), Type: ProgramType,
		Model: strings.Join(s.agent.Command, " "), Role: "llm", Program: &s.agent, RequestTimeout: programLimit,
	}
	if s.Timeout > 0 {
		s.Agent.RequestTimeout = s.Timeout
	}
	s.JudgeGate = new(true)
	d.said(doc.spec, s)
	d.oneTrajectory(doc.spec)
	d.criteria(s)
	return &s.Scenario
}

// passDotenv passes the variables of the .env file to programs of scenarios, except those that they set themselves.
func (p *Project) passDotenv() {
	names := slices.Sorted(maps.Keys(p.Dotenv))
	for _, s := range p.Scenarios {
		if s.Agent == nil {
			continue
		}
		e := s.Agent.Program
		for _, name := range names {
			sets := func(entry string) bool { return strings.HasPrefix(entry, name+"=") }
			if !isProtected(name) && !slices.ContainsFunc(e.Env, sets) {
				e.Env = append(e.Env, name)
			}
		}
	}
}

// readInput reads the input of the program. It is not a template: placeholders are refused.
func readInput(d *decoder, s *programScenario, v *node.Node) {
	s.input = v
	d.left(v, &leaving{
		what: "input", whole: true,
		variable: "write the value itself, or dataset and input_field for the fields of a row",
	})
}

// said makes the turn with the input.
func (d *decoder) said(spec *node.Node, s *programScenario) {
	if s.Dataset != nil {
		d.saidByRows(spec, s)
		return
	}
	t := Turn{Pos: s.Pos, Said: s.Pos, Role: "user", Literal: true}
	switch v := s.input; {
	case v == nil:
		d.Missing(spec, "a scenario with run_command", "input").Hint = "write what the program is given, as its last argument"
		return
	case v.Kind == node.Map:
		t.Pos, t.Said, t.Content = d.Pos(v), d.Pos(v), string(d.raw(v, "input"))
	default:
		t.Pos, t.Said = d.Pos(v), d.Pos(v)
		text, ok := d.String(v, "input")
		if !ok {
			return
		}
		t.Content = text
	}
	if strings.TrimSpace(t.Content) == "" {
		d.Errorf(s.input, "empty-value", "input is empty: the program would be asked nothing")
		return
	}
	s.Turns = []Turn{t}
}

// saidByRows makes the turn of a scenario whose input is in the rows of a dataset.
func (d *decoder) saidByRows(spec *node.Node, s *programScenario) {
	switch {
	case s.Dataset.InputField == "":
		d.Missing(spec, "a scenario with a dataset", "input_field").Hint = "write which field of a row the program is given"
	case s.input != nil:
		d.Errorf(s.input, "unused-field", "input is not used: the program is given the field of a row").Hint =
			"take it out, or dataset and input_field"
	default:
		d.settleDataset(spec, &s.Scenario)
	}
}

// overrides reads the variables of a program, without those that are protected.
func (d *decoder) overrides(v *node.Node) (env []string) {
	d.Each(v, "env_overrides", func(name string, k, value *node.Node) {
		switch {
		case name == "" || strings.ContainsAny(name, " \t\n\x00$="):
			d.Errorf(k, "wrong-name", "env_overrides: %q is no name of a variable", name)
		case value.Kind != node.Scalar:
			d.Errorf(value, "wrong-type", "env_overrides.%s must be text", name)
		case isProtected(name):
			d.Warnf(k, "protected-variable", "env_overrides: %s is not set for the program of an agent", name).Hint =
				whyProtected(name)
		default:
			env = append(env, name+"="+value.Value)
		}
	})
	return env
}

// oneTrajectory refuses several checks of the whole path: they would contradict each other.
func (d *decoder) oneTrajectory(spec *node.Node) {
	list := node.Get(spec, "checks")
	if list == nil || list.Kind != node.List {
		return
	}
	seen := false
	for _, c := range list.Content {
		kind := node.Get(c, "type")
		if kind == nil || kind.Value != "trajectory" {
			continue
		}
		if seen {
			d.Errorf(kind, "twice", "there are two checks of type trajectory, and a scenario with run_command has at most one").
				Hint = "put their steps into one, or make two scenarios"
		}
		seen = true
	}
}

// judgeFolder has the criteria of scenarios that name their programs; it is beside the folder of the scenarios.
const judgeFolder = "judges"

// criteria adds the judge, if there is one.
func (d *decoder) criteria(s *programScenario) {
	switch {
	case s.criteria != nil && s.judge != nil:
		d.Errorf(s.judge, "twice", "criteria and judge both say what a judge decides by").Hint = "take one of them out"
	case s.criteria != nil:
		at := s.criteria
		key := &node.Node{Kind: node.Scalar, Tag: "!!str", Value: "criteria", Line: at.Line, Column: at.Column}
		params := &node.Node{Kind: node.Map, Tag: "!!map", Content: []*node.Node{key, at}, Line: at.Line, Column: at.Column}
		d.verdict(s, d, at, params)
	case s.judge != nil:
		path := filepath.Join(filepath.Dir(d.File), "..", judgeFolder, s.judge.Value+".yaml")
		if !filepath.IsLocal(s.judge.Value) {
			d.Errorf(s.judge, "wrong-name", "judge: %q is no name of a file of criteria", s.judge.Value).Hint =
				"judge: polite is " + judgeFolder + "/polite.yaml beside the folder of the scenario"
			return
		}
		data, problem := d.places.fs.take(path)
		if problem != nil {
			d.Errorf(s.judge, problem.code, "judge: %s", problem.msg).Hint =
				cmp.Or(problem.hint, "write the criteria there, or below criteria")
			return
		}
		file := *d
		file.Reader = node.Reader{File: d.places.fs.show(path), Diags: d.Diags, Lenient: d.Lenient}
		docs := node.Parse(&file.Reader, data)
		if len(docs) != 1 || docs[0].Kind != node.Map {
			file.Errorf(nil, "wrong-kind", "%q holds no criteria", file.File).Pos = diag.Pos{File: file.File, Line: 1, Col: 1}
			return
		}
		d.verdict(s, &file, s.judge, docs[0])
	}
}

// verdict adds the check with the judge's verdict. The parameters may be in another file.
func (d *decoder) verdict(s *programScenario, in *decoder, at, params *node.Node) {
	if d.uncertain {
		params = allowingUncertain(params)
	}
	c := &Check{Type: "judge_verdict", Pos: d.Pos(at), Params: params, ParamsPos: in.Pos(params)}
	before := len(in.opens)
	in.finish(c, ConversationAssertion)
	if in != d {
		d.opens = append(d.opens, in.opens[before:]...)
	}
	placed := Placed{Compiled: c.Compiled, Digest: c.Digest}
	if d.compile == nil {
		placed.Compiled = c
	}
	s.Conversation = append(slices.Clip(s.Conversation), placed)
}

// allowingUncertain returns the parameters of a judge whose verdict uncertain, which scores 0.5, passes too. The limit
// is visible in the results, and --resume does not reuse trials with another limit.
func allowingUncertain(params *node.Node) *node.Node {
	if node.Get(params, "min_score") != nil {
		return params
	}
	with := *params
	with.Content = slices.Clone(params.Content)
	node.Put(&with, "min_score", node.Number("0.5"))
	return &with
}
