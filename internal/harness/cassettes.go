package harness

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/open"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// Cassettes say whether a run is recorded or replayed.
type Cassettes struct {
	Record, Replay string   // folders; "": no. Not both
	Mode           string   // what Record asks for: new, once, all or none; "" is new
	Missing        string   // what becomes of a trial without a recording: error, or record; "" is error
	Redact         []string // JSON fields that no recording holds
}

// The words of Cassettes.Mode and Cassettes.Missing.
var (
	RecordModes    = []string{"new", "once", "all", "none"}
	ReplayMissings = []string{"error", "record"}
)

// Settle makes the modes that ask for nothing where there is a recording the replay that they are.
func (c *Cassettes) Settle() {
	if c.Record == "" || c.Replay != "" {
		return
	}
	switch c.Mode {
	case "once":
		c.Record, c.Replay, c.Missing = "", c.Record, "record"
	case "none":
		c.Record, c.Replay = "", c.Record
	}
}

// Fills reports whether trials without a recording are run.
func (c *Cassettes) Fills() bool { return c.Missing == "record" }

// Silent reports whether every trial is answered from recordings, and nobody is asked.
func (c *Cassettes) Silent() bool { return c.Replay != "" && !c.Fills() }

// Folder is the folder of cassettes of a run; nil: there is none.
func (c *Cassettes) Folder(strict bool, secrets func() []string, now func() time.Time) *cassette.Folder {
	if c.Record == "" && c.Replay == "" {
		return nil
	}
	d := &cassette.Folder{
		Dir: c.Record, Replay: c.Replay != "", Fill: c.Fills(), RecordAll: c.Mode == "all", Strict: strict,
		Redact: c.Redact, Secrets: secrets, Now: now,
	}
	if d.Replay {
		d.Dir = c.Replay
	}
	return d
}

// PlanTrials makes the trials of a run, and looks into the cassettes from which they are to be answered; deck is nil
// where there are none. The function that makes them is told whether all are answered from there: then nobody has to be
// opened, see NoModel. It may be called twice.
func PlanTrials(
	deck *cassette.Folder, trials func(played bool, d *diag.List) *runner.Plan, d *diag.List,
) *runner.Plan {
	if deck == nil {
		return trials(false, d)
	}
	if !deck.Replay {
		plan := trials(false, d)
		unambiguous(plan, d)
		deck.Check(RecordedTrials(plan, deck), d)
		return plan
	}
	var found diag.List
	plan := trials(true, &found)
	if deck.Fill && found.Errors() == 0 {
		for t := range plan.All() { // no more of them than there are cassettes, and one
			if !deck.Has(t.Cassette()) {
				plan = trials(false, d)
				deck.Check(RecordedTrials(plan, deck), d)
				unambiguous(plan, d)
				return plan
			}
		}
	}
	for _, problem := range found.Sorted() {
		d.Add(problem)
	}
	deck.Check(RecordedTrials(plan, deck), d)
	return plan
}

// RecordedTrials are the trials of which there may be cassettes: few, however many trials the plan has.
func RecordedTrials(plan *runner.Plan, deck *cassette.Folder) iter.Seq[cassette.Trial] {
	trials := plan.All()
	if numbers, all := deck.Numbers(); !all {
		trials = plan.Asked(numbers, slices.Max(append(numbers, 0)))
	}
	return func(yield func(cassette.Trial) bool) {
		for t := range trials {
			if !yield(t.Cassette()) {
				return
			}
		}
	}
}

// unambiguous reports trials that would be recorded into the same file.
func unambiguous(plan *runner.Plan, d *diag.List) {
	for t := range plan.Twice() {
		d.Errorf(t.Scenario.Pos, 1, "ambiguous-trial", "two trials are called %q, and only one of them can be recorded",
			t.ID()).Hint = "give their projects names, or run them one by one"
	}
}

// WhileRecording does some work with a folder of cassettes, into which nobody else records meanwhile.
func WhileRecording(deck *cassette.Folder, work func() error) (err error) {
	if deck == nil || !deck.Records() {
		return work()
	}
	unlock, err := deck.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return work()
}

// noModel stands for the providers of a run that is answered from recordings.
type noModel struct{}

var errNoModel = errors.New("every call of this run is answered from a recording")

func (noModel) Complete(context.Context, *chat.Request, func(chat.Delta) error) (chat.Reply, error) {
	return chat.Reply{}, errNoModel
}

func (noModel) Embed(context.Context, []string) (chat.Embeddings, error) {
	return chat.Embeddings{}, errNoModel
}

// NoModel is a runner.Opener that opens no provider.
func NoModel(_ *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	return noModel{}, open.Simulated(spec.Type), open.Supported(spec)
}

// OnPaper is a runner.Opener whose clients nobody is sent anything by, and that need no keys.
func OnPaper(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	client, err := open.OnPaper(spec, open.Options{Getenv: p.Getenv, MockFile: p.Mock})
	return client, open.Simulated(spec.Type), err
}

// NoEmbedder is a runner.EmbedderOpener that opens none.
func NoEmbedder(_ *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
	return noModel{}, open.Supported(spec)
}
