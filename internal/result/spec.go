package result

import (
	"iter"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Spec are the options of a run, from the command line and settings. The journal stores them, so that the run can be
// resumed or judged again. Options that are not in it come from the files. Paths are as the user wrote them, relative
// to the working directory of the run.
type Spec struct {
	Command string `json:"command"` // of arena: run, eval or rejudge
	// Home is the working directory of the run, relative to its results folder; "": not known.
	Home string `json:"home,omitempty"`

	// The files.
	Paths   []string `json:"paths,omitempty"`
	Config  string   `json:"config,omitempty"`
	Asserts []string `json:"assert,omitempty"` // files with assertions
	Packs   []string `json:"pack,omitempty"`   // packs whose evals judge

	// Which trials to run.
	Scenarios []string `json:"scenario,omitempty"`
	Providers []string `json:"provider,omitempty"`
	Regions   []string `json:"region,omitempty"`
	Tags      []string `json:"tag,omitempty"`
	Evals     []string `json:"eval,omitempty"`
	Rows      []string `json:"rows,omitempty"`   // of datasets
	Sample    int      `json:"sample,omitempty"` // rows of each dataset
	Shard     string   `json:"shard,omitempty"`  // in the format of Shard.String
	ShardBy   string   `json:"shard_by,omitempty"`

	// Who answers and who judges.
	MockProvider bool     `json:"mock_provider,omitempty"`
	MockConfig   string   `json:"mock_config,omitempty"`
	Judge        string   `json:"judge,omitempty"`
	JudgeGate    *bool    `json:"judge_gate,omitempty"`
	EvalGroups   []string `json:"eval_groups,omitempty"`
	EvalTypes    []string `json:"eval_types,omitempty"`
	SkipEvals    bool     `json:"skip_evals,omitempty"`

	// Settings of models and conversations.
	Temperature *float64      `json:"temperature,omitempty"`
	Seed        *int64        `json:"seed,omitempty"`
	MaxTokens   *int          `json:"max_tokens,omitempty"`
	Trials      int           `json:"trials,omitempty"`
	PassRate    *float64      `json:"pass_rate,omitempty"`
	Tolerance   *float64      `json:"tolerance,omitempty"`
	Confidence  *float64      `json:"confidence,omitempty"`
	Stop        string        `json:"stop,omitempty"`
	OnFailure   string        `json:"on_failure,omitempty"`
	Timeout     time.Duration `json:"timeout_ns,omitempty"`
	Retries     *int          `json:"retries,omitempty"`
	Jobs        int           `json:"jobs,omitempty"`

	// What makes the run fail, or ends it.
	FailFast    bool     `json:"fail_fast,omitempty"`
	MaxFailures int      `json:"max_failures,omitempty"`
	MaxTrials   int      `json:"max_trials,omitempty"` // of all scenarios together
	MaxCost     float64  `json:"max_cost,omitempty"`   // in US dollars
	FailOn      []string `json:"fail_on,omitempty"`
	ExitZero    bool     `json:"exit_zero,omitempty"`
	Strict      bool     `json:"strict,omitempty"`
	Lenient     bool     `json:"lenient,omitempty"`
	AllowEmpty  bool     `json:"allow_empty,omitempty"`

	Baseline      string `json:"baseline,omitempty"`
	KnownFailures bool   `json:"known_failures,omitempty"`

	AllowUncertain bool `json:"allow_uncertain,omitempty"`
	AllowUndecided bool `json:"allow_undecided,omitempty"`
	NoChaos        bool `json:"no_chaos,omitempty"`
	Eager          bool `json:"eager,omitempty"`

	// Recordings of the conversations.
	Record        string   `json:"record,omitempty"`
	RecordMode    string   `json:"record_mode,omitempty"`
	Replay        string   `json:"replay,omitempty"`
	ReplayMissing string   `json:"replay_missing,omitempty"`
	Redact        []string `json:"redact,omitempty"`
	Offline       bool     `json:"offline,omitempty"`
	PrivateURLs   bool     `json:"allow_private_urls,omitempty"`
	Cache         string   `json:"cache,omitempty"`

	// Output files.
	Out          string   `json:"out,omitempty"`
	Formats      []string `json:"format,omitempty"`
	JUnitFile    string   `json:"junit_file,omitempty"`
	HTMLFile     string   `json:"html_file,omitempty"`
	MarkdownFile string   `json:"markdown_file,omitempty"`
	Keep         int      `json:"keep,omitempty"`

	// Apart are names of flags that a resumed run does not take over: the user has to give them again.
	Apart []string `json:"apart,omitempty"`
}

// Narrowing returns the words of the command line that leave out trials or evals, or replace providers, for the flags
// that count. nil: all count.
func (s *Spec) Narrowing(counts func(flag string) bool) (words []string) {
	add := func(had bool, flag string, value ...string) {
		if had && (counts == nil || counts(flag)) {
			words = append(append(words, "--"+flag), value...)
		}
	}
	list := func(flag string, values []string) { add(len(values) > 0, flag, strings.Join(values, ",")) }
	list("scenario", s.Scenarios)
	list("provider", s.Providers)
	list("region", s.Regions)
	list("tag", s.Tags)
	list("eval", s.Evals)
	list("rows", s.Rows)
	add(s.Sample > 0, "sample", strconv.Itoa(s.Sample))
	add(s.Shard != "", "shard", s.Shard)
	list("eval-groups", s.EvalGroups)
	list("eval-types", s.EvalTypes)
	add(s.Trials > 0, "trials", strconv.Itoa(s.Trials))
	share := func(flag string, value *float64) {
		if value != nil {
			add(true, flag, strconv.FormatFloat(*value, 'g', -1, 64))
		}
	}
	share("pass-rate", s.PassRate)
	share("tolerance", s.Tolerance)
	share("confidence", s.Confidence)
	add(s.Stop != "", "stop", s.Stop)
	add(s.SkipEvals, "skip-evals")
	add(s.MockProvider, "mock-provider")
	add(s.MockConfig != "", "mock-config", s.MockConfig)
	add(s.Replay != "", "replay", s.Replay)
	return words
}

// Scrubbed returns a copy with scrub applied to every text.
func (s *Spec) Scrubbed(scrub func(string) string) *Spec {
	if s == nil {
		return nil
	}
	clean := *s
	for _, f := range reflect.ValueOf(&clean).Elem().Fields() {
		switch v := f.Interface().(type) {
		case string:
			f.SetString(scrub(v))
		case []string:
			list := make([]string, len(v))
			for k := range v {
				list[k] = scrub(v[k])
			}
			f.Set(reflect.ValueOf(list))
		}
	}
	return &clean
}

// Files are the paths that a resumed run takes over, each with its flag; those of the files to run have none.
func (s *Spec) Files() iter.Seq2[string, string] {
	return func(yield func(flag, path string) bool) {
		for _, path := range s.Paths {
			if !yield("", path) {
				return
			}
		}
		for _, f := range [][2]string{
			{"config", s.Config}, {"mock-config", s.MockConfig}, {"baseline", s.Baseline}, {"out", s.Out}, {"record", s.Record},
			{"cache", s.Cache}, {"junit-file", s.JUnitFile}, {"html-file", s.HTMLFile}, {"markdown-file", s.MarkdownFile},
		} {
			if !yield(f[0], f[1]) {
				return
			}
		}
	}
}
