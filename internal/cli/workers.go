package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/fleet"
	"github.com/arena-evals/arena/internal/result"
)

// workersFlags let workers run the trials.
type workersFlags struct {
	url     string
	timeout time.Duration
}

func (f *workersFlags) register(fl *pflag.FlagSet) {
	fl.StringVar(&f.url, "workers", "", "have the trials run by workers at the NATS broker with this `URL`, such as\n"+
		"nats://localhost:4222: arena worker --trials")
	fl.DurationVar(&f.timeout, "workers-timeout", defaultWorkersTimeout, "give a trial up, as an error, that no worker\n"+
		"could run for this `time`")
}

const (
	defaultWorkersTimeout = 10 * time.Minute
	workersWarn           = 30 * time.Second
)

// notWithWorkers are flags that exclude --workers.
var notWithWorkers = map[string]string{
	"dispatch": "workers of trials run their evals too",
	"cache":    "workers have no cache in common yet",
	"offline":  "workers are reached over the network",
	"shard":    "workers share the work out by themselves",
	"shard-by": "workers share the work out by themselves",
}

func (f *workersFlags) validate(run *runFlags) error {
	g := run.given
	if f.url == "" { // also if it is given as empty, to resume without workers
		if g.typed("workers-timeout") {
			return errors.New("--workers-timeout does nothing without --workers URL")
		}
		return nil
	}
	var errs []error
	for _, flag := range g.among([]string{
		"dispatch", "cache", "offline", "shard", "shard-by",
	}) {
		if flag == "offline" && !run.cassettes.offline {
			continue
		}
		errs = append(errs, fmt.Errorf("--%s does not go with --workers: %s", flag, notWithWorkers[flag]))
	}
	if f.timeout <= 0 {
		errs = append(errs, fmt.Errorf("--workers-timeout must be above 0, found %s", f.timeout))
	}
	if _, err := strconv.Atoi(f.url); err == nil { // in other tools, --workers is a number
		return fmt.Errorf("--workers %s: expected the URL of a broker, such as nats://localhost:4222\n"+
			"for so many trials at once: --jobs %[1]s", f.url)
	}
	broker := run.dispatch.brokerFlags
	broker.url = f.url
	return errors.Join(append(errs, broker.complete("workers"))...)
}

// trialsStream is the stream of jobs: that of --stream, or else one apart from evals.
func trialsStream(broker *brokerFlags, g givenFlags) string {
	if g.has("stream") {
		return broker.stream
	}
	return nats.DefaultTrials
}

// window is the number of trials that are published at once.
func (f *workersFlags) window(jobs int, g givenFlags) int {
	const most = 1000 // more than most workers have slots, so that every free worker finds a job
	if f.url == "" || g.has("jobs") {
		return jobs
	}
	return most
}

// warnAfter is the time after which the run warns that no worker can run a trial.
func (f *workersFlags) warnAfter() time.Duration {
	return min(workersWarn, f.timeout/2) // leaves half of the time to react
}

// bundleFile is the name of a bundle in the object store of the broker.
func bundleFile(b fleet.Bundle) string { return "bundle-" + strings.ToLower(b.SHA256) }

// refuseUncollected refuses to resume without workers a run that was killed while it had workers: results that they
// sent since would be paid for again.
func (f *workersFlags) refuseUncollected(run *runFlags, ledger *result.JournalContent) error {
	if !run.resume || run.given.has("workers") || ledger.Header.Workers == nil || ledger.Closed() {
		return nil
	}
	broker := "URL"
	if at := slices.Index(ledger.Header.Resume, "--workers") + 1; at > 0 && at < len(ledger.Header.Resume) {
		broker = ledger.Header.Resume[at]
	}
	return fmt.Errorf("--resume: workers ran the trials of that run, and may have finished more since it was killed\n"+
		"name their broker, to have what they sent: --workers %s; or run the rest here: --workers=\"\"", shellQuote(broker))
}
