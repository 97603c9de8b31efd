package arena

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/runner"
	"github.com/arena-evals/arena/internal/scenario"
)

// cassettes returns whether the run is recorded or replayed, and how.
func (o *Options) cassettes() *harness.Cassettes {
	c := &harness.Cassettes{
		Record: o.path(o.Record), Replay: o.path(o.Replay), Mode: o.RecordMode, Missing: o.ReplayMissing, Redact: o.Redact,
	}
	if len(o.Hooks) > 0 && c.Mode != "once" && c.Mode != "none" {
		c.Mode = "all" // recorded replies were changed by earlier hooks, so none is reused
	}
	c.Normalize()
	return c
}

// checkCassettes checks the options about recordings.
func (o *Options) checkCassettes() (errs []error) {
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf("arena: "+format, args...)) }
	word := func(option, value string, known []string) {
		if value != "" && !slices.Contains(known, value) {
			bad("%s cannot be %q; expected %s", option, value, strings.Join(known, ", "))
		}
	}
	word("RecordMode", o.RecordMode, harness.RecordModes)
	word("ReplayMissing", o.ReplayMissing, harness.ReplayMissings)
	switch {
	case o.Record != "" && o.Replay != "":
		bad(`Record and Replay exclude each other; to record only what is missing, set ReplayMissing to "record"`)
	case o.Record == "" && o.RecordMode != "":
		bad("RecordMode needs Record")
	case o.Replay == "" && o.ReplayMissing != "":
		bad("ReplayMissing needs Replay")
	case o.Record == "" && o.Replay == "" && len(o.Redact) > 0:
		bad("Redact needs Record or Replay")
	case o.Record != "" && o.Cache != "" && len(o.Redact) > 0:
		bad("Redact keeps fields out of all files, and Cache keeps whole replies; leave out the Cache: Record asks only " +
			"for what the recording does not hold yet")
	}
	if c := o.cassettes(); c.ReplaysOnly() {
		if o.Traces != "" {
			bad("Traces needs the network, and a replay opens no connection: choose one")
		}
		if o.Metrics != nil && o.Metrics.Push != "" {
			bad("Metrics.Push needs the network, and a replay opens no connection: choose one")
		}
	}
	for _, field := range o.Redact {
		if strings.TrimSpace(field) != field || field == "" || strings.ContainsAny(field, `.$[]{}()*'":;,/\`) {
			bad("Redact: %q is not the name of a JSON field; write the name alone, without a path", field)
		}
	}
	return errs
}

// recordAgain says how to record a trial again.
func (o *Options) recordAgain(t *result.Trial, all bool) string {
	dir, mode := o.Record, o.RecordMode
	if dir == "" {
		dir = o.Replay
	}
	text := fmt.Sprintf("run %s with Options.Record %q", t.ID, dir)
	if all && mode != "all" {
		text += ` and RecordMode "all"`
	}
	return text
}

// planTrials plans the trials of a suite, and checks the recordings that they replay.
func (s *Suite) planTrials(suite *scenario.Suite, clients *clients, d *diag.List) *runner.Plan {
	return harness.PlanTrials(s.cassettes, func(played bool, d *diag.List) *runner.Plan {
		opts := s.opts.plan(s.jobs, clients)
		opts.Now = s.opts.Now
		if played {
			opts.Open, opts.OpenEmbedder, opts.Replayed = clients.openReplayed, harness.NoEmbedder, true
		}
		plan := runner.Make(suite, opts, d)
		s.secrets.WatchChecks(suite)
		s.secrets.CheckSuiteNames(suite, d)
		return plan
	}, d)
}

// cassetteFolder returns the folder of the run's cassettes; nil: nothing is recorded or replayed.
func (s *Suite) cassetteFolder() *cassette.Folder {
	d := s.opts.cassettes().Folder(s.opts.Strict, s.secrets.Known, s.opts.Now)
	if d != nil && s.opts.Out != "" {
		d.Spare = filepath.Join(s.opts.path(s.opts.Out), "interrupted")
	}
	return d
}

// openReplayed is a runner.Opener for a run that is replayed.
func (c *clients) openReplayed(p *scenario.Project, spec *scenario.Provider) (providers.Provider, bool, error) {
	if spec.Type == scenario.ProviderOfProgram {
		return c.open(p, spec)
	}
	return harness.NoModel(p, spec)
}

// store returns the cache for replies of models; nil: none.
func (o *Options) store(secrets *harness.Secrets) *cache.Store {
	if o.Cache == "" {
		return nil
	}
	return &cache.Store{
		Dir: o.path(o.Cache), Now: time.Now, Secret: func(text []byte) bool { return secrets.Set().In(text) },
	}
}
