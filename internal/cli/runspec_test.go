package cli

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/result"
)

// notRemembered are the flags of arena run that a resumed run does not take over, with the reason.
var notRemembered = map[string]string{
	"resume": "is the question", "last-failed": "the same", "list": "runs nothing", "estimate": "runs nothing",
	"fail-fast":    "has ended the run that is gone on with",
	"max-failures": "has ended the run that is gone on with",
	"exit-zero":    "looks better", "lenient": "looks better", "allow-empty": "looks better",
	"allow-uncertain": "looks better", "allow-undecided": "looks better", "no-chaos": "looks better",
	"known-failures": "looks better",
	"ci":             "screen", "quiet": "screen", "verbose": "screen", "color": "screen",
	"events": "of one run", "junit-granularity": "of one run", "replay-speed": "changes no result",
	"metrics-file": "of one run", "metrics-push": "of one run", "metrics-listen": "of one run", "metrics-linger": "of one run",
	"metrics-label": "of one run", "metrics-by": "of one run", "metrics-namespace": "of one run",
	"no-traces": "tells less", "otlp-endpoint": "of one run", "otlp-content": "of one run",
	"dispatch": "of one run", "dispatch-wait": "of one run", "dispatch-timeout": "of one run", "stream": "of one run",
	"workers": "of one run", "workers-timeout": "of one run",
	"nats-creds": "of one run", "nats-ca": "of one run", "nats-cert": "of one run", "nats-key": "of one run",
}

// sample is a value for a flag that differs from its default.
func sample(f *pflag.Flag) string {
	switch f.Name {
	case "format":
		return "junit"
	case "metrics-label":
		return "team=a"
	case "fail-on":
		return "guardrail"
	case "on-failure":
		return "stop"
	case "record-mode":
		return "all"
	case "replay-missing":
		return "record"
	case "shard":
		return "2/5"
	}
	switch f.Value.Type() {
	case "bool":
		return "true"
	case "duration":
		return "90s"
	case "int", "int64", "float64", "count":
		return "1"
	}
	return "some-" + f.Name
}

// TestSpecHoldsEveryFlag: every flag of a run is in its spec, survives the journal, and is taken over by a resumed run,
// unless the command line gives it again.
func TestSpecHoldsEveryFlag(t *testing.T) {
	t.Parallel()
	none := specJSON(t, &result.Spec{Command: "run"})
	all := &runFlags{}
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	all.register(flags)
	flags.VisitAll(func(fl *pflag.Flag) {
		if notRemembered[fl.Name] == "of one run" {
			asked, next := asRun(t, "--"+fl.Name+"="+sample(fl)), asRun(t)
			next.recall(asked.spec())
			again := asRun(t, "--"+fl.Name+"="+sample(fl))
			again.recall(asked.spec())
			if !slices.Contains(next.notInherited, fl.Name) || next.given.has(fl.Name) || len(again.notInherited) > 0 {
				t.Errorf("--%s is of one run: told %v, and when it is named again %v", fl.Name, next.notInherited, again.notInherited)
			}
		}
		if notRemembered[fl.Name] == "looks better" {
			asked, next := asRun(t, "--"+fl.Name), asRun(t)
			next.recall(asked.spec())
			again := asRun(t, "--"+fl.Name)
			again.recall(asked.spec())
			if !slices.Contains(next.droppedLeniency, fl.Name) || next.given.has(fl.Name) || specJSON(t, next.spec()) != none || len(again.droppedLeniency) > 0 {
				t.Errorf("--%s is taken over, or not told of: %v, and when it is named again %v", fl.Name, next.droppedLeniency, again.droppedLeniency)
			}
		}
		if notRemembered[fl.Name] != "" {
			return
		}
		words := []string{"--" + fl.Name + "=" + sample(fl)}
		switch fl.Name { // flags that need another one
		case "record-mode":
			words = append(words, "--record=tapes")
		case "replay-missing", "redact":
			words = append(words, "--replay=tapes")
		case "shard-by":
			words = append(words, "--shard=2/5")
		}
		asked := asRun(t, words...)
		text := specJSON(t, asked.spec())
		if text == none {
			t.Errorf("--%s leaves no trace in the spec", fl.Name)
		}
		then := &result.Spec{}
		if err := json.Unmarshal([]byte(text), then); err != nil {
			t.Fatal(err)
		}
		next := asRun(t)
		next.recall(then)
		if diff := cmp.Diff(text, specJSON(t, next.spec())); diff != "" {
			t.Errorf("--%s is not taken over (-was +now):\n%s", fl.Name, diff)
		}
		if !next.given.has(fl.Name) || next.given.typed(fl.Name) {
			t.Errorf("--%s: given by %d, want by the earlier run", fl.Name, next.given[fl.Name])
		}
		again := asRun(t, words...)
		again.recall(&result.Spec{
			Config: "x", Scenarios: []string{"x"}, Judge: "x", Out: "x", Trials: 7, Jobs: 7, Keep: 7, MockConfig: "x",
		})
		if got := specValue(t, again.spec(), fl.Name); got != specValue(t, asked.spec(), fl.Name) {
			t.Errorf("--%s: the earlier run wins over the command line: %s", fl.Name, got)
		}
	})
}

// TestOldJournalsSayWhatWasAsked: the words of the command in an old journal give the same spec.
func TestOldJournalsSayWhatWasAsked(t *testing.T) {
	t.Parallel()
	f := asRun(t, "--scenario=a,b", "--judge-gate=false", "--seed=0", "--retries=0", "--timeout=90s", "--lenient",
		"--mock-config=m.yaml", "--fail-on=flaky", "--replay=tapes")
	f.paths = []string{"scenarios"}
	want := f.spec()
	got, err := oldSpec(f.resumeWords())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-spec +words:\n%s", diff)
	}
	for words, paths := range map[string]string{
		"": "", "arena": "", "arena rejudge out x.yaml": "x.yaml", "arena eval --assert a.yaml": "",
	} {
		s, err := oldSpec(strings.Fields(words))
		if err != nil || s != nil && strings.Join(s.Paths, " ") != paths {
			t.Errorf("%q: %v, %v", words, s, err)
		}
	}
	if _, err := oldSpec([]string{"arena", "run", "--no-such-flag"}); err == nil {
		t.Error("an unknown flag is taken")
	}
}

// TestSpecIsScrubbed: secrets are taken out of every text of a spec.
func TestSpecIsScrubbed(t *testing.T) {
	t.Parallel()
	s := &result.Spec{}
	v := reflect.ValueOf(s).Elem()
	texts := 0
	for i := range v.NumField() {
		switch f := v.Field(i); f.Interface().(type) {
		case string:
			f.SetString("hunter2")
			texts++
		case []string:
			f.Set(reflect.ValueOf([]string{"a", "hunter2"}))
			texts++
		case bool, int, float64, *int, *bool, *int64, *float64:
		default:
			if f.Type().String() != "time.Duration" {
				t.Errorf("the field %s is a %s: teach Scrubbed of it", v.Type().Field(i).Name, f.Type())
			}
		}
	}
	clean := specJSON(t, s.Scrubbed(func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }))
	if strings.Contains(clean, "hunter2") || strings.Count(clean, "***") != texts {
		t.Errorf("%s", clean)
	}
	if !strings.Contains(specJSON(t, s), "hunter2") {
		t.Error("the spec itself was changed")
	}
}

func asRun(t *testing.T, words ...string) *runFlags {
	t.Helper()
	f := &runFlags{words: []string{"arena", "run"}, given: givenFlags{}}
	fl := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.register(fl)
	if err := fl.Parse(words); err != nil {
		t.Fatal(err)
	}
	f.given.note(fl, byUser)
	return f
}

func specJSON(t *testing.T, s *result.Spec) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// specValue is the value of a spec under the name of a flag.
func specValue(t *testing.T, s *result.Spec, flag string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal([]byte(specJSON(t, s)), &all); err != nil {
		t.Fatal(err)
	}
	name := strings.ReplaceAll(flag, "-", "_")
	if i := slices.Index([]string{"timeout"}, name); i >= 0 {
		name = "timeout_ns"
	}
	return fmt.Sprint(all[name])
}
