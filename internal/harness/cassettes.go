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
	Missing        string   // what to do with a trial without a recording: error, or record; "" is error
	Redact         []string // JSON fields that no recording holds
}

// The words of Cassettes.Mode and Cassettes.Missing.
var (
	RecordModes    = []string{"new", "once", "all", "none"}
	ReplayMissings = []string{"error", "record"}
)

// Normalize turns the modes once and none into a replay: they call nothing where there is a recording.
func (c *Cassettes) Normalize() {
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

// ReplaysOnly reports whether every trial is replayed, so that nothing is called.
func (c *Cassettes) ReplaysOnly() bool { return c.Replay != "" && !c.Fills() }

// Folder is the folder of cassettes of a run; nil: the run has none.
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

// PlanTrials plans the trials of a run, and checks the cassettes that they replay; folder is nil if there are none. It
// calls trials with replayed true if all trials are replayed: then no provider need be opened, see NoModel. trials may
// be called twice.
func PlanTrials(
	folder *cassette.Folder, trials func(replayed bool, d *diag.List) *runner.Plan, d *diag.List,
) *runner.Plan {
	if folder == nil {
		return trials(false, d)
	}
	if !folder.Replay {
		plan := trials(false, d)
		reportAmbiguous(plan, d)
		folder.Check(RecordedTrials(plan, folder), d)
		return plan
	}
	var found diag.List
	plan := trials(true, &found)
	if folder.Fill && found.Errors() == 0 {
		for t := range plan.All() { // ends at the first trial without a cassette
			if !folder.Has(t.Cassette()) {
				plan = trials(false, d)
				folder.Check(RecordedTrials(plan, folder), d)
				reportAmbiguous(plan, d)
				return plan
			}
		}
	}
	for _, problem := range found.Sorted() {
		d.Add(problem)
	}
	folder.Check(RecordedTrials(plan, folder), d)
	return plan
}

// RecordedTrials returns the trials that may have cassettes. It is fast also for a plan with very many trials.
func RecordedTrials(plan *runner.Plan, folder *cassette.Folder) iter.Seq[cassette.Trial] {
	trials := plan.All()
	if numbers, all := folder.Numbers(); !all {
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

// reportAmbiguous reports trials that would be recorded into the same file.
func reportAmbiguous(plan *runner.Plan, d *diag.List) {
	for t := range plan.DuplicateIDs() {
		d.Errorf(t.Scenario.Pos, 1, "ambiguous-trial", "two trials are called %q, and only one of them can be recorded",
			t.ID()).Hint = "give their projects names, or run them one by one"
	}
}

// WithRecordingLock calls work with the folder of cassettes locked against other processes, if work may record there.
func WithRecordingLock(folder *cassette.Folder, work func() error) (err error) {
	if folder == nil || !folder.Records() {
		return work()
	}
	unlock, err := folder.Lock()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	return work()
}

// noModel replaces the providers of a replayed run.
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

// OpenUnsent is a runner.Opener whose clients build requests and send none. They need no keys.
func OpenUnsent(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	client, err := open.NewUnsent(spec, open.Options{Getenv: p.Getenv, MockFile: p.Mock})
	return client, open.Simulated(spec.Type), err
}

// NoEmbedder is a runner.EmbedderOpener that opens no model.
func NoEmbedder(_ *scenario.Project, spec *scenario.Provider) (checks.Embedder, error) {
	return noModel{}, open.Supported(spec)
}
