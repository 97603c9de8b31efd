package runner

import (
	"time"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// PlanOptions says which trials of a suite to plan, and with which providers.
type PlanOptions struct {
	Selection
	// Agents are providers that no file configures. Those that Providers names run every scenario.
	Agents []*scenario.Provider
	Trials int // repetitions of each scenario; 0: as the scenarios say
	Rule   TrialOptions
	// Gates are the groups of a rejudged run whose trials may have ended early.
	Gates        []result.GatedGroup
	MockProvider bool // the mock replaces every provider
	AllowEmpty   bool
	Strict       bool             // a scenario that asserts nothing is an error
	Lenient      bool             // an empty provider group means every provider
	FailOn       []string         // words of result.FailOnWords, besides those of the files; empty but not nil is reported
	Basis        *result.Basis    // what the run is compared with; nil: nothing
	Now          func() time.Time // nil: quarantines do not end
	Today        func() time.Time // the real date, if Now is fixed; nil: Now
	Part         bool             // other runs have the rest of the plan
	Open         Opener
	OpenEmbedder EmbedderOpener // nil: there are no embedding models
	Judge        string         // for checks that name none: a judge, a provider or type/model; "": the file's first
	Jobs         int            // trials that will run at once
	// Dispatch says where evals run.
	Dispatch DispatchMode
	// Recordings are files with conversations. If there are any, scenarios and evals judge them, and nothing else runs.
	Recordings []string
	// Stdin is the file with the content of the recording StdinName; "": none.
	Stdin string
	// Only are the ids of the conversations to judge; none: all.
	Only []string
	// SkipUnreadable leaves out conversations that cannot be read, with a warning that counts them.
	SkipUnreadable bool
	// Asked is the --provider list of the rejudged run.
	Asked []string
	// Offline refuses checks that need the network. With Replayed a recording answers for the network and for programs.
	// In both cases checks open no connection.
	Offline, Replayed bool
	// PrivateURLs allows media from addresses in a private network.
	PrivateURLs bool
	// Uncalled says that no trial runs: data that only calls need is not required.
	Uncalled bool
	// Listing lets Replayed trials still connect to servers and agents for their tool lists, to show requests.
	Listing bool
	// OnStderr receives the lines that programs of tools and of MCP servers write to stderr, with the tool or server, from
	// any goroutine; nil: they are dropped.
	OnStderr func(who, line string)
	// Calls are the parameters that win over the files; see Options.
	Calls CallParameters
}

// StdinName is the name of the recording on standard input.
const StdinName = "-"

// CallParameters are parameters of model calls. Nil pointers: not set.
type CallParameters struct {
	Temperature *float64
	MaxTokens   *int
	Seed        *int64
}

// entire reports whether the whole suite runs, from local files.
func (o *PlanOptions) entire() bool {
	chosen := len(o.Scenarios) + len(o.Evals) + len(o.Tags) + len(o.Providers) + len(o.Recordings)
	return chosen == 0 && !o.Lenient && !o.Replayed
}

// today is the real date.
func (o *PlanOptions) today() time.Time {
	if o.Today != nil {
		return o.Today()
	}
	return o.Now()
}
