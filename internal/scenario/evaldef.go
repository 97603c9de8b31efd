package scenario

import (
	"regexp"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/say"
)

// evalFile is an eval definition as written in a file.
type evalFile struct {
	Eval
	id        *node.Node
	sample    *node.Node // its percentage
	threshold threshold
}

type threshold struct {
	passed       bool
	min, max     *float64
	minAt, maxAt diag.Pos
}

var triggers = words(TriggerEveryTurn, TriggerSessionComplete, TriggerSampleTurns, TriggerSampleSessions,
	TriggerConversationComplete, TriggerWorkflowStep)

// defaultSample is the default percentage of evals on samples.
const defaultSample = 5

// evalFields are the keys of an eval definition in configs, packs and prompts.
var evalFields = table("an eval", func() rows[evalFile] {
	return rows[evalFile]{
		custom("id", text, readEvalID).must().
			doc("The name of the eval; a narrower level replaces the same id of a wider one."),
		checkType(func(e *evalFile) *Check { return &e.Check }),
		checkParams(func(e *evalFile) *Check { return &e.Check }),
		word("trigger", triggers, func(e *evalFile) *string { return &e.Trigger }).
			must("write trigger: every_turn, or on_session_complete").doc("When it is judged."),
		str("description", func(e *evalFile) *string { return &e.Description }).
			doc("What the eval measures; the help text of its metric."),
		flag("enabled", func(e *evalFile) *bool { return &e.Enabled }).preset("true").
			doc("false switches it off, and it judges nothing."),
		custom("sample_percentage", keys.Number{Low: 0, High: 100}, func(d *decoder, e *evalFile, v *node.Node) {
			if share, ok := d.Float(v, "sample_percentage", 0, 100); ok {
				e.SamplePct, e.sample = share, v
			}
		}).doc("For sampling triggers, a percentage from 0 to 100; 5 when left out."),
		custom("threshold", thresholdFields, readThreshold).doc("The scores that count as passed."),
		objectPtr("when", whenFields, func(e *evalFile) **When { return &e.When }).
			doc("Skips the check, as passed, unless all of this holds for the tool calls in scope."),
		str("message", func(e *evalFile) *string { return &e.Message }).
			doc("Why the check is there; reports show it as the headline."),
		tags("groups", "group", func(e *evalFile) *[]string { return &e.Groups }).doc("Names to select evals by."),
		custom("metric", metricFields, func(d *decoder, e *evalFile, v *node.Node) { e.Metric = d.metric(v) }).
			doc("The metric that the score goes to."),
	}
}).strays(func(key string) string {
	return belowParams(key, "id", "type", "params", "trigger", "enabled", "threshold", "when", "message", "groups",
		"metric")
})

// evalID refuses ids that are hard to type, to list with commas, or to recognise in a text.
var evalID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*$`) })

func readEvalID(d *decoder, e *evalFile, v *node.Node) {
	e.id, e.IDPos = v, d.Pos(v)
	id, ok := d.Name(v, "id")
	if e.ID = id; ok && !evalID().MatchString(id) {
		d.Foreignf(v, "wrong-name",
			"the id %q of an eval must be letters, digits and _ - . : / only, a letter or digit first", id)
	}
}

var thresholdFields = table("threshold", func() rows[threshold] {
	return rows[threshold]{
		custom("passed", boolean, func(d *decoder, t *threshold, v *node.Node) {
			b, ok := d.Bool(v, "passed")
			if ok && !b {
				d.Foreignf(v, "unused-field", "threshold.passed: false has no effect").
					Hint = "write max_score: for a score that must stay low, or remove the line"
			}
			t.passed = ok && b
		}).doc("true asks for a pass by the check's own rule."),
		share("min_score", func(t *threshold) (**float64, *diag.Pos) { return &t.min, &t.minAt }).
			doc("The lowest score that passes."),
		share("max_score", func(t *threshold) (**float64, *diag.Pos) { return &t.max, &t.maxAt }).
			doc("The highest score that passes. Left out: no limit."),
	}
})

func readThreshold(d *decoder, e *evalFile, v *node.Node) {
	if thresholdFields.read(d, v, &e.threshold) && len(v.Content) == 0 {
		d.Warnf(v, "empty-value", "the threshold is empty, so that the eval %q only measures", e.ID).
			Hint = "write threshold: {min_score: …}, or remove the line"
	}
	if t := &e.threshold; t.passed && t.min != nil && *t.min < 1 {
		d.Errorf(v, "conflicting-threshold",
			"threshold of the eval %q: passed: true asks for a pass by the check's own rule, and min_score %s for less",
			e.ID, say.Decimal(*t.min)).Hint = "keep one of the two"
	}
}

// eval reads one eval definition; nil when it is no map.
func (d *decoder) eval(n *node.Node) *evalFile {
	e := &evalFile{Eval: Eval{Enabled: true, SamplePct: defaultSample}}
	if !evalFields.read(d, n, e) {
		return nil
	}
	e.MinScore, e.MaxScore, e.MustPass = e.threshold.min, e.threshold.max, e.threshold.passed
	e.MinAt, e.MaxAt = e.threshold.minAt, e.threshold.maxAt
	return e
}

// evals reads a list of eval definitions; their ids are unique in it.
func (d *decoder) evals(n *node.Node, what string) []*Eval {
	var list []*Eval
	lines := map[string]int{}
	d.Items(n, what, func(_ int, v *node.Node) {
		e := d.eval(v)
		if e == nil {
			return
		}
		if line, twice := lines[e.ID]; twice && e.ID != "" {
			d.Errorf(e.id, "duplicate-id", "the eval %q is already defined on line %d", e.ID, line)
			return
		}
		if e.id != nil {
			lines[e.ID] = e.id.Line
		}
		e.export()
		e.Digest = digestOf(d.File, v)
		d.finish(&e.Check, EvalSurface)
		d.oddSample(e)
		list = append(list, &e.Eval)
	})
	return list
}

// likelyShare is the smallest value below 1 that was probably meant as a share.
const likelyShare = 0.05

// oddSample warns of percentages that select nothing, or are probably mistakes. They have two decimals. A threshold on
// an empty sample would always pass.
func (d *decoder) oddSample(e *evalFile) {
	if e.sample == nil || d.skipEvals && e.gates() || !e.Enabled && !e.gates() {
		return
	}
	sampled := e.Trigger == TriggerSampleTurns || e.Trigger == TriggerSampleSessions
	switch given := e.sample.Value; {
	case !sampled && e.Trigger != "" && e.SamplePct < 100:
		d.Warnf(e.sample, NoEffect, "sample_percentage has no effect with trigger: %s, which judges all", e.Trigger).Hint =
			"write trigger: " + TriggerSampleTurns + " or " + TriggerSampleSessions + ", or remove the line"
	case !sampled || e.SamplePct >= 1, e.SamplePct >= 0.01 && e.SamplePct < likelyShare:
	case e.SamplePct >= likelyShare:
		d.Warnf(e.sample, "unlikely-value", "sample_percentage %s is less than one in a hundred", given).Hint =
			"it is a percentage: write 50 for a half"
	case e.gates():
		d.Errorf(e.sample, "never-fires", "sample_percentage is %s: the threshold of the eval %q would always hold", given,
			e.ID).Hint = "raise it, to 0.01 or more, or take the threshold out"
	default:
		d.Warnf(e.sample, "never-fires", "sample_percentage is %s: the eval %q measures nothing", given, e.ID).Hint =
			"raise it, to 0.01 or more; to switch the eval off, write enabled: false"
	}
}

// export completes the metric of an eval with defaults.
func (e *evalFile) export() {
	if e.Metric == nil {
		e.Metric = result.DefaultMetric(e.ID, e.IDPos)
	}
	if e.Metric.Help == "" {
		e.Metric.Help = e.Description
	}
}

// evalList is a field with eval definitions.
func evalList[T any](name string, at func(*T) *[]*Eval) *field[T] {
	return custom(name, listOf(evalFields), func(d *decoder, t *T, v *node.Node) { *at(t) = d.evals(v, name) })
}
