package junit_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/junit"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func write(t testing.TB, run *result.Run, o junit.Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := junit.Write(&b, run, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func rerun(trials ...*result.Brief) string {
	b := trials[0]
	return "arena run " + b.File + " --provider " + b.Provider
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		for _, by := range []junit.Granularity{junit.ByScenario, junit.ByTurn, junit.ByCheck} {
			t.Run(f.Name+" by "+string(by), func(t *testing.T) {
				t.Parallel()
				run := f.Build()
				got := write(t, run, junit.Options{Granularity: by, Rerun: rerun})
				golden.Check(t, f.Name+"."+string(by)+".xml", got)
				doc := parse(t, got)
				doc.verify(t)
				red := doc.Failures+doc.Errors > 0
				if wrong := run.Status == result.Passed; red == wrong {
					t.Errorf("the run is %s; the report has %d failures and %d errors", run.Status, doc.Failures, doc.Errors)
				}
			})
		}
	}
}

// TestSums: what the testcases of a run cost adds up to what the run did, also where trials share answers of judges.
func TestSums(t *testing.T) {
	t.Parallel()
	shared := false
	for _, f := range append(golden.Fixtures(), golden.Fixture{Name: "mocked", Build: resulttest.PartlyMocked}) {
		run := f.Build()
		got, unknown := map[string]float64{}, map[string]bool{}
		for _, s := range parse(t, write(t, run, junit.Options{})).Suites {
			for _, c := range s.Cases {
				for _, list := range c.Properties {
					for _, p := range list.All {
						if n, err := strconv.ParseFloat(p.Value, 64); err == nil {
							got[p.Name] += n
						} else {
							unknown[p.Name] = true
						}
					}
				}
			}
		}
		sum := &run.Summary
		want := map[string]float64{
			"trials": float64(sum.Trials), "tokens": float64(sum.Usage.Total()), "simulated_usd": sum.SimulatedUSD,
		}
		if sum.Unpriced == 0 && sum.CostUSD != nil {
			want["cost_usd"] = *sum.CostUSD
		}
		calls := 0
		for i := range run.Briefs.Len() {
			if j := run.Briefs.At(i).Judges; j != nil {
				calls += j.Calls
			}
		}
		if j := sum.Judges; j != nil {
			want["judge_calls"], want["judge_tokens"] = float64(j.Calls), float64(j.Total())
			want["judge_simulated_usd"] = j.SimulatedUSD
			if unknown["judge_cost_usd"] != (j.CostUSD == nil) {
				t.Errorf("%s: the cost of judges is unknown in one of both", f.Name)
			}
			if j.CostUSD != nil {
				want["judge_cost_usd"] = *j.CostUSD
			}
			shared = shared || calls > j.Calls
		}
		for name, n := range want {
			if math.Abs(got[name]-n) > 1e-7 {
				t.Errorf("%s: the testcases have %s %v, the run has %v", f.Name, name, got[name], n)
			}
		}
	}
	if !shared {
		t.Error("no run is tested whose trials share answers of judges")
	}
}

// The shape that CI systems read. Whatever is not in it fails the test.
type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	numbers
	Suites []suite    `xml:"testsuite"`
	Other  []anything `xml:",any"`
	Attrs  []xml.Attr `xml:",any,attr"`
}

type numbers struct {
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Time     string `xml:"time,attr"`
}

type suite struct {
	Name string `xml:"name,attr"`
	File string `xml:"file,attr"`
	numbers
	Timestamp  string     `xml:"timestamp,attr"`
	Properties []listed   `xml:"properties"`
	Cases      []testcase `xml:"testcase"`
	Other      []anything `xml:",any"`
	Attrs      []xml.Attr `xml:",any,attr"`
}

type testcase struct {
	Classname  string     `xml:"classname,attr"`
	Name       string     `xml:"name,attr"`
	File       string     `xml:"file,attr"`
	Line       string     `xml:"line,attr"`
	Time       string     `xml:"time,attr"`
	Properties []listed   `xml:"properties"`
	Failure    []outcome  `xml:"failure"`
	Error      []outcome  `xml:"error"`
	Skipped    []outcome  `xml:"skipped"`
	Output     []string   `xml:"system-out"`
	Other      []anything `xml:",any"`
	Attrs      []xml.Attr `xml:",any,attr"`
}

type listed struct {
	All []struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	} `xml:"property"`
}

type outcome struct {
	Message string `xml:"message,attr"`
	Body    string `xml:",chardata"`
}

type anything struct{ XMLName xml.Name }

func parse(t *testing.T, file []byte) *suites {
	t.Helper()
	var s suites
	dec := xml.NewDecoder(bytes.NewReader(file))
	dec.Strict = true // refuses characters that XML 1.0 does not have
	if err := dec.Decode(&s); err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	if rest := string(file[dec.InputOffset():]); strings.TrimSpace(rest) != "" {
		t.Errorf("after the document: %q", rest)
	}
	return &s
}

// verify checks that the numbers add up, that names are unique, and that there is one outcome a testcase.
func (s *suites) verify(t *testing.T) {
	t.Helper()
	if len(s.Other)+len(s.Attrs) > 0 {
		t.Errorf("unknown in testsuites: %v %v", s.Other, s.Attrs)
	}
	var sum numbers
	names := map[string]bool{}
	for _, suite := range s.Suites {
		if len(suite.Other)+len(suite.Attrs) > 0 || suite.Name == "" {
			t.Errorf("unknown in testsuite %q: %v %v", suite.Name, suite.Other, suite.Attrs)
		}
		var own numbers
		for _, c := range suite.Cases {
			name := c.Classname + "\n" + c.Name
			if names[name] || c.Classname == "" || c.Name == "" {
				t.Errorf("not a name of its own: %q", name)
			}
			names[name] = true
			c.verify(t)
			own.Tests++
			own.Failures += len(c.Failure)
			own.Errors += len(c.Error)
			own.Skipped += len(c.Skipped)
		}
		own.Time = suite.Time
		if diff := cmp.Diff(own, suite.numbers); diff != "" {
			t.Errorf("testsuite %q: numbers (-of its testcases +its own):\n%s", suite.Name, diff)
		}
		sum.Tests += own.Tests
		sum.Failures += own.Failures
		sum.Errors += own.Errors
		sum.Skipped += own.Skipped
	}
	sum.Time = s.Time
	if diff := cmp.Diff(sum, s.numbers); diff != "" {
		t.Errorf("numbers (-of the testsuites +the whole):\n%s", diff)
	}
}

func (c *testcase) verify(t *testing.T) {
	t.Helper()
	if len(c.Other)+len(c.Attrs) > 0 {
		t.Errorf("unknown in testcase %q: %v %v", c.Name, c.Other, c.Attrs)
	}
	outcomes := append(append(append([]outcome{}, c.Failure...), c.Error...), c.Skipped...)
	if len(outcomes) > 1 || len(c.Properties) > 1 || len(c.Output) > 1 {
		t.Errorf("testcase %q: more than one outcome, properties or output", c.Name)
	}
	for _, o := range outcomes {
		if strings.TrimSpace(o.Message) == "" || strings.TrimSpace(o.Body) == "" || strings.Contains(o.Message, "\n") {
			t.Errorf("testcase %q: message %q, body %q", c.Name, o.Message, o.Body)
		}
	}
	if whole, decimals, _ := strings.Cut(c.Time, "."); whole == "" || len(decimals) != 3 {
		t.Errorf("testcase %q: time %q", c.Name, c.Time)
	}
	if c.Line != "" {
		if n, err := strconv.Atoi(c.Line); err != nil || n < 1 {
			t.Errorf("testcase %q: line %q", c.Name, c.Line)
		}
	}
}

// TestReadsOnlyWhatDidNotPass holds the report by scenario to its promise.
func TestReadsOnlyWhatDidNotPass(t *testing.T) {
	t.Parallel()
	run := resulttest.Big(200)
	run.Trials = onlyNotPassed{run.Trials, run}
	write(t, run, junit.Options{})
}

type onlyNotPassed struct {
	result.Source
	run *result.Run
}

func (s onlyNotPassed) Trial(i int) (*result.Trial, error) {
	if s.run.Briefs.At(i).Status == result.Passed {
		return nil, fmt.Errorf("trial %d passed and was read", i)
	}
	return s.Source.Trial(i)
}

func TestNamesRepeat(t *testing.T) {
	t.Parallel()
	names := func(run *result.Run) (all []string) {
		for _, s := range parse(t, write(t, run, junit.Options{})).Suites {
			for _, c := range s.Cases {
				all = append(all, c.Classname+" "+c.Name)
			}
		}
		return all
	}
	want := []string{"scenarios.status order-status [gpt-4o-mini]", "scenarios.status order-status [claude-haiku]",
		"scenarios.status order-status [gpt-4o]"}
	if diff := cmp.Diff(want, names(resulttest.Flaky())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file, region    string
		classname, want string
	}{
		"plain":         {"scenarios/refund.yaml", "default", "scenarios.refund", "a [p]"},
		"region":        {"scenarios/refund.yaml", "eu", "scenarios.refund", "a [p eu]"},
		"outside":       {"../x/./refund.yaml", "", "x.refund", "a [p]"},
		"absolute":      {"/srv/refund.yaml", "", "srv.refund", "a [p]"},
		"windows":       {`scenarios\refund.yml`, "", "scenarios.refund", "a [p]"},
		"no file":       {"", "", "arena", "a [p]"},
		"two of a name": {"twice.yaml", "", "twice", "a [p]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := resulttest.NewRun("names", &result.Trial{ID: "a", Scenario: "a", Provider: "p", Region: c.region, Trials: 1})
			inFiles(run, c.file)
			got := parse(t, write(t, run, junit.Options{})).Suites[0].Cases[0]
			if diff := cmp.Diff([]string{c.classname, c.want}, []string{got.Classname, got.Name}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// inFile moves a trial to a scenario of another file.
// inFiles puts the trials of a run into files.
func inFiles(run *result.Run, names ...string) {
	resulttest.Change(run, func(i int, b *result.Brief) { b.File = names[i] })
}

func TestNamesTakenTwiceAreNumbered(t *testing.T) {
	t.Parallel()
	one := &result.Trial{ID: "a", Scenario: "a", Provider: "p", Trials: 1}
	two := &result.Trial{ID: "a", Scenario: "a", Provider: "p", Trials: 1}
	run := resulttest.NewRun("names", one, two)
	inFiles(run, "a.yaml", "a.json")
	doc := parse(t, write(t, run, junit.Options{}))
	doc.verify(t)
	if got := doc.Suites[1].Cases[0].Name; got != "a [p] (2)" {
		t.Errorf("got %q", got)
	}
}

// TestNeverGreenerThanTheRun fails a run on a skipped trial.
func TestNeverGreenerThanTheRun(t *testing.T) {
	t.Parallel()
	skipped := &result.Trial{ID: "a", Scenario: "a", Provider: "p", Trials: 1, Status: result.Skipped}
	run := resulttest.NewRun("skips", skipped)
	run.FailOn = []string{result.FailOnSkipped}
	run.Settle()
	doc := parse(t, write(t, run, junit.Options{}))
	doc.verify(t)
	if doc.Failures != 1 {
		t.Errorf("the run exits with %d and the report has %d failures", run.Exit(false), doc.Failures)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, by := range []junit.Granularity{junit.ByScenario, junit.ByCheck} {
		run := resulttest.OneFailed()
		run.Trials = resulttest.Memory(nil)
		if err := junit.Write(io.Discard, run, junit.Options{Granularity: by}); err == nil {
			t.Errorf("by %s: a source that cannot be read was accepted", by)
		}
	}
	if err := junit.Write(fullDisk{}, resulttest.OneFailed(), junit.Options{}); !errors.Is(err, errFull) {
		t.Errorf("full disk: got %v", err)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func BenchmarkWrite(b *testing.B) {
	run := resulttest.Big(10_000)
	b.ReportAllocs()
	for b.Loop() {
		if err := junit.Write(io.Discard, run, junit.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
