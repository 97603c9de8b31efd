package scenario

import (
	"regexp"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/node"
)

// workflowFile is what is looked at of a workflow.
type workflowFile struct {
	version int
	entry   *node.Node
	states  []stateFile
	names   []string
}

type stateFile struct {
	name                string
	at                  *node.Node // key of the state
	targets             []*node.Node
	prompt, composition *node.Node
	terminal            bool
	orchestration       string
	onMax               *node.Node
}

// workflowFields are the keys of a workflow, in configs and packs.
var workflowFields = table("a workflow", func() rows[workflowFile] {
	return rows[workflowFile]{
		custom("version", counting, func(d *decoder, w *workflowFile, v *node.Node) {
			w.version, _ = d.Int(v, "version", 1, 2)
		}).must(),
		custom("entry", text, func(d *decoder, w *workflowFile, v *node.Node) {
			if _, ok := d.Name(v, "entry"); ok {
				w.entry = v
			}
		}).must(),
		custom("states", mapShape{stateFields}, readStates).must(),
		inside[workflowFile]("engine", part("engine",
			inside[struct{}]("budget", part("budget",
				inside[struct{}]("max_total_visits", natural),
				inside[struct{}]("max_tool_calls", natural),
				inside[struct{}]("max_wall_time_sec", positive),
			)),
		)),
	}
})

var stateFields = table("a state", func() rows[stateFile] {
	return rows[stateFile]{
		custom("prompt_task", text, func(d *decoder, s *stateFile, v *node.Node) {
			s.prompt = v
			d.Name(v, "prompt_task")
			d.refer(toTask, v)
		}),
		inside[stateFile]("description", text),
		custom("on_event", textMap, readEvents),
		flag("terminal", func(s *stateFile) *bool { return &s.terminal }),
		custom("max_visits", counting, func(d *decoder, s *stateFile, v *node.Node) {

			d.Int(v, "max_visits", 1, int(counting.high))
		}),
		custom("on_max_visits", text, func(d *decoder, s *stateFile, v *node.Node) {
			s.onMax = v
			d.Name(v, "on_max_visits")
		}),
		inside[stateFile]("skills", text),
		inside[stateFile]("persistence", words("transient", "persistent")),
		word("orchestration", words("internal", "external", "hybrid", "composition"),
			func(s *stateFile) *string { return &s.orchestration }),
		custom("composition", text, func(d *decoder, s *stateFile, v *node.Node) {
			s.composition = v
			d.Name(v, "composition")
		}),
		inside[stateFile]("artifacts", mapShape{part("an artifact",
			inside[struct{}]("type", text).must(),
			inside[struct{}]("description", text),
			inside[struct{}]("mode", words("replace", "append")),
		)}),
	}
})

var pascalCase = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Za-z0-9]*$`) })

func readEvents(d *decoder, s *stateFile, v *node.Node) {
	d.Each(v, "on_event", func(event string, k, to *node.Node) {
		if !pascalCase().MatchString(event) {
			d.Warnf(k, "event-name", "the event %q is not in PascalCase", event)
		}
		if _, ok := d.Name(to, "on_event."+event); ok {
			s.targets = append(s.targets, to)
		}
	})
}

func readStates(d *decoder, w *workflowFile, v *node.Node) {
	d.Each(v, "states", func(name string, k, state *node.Node) {
		s := stateFile{name: name, at: k}
		if stateFields.read(d, state, &s) {
			w.states = append(w.states, s)
		}
		w.names = append(w.names, name)
	})
	if len(w.names) == 0 && v.Kind == node.Map {
		d.Errorf(v, "empty-value", "states is empty")
	}
}

// workflow reads a workflow and checks that its states and events lead somewhere. compositions are the names that a
// state may refer to.
func (d *decoder) workflow(n *node.Node, compositions []string) {
	var w workflowFile
	read := workflowFields.read(d, n, &w)
	d.need(FeatureWorkflows, n, Feature{Names: w.names})
	if !read || len(w.names) == 0 {
		return
	}
	if w.entry != nil {
		d.oneOfNames(w.entry, "state", w.names)
	}
	for i := range w.states {
		d.state(&w, &w.states[i], compositions)
	}
}

func (d *decoder) state(w *workflowFile, s *stateFile, compositions []string) {
	for _, to := range s.targets {
		d.oneOfNames(to, "state", w.names)
	}
	if s.onMax != nil {
		d.oneOfNames(s.onMax, "state", w.names)
	}
	switch {
	case s.orchestration == "composition" && s.composition == nil:
		d.Missing(s.at, "a state with orchestration composition", "composition")
	case s.composition != nil:
		d.oneOfNames(s.composition, "composition", compositions)
	case s.prompt == nil:
		d.Missing(s.at, "the state "+quoted(s.name), "prompt_task")
	}
	switch {
	case s.terminal && len(s.targets) > 0:
		d.Warnf(s.at, "terminal-state", "the state %q is terminal, so its on_event has no effect", s.name)
	case !s.terminal && len(s.targets) == 0 && w.version == 2:
		d.Warnf(s.at, "dead-end", "the state %q has no on_event and is not terminal", s.name)
	}
	if w.entry != nil && s.name != w.entry.Value && !reached(w, s.name) {
		d.Warnf(s.at, "unreached-state", "no event leads to the state %q", s.name)
	}
}

func reached(w *workflowFile, name string) bool {
	to := func(n *node.Node) bool { return n.Value == name }
	return slices.ContainsFunc(w.states, func(s stateFile) bool {
		return slices.ContainsFunc(s.targets, to) || s.onMax != nil && to(s.onMax)
	})
}

// compositionNames are the names of a map of compositions.
func (d *decoder) compositions(n *node.Node) []string {
	if n == nil {
		return nil
	}
	mapShape{compositionFields}.check(d, n, "compositions")
	d.need(FeatureCompositions, n, Feature{Names: stepIDs(n)})
	return node.Keys(n)
}

// stepIDs are the ids of all steps of compositions, those within others included.
func stepIDs(n *node.Node) (ids []string) {
	for _, v := range n.Content {
		if id := node.Get(v, "id"); id != nil && id.Kind == node.Scalar {
			ids = append(ids, id.Value)
		}
		ids = append(ids, stepIDs(v)...)
	}
	return ids
}

var compositionFields = table("a composition", func() rows[struct{}] {
	return rows[struct{}]{
		inside[struct{}]("version", numShape{low: 1, high: 1, whole: true}).must(),
		inside[struct{}]("description", text),
		inside[struct{}]("input_schema", foreign),
		inside[struct{}]("output_schema", foreign),
		inside[struct{}]("output", text),
		custom("steps", foreign, func(d *decoder, _ *struct{}, v *node.Node) { d.steps(v, "steps") }).must(),
		inside[struct{}]("engine", anyMap),
	}
})

var stepKinds = words("prompt", "agent", "tool", "branch", "parallel")

// steps checks what all steps have; their other keys depend on the kind and are read when compositions run.
func (d *decoder) steps(n *node.Node, what string) {
	d.Items(n, what, func(_ int, v *node.Node) {
		if v.Kind != node.Map {
			d.Fields(v, "a step", nil, nil) // reports it
			return
		}
		for _, key := range []string{"id", "kind"} {
			if node.Get(v, key) == nil {
				d.Missing(v, "a step", key)
			}
		}
		if kind := node.Get(v, "kind"); kind != nil {
			d.OneOf(kind, "kind", stepKinds...)
		}
		if task := node.Get(v, "prompt_task"); task != nil {
			d.refer(toTask, task)
		}
		if branches := node.Get(v, "branches"); branches != nil {
			d.steps(branches, "branches")
		}
		d.Any(v)
	})
}
