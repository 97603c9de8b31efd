package metrics

import (
	"bytes"
	"slices"

	"github.com/arena-evals/arena/internal/exposition"
)

// Family describes one metric of a run. Its name comes without the namespace.
type Family = exposition.Family

const (
	counter   = exposition.Counter
	gauge     = exposition.Gauge
	histogram = exposition.Histogram
)

// The labels of the metrics of a run.
const (
	provider = "provider"
	model    = "model"
	status   = "status"
	kind     = "kind"
	outcome  = "outcome"
	gate     = "gate"
)

// The metrics of a run.
var (
	runInfo = Family{
		Name: "run_info", Type: gauge, Labels: []string{"version", "name"},
		Help: "Always 1. The version of arena and the name of the project.",
	}
	runStart = Family{
		Name: "run_start_time_seconds", Type: gauge, Help: "When the run started, in seconds since 1970.",
	}
	runEnd = Family{
		Name: "run_end_time_seconds", Type: gauge, Help: "When the run ended, in seconds since 1970. Absent before.",
	}
	runStatus = Family{
		Name: "run_status", Type: gauge, Labels: []string{status},
		Help: "1 for the status of the run, 0 for the others. Absent before its end.",
	}
	trialsPlanned = Family{
		Name: "trials_planned", Type: gauge, Help: "Trials in the plan.",
	}
	trialsRunning = Family{
		Name: "trials_running", Type: gauge, Help: "Trials that have started and not ended.",
	}
	trialsKept = Family{
		Name: "trials_kept", Type: gauge,
		Help: "Of the trials that ended, those that were kept from before the run was resumed. All else counts them too.",
	}
	trials = Family{
		Name: "trials_total", Type: counter, Labels: []string{provider, model, status},
		Help: "Trials that ended, by status: passed, failed, error, skipped, cancelled.",
	}
	trialDuration = Family{
		Name: "trial_duration_seconds", Type: histogram, Labels: []string{provider, model},
		Help:    "How long conversations took, checks included.",
		Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300},
	}
	verdicts = Family{
		Name: "verdicts_total", Type: counter, Labels: []string{"check", status},
		Help: "Verdicts of assertions, by check and status; cancelled ones were never judged.",
	}
	calls = Family{
		Name: "provider_calls_total", Type: counter, Labels: []string{provider, model},
		Help: "Model calls that were answered.",
	}
	latency = Family{
		Name: "provider_latency_seconds", Type: histogram, Labels: []string{provider, model},
		Help:    "How long model calls took.",
		Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}
	retries = Family{
		Name: "provider_retries_total", Type: counter, Labels: []string{provider, model},
		Help: "Attempts of model calls that failed and were repeated.",
	}
	tokens = Family{
		Name: "tokens_total", Type: counter, Labels: []string{provider, model, kind},
		Help: "Tokens of the agent, by kind: input, output, cached. The cached ones are part of the input.",
	}
	cost = Family{
		Name: "cost_usd_total", Type: counter, Labels: []string{provider, model},
		Help: "What the agent cost, in US dollars, where the price is known.",
	}
	unpriced = Family{
		Name: "unpriced_trials_total", Type: counter, Labels: []string{provider, model},
		Help: "Trials that called a model whose price is not known, so the cost leaves them out.",
	}
	toolCalls = Family{
		Name: "tool_calls_total", Type: counter, Labels: []string{"tool", outcome},
		Help: "Tool calls of the agent, by outcome: ok, error.",
	}
	injected = Family{
		Name: "injected_failures_total", Type: counter, Labels: []string{"tool", "mode"},
		Help: "Tool calls that arena let fail, as chaos of the scenario says: error, timeout, slow, reset, garbage.",
	}
	firings = Family{
		Name: "guardrail_firings_total", Type: counter, Labels: []string{"guardrail", "action"},
		Help: "Guardrails that fired, by what they did: recorded, replaced, cut, blocked.",
	}
	judgeCalls = Family{
		Name: "judge_calls_total", Type: counter, Labels: []string{"judge", model},
		Help: "Calls of judges. What several checks ask alike is asked once.",
	}
	judgeTokens = Family{
		Name: "judge_tokens_total", Type: counter, Labels: []string{"judge", model, kind},
		Help: "Tokens of judges, by kind: input, output, cached.",
	}
	judgeCost = Family{
		Name: "judge_cost_usd_total", Type: counter, Labels: []string{"judge", model},
		Help: "What judges cost, in US dollars, where the price is known.",
	}
	userCalls = Family{
		Name: "user_calls_total", Type: counter, Labels: []string{"persona", model},
		Help: "Messages that models wrote for users, by persona.",
	}
	userTokens = Family{
		Name: "user_tokens_total", Type: counter, Labels: []string{"persona", model, kind},
		Help: "Tokens of the models that play users, by kind: input, output, cached.",
	}
	userCost = Family{
		Name: "user_cost_usd_total", Type: counter, Labels: []string{"persona", model},
		Help: "What the models that play users cost, in US dollars, where the price is known.",
	}
	contextCalls = Family{
		Name: "context_calls_total", Type: counter, Labels: []string{provider, model},
		Help: "Calls that context policies made: for summaries, and for embeddings.",
	}
	contextTokens = Family{
		Name: "context_tokens_total", Type: counter, Labels: []string{provider, model, kind},
		Help: "Tokens of the calls that context policies made, by kind: input, output, cached.",
	}
	contextCost = Family{
		Name: "context_cost_usd_total", Type: counter, Labels: []string{provider, model},
		Help: "What the calls cost that context policies made, in US dollars, where the price is known.",
	}
	evals = Family{
		Name: "evals_total", Type: counter, Labels: []string{"eval", outcome},
		Help: "Evals that fired, by outcome: scored, skipped (a condition was not met), failed (nothing could be judged).",
	}
)

// The metrics of groups of trials, at the end of a run.
var (
	groups = Family{
		Name: "groups", Type: gauge, Labels: []string{status},
		Help: "Groups of trials by what they came to, single trials included. Absent before the end, and where no group " +
			"has several trials.",
	}
	undecidedAllowed = Family{
		Name: "undecided_allowed_groups", Type: gauge,
		Help: "Of the undecided groups, those that do not make the run red. Absent where groups are.",
	}
	gateVerdict = Family{
		Name: "gate_verdict", Type: gauge, Labels: []string{gate, "verdict"},
		Help: "Always 1: what the trials of a scenario with a pass_rate show. The gate is scenario/provider/region. At " +
			"most 1,000 gates.",
	}
	gateLow = Family{
		Name: "gate_rate_low", Type: gauge, Labels: []string{gate}, Help: "Lower end of the error bar of the rate.",
	}
	gateHigh = Family{
		Name: "gate_rate_high", Type: gauge, Labels: []string{gate}, Help: "Upper end of the error bar of the rate.",
	}
	gateTrials = Family{
		Name: "gate_trials", Type: gauge, Labels: []string{gate, outcome},
		Help: "Trials that the verdict is about, by outcome: passed, failed, broken.",
	}
)

// catalogue is every metric of a run, in the order in which documentation lists them.
var catalogue = []*Family{
	&runInfo, &runStart, &runEnd, &runStatus, &trialsPlanned, &trialsRunning, &trialsKept, &trials,
	&trialDuration, &verdicts, &calls,
	&latency, &retries, &tokens, &cost, &unpriced, &toolCalls, &injected, &firings,
	&judgeCalls, &judgeTokens, &judgeCost, &userCalls, &userTokens, &userCost,
	&contextCalls, &contextTokens, &contextCost, &evals,
	&groups, &undecidedAllowed, &gateVerdict, &gateLow, &gateHigh, &gateTrials,
}

// Catalogue describes the metrics of a run. Those of evals are what their definitions say.
func Catalogue() []Family {
	out := make([]Family, len(catalogue))
	for i, f := range catalogue {
		out[i] = *f
	}
	return out
}

// Dimension is a label that the metrics of evals can have for the conversation in which they were measured.
type Dimension struct{ Name, Help string }

// Dimensions lists the dimensions that every conversation has. Labels of scenarios are dimensions as well.
func Dimensions() []Dimension {
	return []Dimension{
		{"scenario", "The id of the scenario."},
		{provider, "The id of the provider."},
		{model, "The model of the provider."},
		{"region", "The region."},
		{"trial", "The number of the repetition, from 1."},
	}
}

// ownLabels are the names of labels that the metrics of a run have.
func ownLabels() []string {
	names := []string{"le"}
	for _, f := range catalogue {
		names = append(names, f.Labels...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Wrote reports whether a file holds metrics that arena wrote, under any namespace.
func Wrote(file []byte) bool {
	return bytes.HasPrefix(file, []byte("# HELP ")) && bytes.Contains(file, []byte("_"+runInfo.Name+" "+runInfo.Help+"\n"))
}
