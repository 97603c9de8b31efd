// Package runner plans a suite into trials and drives them: turns, the tool loop, the checks, the journal.
package runner

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/judges"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/tools"
)

// Plan is what a run will do, in order. It is pure data but for the clients of its endpoints. Its trials are made when
// somebody asks for them, so that a plan is as small for many as for one.
type Plan struct {
	spans  []span
	Name   string   // of the project; "" when there are several
	FailOn []string // what makes the run red besides failures and errors

	http  *http.Client // of the checks; nil: they have none
	close func()       // nil: nothing was opened
	heard *hearing     // nil: nobody waits for names
}

// Close lets go of the connections of the plan. It can still be run.
func (p *Plan) Close() {
	if p.close != nil {
		p.close()
	}
}

// Trial is one conversation to drive.
type Trial struct {
	Index    int
	Project  *project
	Scenario *scenario.Scenario
	Prompt   *scenario.Prompt // nil: no system prompt
	Endpoint *Endpoint
	Region   string
	N        int       // from 1, within its group
	Of       int       // trials of its group
	Variant  Variant   // of the perturbations; nil when there are none
	variety  int       // how many variants its group has; 0 stands for 1
	Recorded *Recorded // nil: the conversation is to be had
	Past     *Past     // of a run that is over; nil: this is none
}

// Repetition counts the trials that ask for the same, from 1: those of its group that have its variant.
func (t *Trial) Repetition() int { return (t.N-1)/max(t.variety, 1) + 1 }

// Endpoint is a provider of the plan, opened.
type Endpoint struct {
	Spec   *scenario.Provider
	Client providers.Provider
	// Simulated providers answer without the world. Their trials run on a clock of their own, which only moves by
	// the latencies that they simulate, so that a run repeats byte for byte.
	Simulated bool
}

// project is a scenario.Project with what the trials share of it.
type project struct {
	*scenario.Project
	tools   *tools.Kit
	prefix  string // of trial ids; "" when the plan has one project
	timeout time.Duration
	basis   basis
	strict  bool
	lenient bool

	host     *checks.Host                           // what checks may reach outside of the process
	embedder checks.Embedder                        // nil: no check asks for one, or none is configured
	judges   *judges.Pool                           // nil: no check asks for one, or all of them do without
	asked    map[checks.JudgeUse]*scenario.Provider // the models behind the judges
	prompts  *checks.JudgePrompts

	stances map[*scenario.Prompt]*stance
}

// ID is stable and readable: refund/gpt-4o/default, with #2 for the second of several trials and the variant in
// brackets.
func (t *Trial) ID() string {
	if t.Past != nil {
		return t.Past.Brief.ID
	}
	var b strings.Builder
	t.group(&b)
	if t.Of > 1 {
		fmt.Fprintf(&b, "#%d", t.N)
	}
	b.WriteString(t.Variant.String())
	if t.Recorded != nil && t.Recorded.Name != "" {
		b.WriteString("[" + t.Recorded.Name + "]")
	}
	return b.String()
}

// Group is what the ids of all trials of its group begin with: refund/gpt-4o/default.
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
