// Package runner plans a suite into trials and drives them: turns, the tool loop, the checks, the journal.
package runner

import (
	"fmt"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/claims"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/grading"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/names"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
	"github.com/arena-evals/arena/internal/workflow"
)

// Plan is the trials of a run, in order. It is pure data except for the clients of its endpoints. Trials are made when
// they are asked for, so that the size of a plan does not depend on their number.
type Plan struct {
	spans  []span
	Name   string   // of the project; "": there are several
	FailOn []string // the reasons that make the run red besides failures and errors
	// Quarantines are those of the suite.
	Quarantines []result.Quarantine
	Notes       []string // for the user: what was decided because the files do not say it

	http    *http.Client    // of the checks; nil: they have none
	close   func()          // nil: nothing was opened
	tracker *claims.Tracker // nil: nothing is expected to come up

	complete *Plan         // the whole plan that this one is a part of; nil: this is the whole
	shard    *result.Shard // nil: the whole plan
	places   [][2]int      // index ranges of its trials in the whole plan

	strays func() []string // nil: there are none

	judgedNames []result.Declared // of the rejudged run; nil: none, or not known

	memory   *judges.Memory           // answers of judges
	judged   result.JudgeSum          // cost of judges in an earlier part of the run, which is not spent again
	seen     map[int]*result.Observed // kept trials of groups that may end early, by plan index
	recorded []result.GatedGroup      // of a rejudged run: groups that may have ended early

	// groups that may end early and have kept trials, by the plan index of their first slot
	begun map[int]*result.Progress
	known map[estimateKey]*account // cost of kept trials
}

// projects are those of the scenarios, each once, in the order of the plan.
func (p *Plan) projects() iter.Seq[*project] {
	return func(yield func(*project) bool) {
		p, met := p.entire(), map[*project]bool{}
		for i := range p.spans {
			if in := p.spans[i].Project; !met[in] {
				met[in] = true
				if !yield(in) {
					return
				}
			}
		}
	}
}

// Close closes the connections of the plan. The plan can still run.
func (p *Plan) Close() {
	if p.close != nil {
		p.close()
	}
}

// Strays returns warnings about traces and other input for agents that belonged to none of the run's trials. Each
// warning is returned once.
func (p *Plan) Strays() (list []diag.Diagnostic) {
	if p.strays == nil {
		return nil
	}
	for _, text := range p.strays() {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "stray-traces", Msg: text})
	}
	return list
}

// Trial is one conversation to drive.
type Trial struct {
	Index        int
	Project      *project
	Scenario     *scenario.Scenario
	Start        *workflow.State  // nil: there is no workflow
	Prompt       *scenario.Prompt // of the start; nil: no system prompt
	Endpoint     *Endpoint
	players      players     // models that generate media for the agent
	summarizer   *Endpoint   // the model of the context policy; nil: none
	painters     []*Endpoint // models that make media for the agent
	Region       string
	N            int       // from 1, within its group
	Of           int       // trials of its group
	Variant      Variant   // nil: no perturbations
	variantCount int       // number of variants in the trial's group; 0 is 1
	Recorded     *Recorded // not nil: the conversation is recorded
	Finished     *Finished // not nil: the trial of a run is judged again

	gate *result.GateSpec // the gate of a group whose trials may end early; nil: all trials run
	row  int              // of the dataset, from 1; 0: the scenario has none
	// the rows of a pooled group, by index in the order of their file; nil: each row is a group
	pool     []int32
	allRows  *scenario.Scenario // the scenario before a row was filled in; nil: it was not
	rowError error              // why the row cannot be read
}

// Repetition counts the trials of a group that have the same variant, from 1.
func (t *Trial) Repetition() int { return (t.N-1)/max(t.variantCount, 1) + 1 }

// Endpoint is an open provider of a plan.
type Endpoint struct {
	Spec   *scenario.Provider
	Client providers.Provider
	// Simulated is true for a provider that makes no calls to a server. The clock of its trials advances only by simulated
	// latencies, so that a run repeats byte for byte.
	Simulated bool
}

// project is a scenario.Project with what its trials share.
type project struct {
	*scenario.Project
	tools   *tools.Kit
	prefix  string // of trial ids; "" when the plan has one project
	timeout time.Duration
	basis   basis
	strict  bool
	lenient bool

	host         *checks.Host                            // environment and network of checks
	embedder     checks.Embedder                         // nil: no check asks for one, or none is configured
	relevance    map[*scenario.Relevance]checks.Embedder // of context policies
	judges       *judges.Pool                            // nil: no check needs one
	judgeModels  map[grading.JudgeUse]*scenario.Provider // the models behind the judges
	judgePrompts *grading.Prompts

	stances   map[*scenario.Prompt]*stance
	served    []*names.Served   // names that only a list of a server can confirm
	arguments []*names.Argument // the same for arguments
	rowNames  *names.Rows       // nil: no scenario has rows
	memory    *tools.Opener     // nil: no memory
	media     *attach.Store     // of turns
	skills    *skills           // nil: there are none
	// compositions are by name; nil: there are none.
	compositions map[string]*composed
	states       map[*workflow.State][]chat.Tool // what the model is offered in each; nil: there is no workflow
	sums         definitionSums
}

// ID is stable and readable: refund/gpt-4o/default. It ends in #2 for the second of several trials, and in the row and
// the variant, each in brackets.
func (t *Trial) ID() string {
	if t.Finished != nil {
		return t.Finished.Brief.ID
	}
	var b strings.Builder
	t.group(&b)
	if t.Of > 1 {
		fmt.Fprintf(&b, "#%d", t.N)
	}
	b.WriteString(t.rowSuffix())
	b.WriteString(t.Variant.String())
	if t.Recorded != nil && t.Recorded.Name != "" {
		b.WriteString("[" + t.Recorded.Name + "]")
	}
	return b.String()
}

// Group is the common prefix of the ids of a group: refund/gpt-4o/default.
func (t *Trial) Group() string {
	var b strings.Builder
	t.group(&b)
	return b.String()
}

func (t *Trial) group(b *strings.Builder) {
	b.WriteString(t.Project.prefix)
	b.WriteString(t.Scenario.ID)
	b.WriteByte('/')
	b.WriteString(t.Endpoint.Spec.ID)
	b.WriteByte('/')
	b.WriteString(t.Region)
}
