package shards_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/shards"
)

// journalOf is the journal of a shard of a plan of six trials, of which the shard n has those at 2n-2 and 2n-1.
func journalOf(t *testing.T, n int) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "journal.jsonl")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	j, err := result.NewJournal(f, result.JournalHeader{
		Arena: "1", Name: "shop", Started: time.Unix(int64(n), 0).UTC(), Planned: 2, Spec: &result.Spec{Command: "run"},
		Shard: &result.Shard{Number: n, Of: 3, Plan: "sum", Planned: 6}, Places: [][2]int{{2*n - 2, 2 * n}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		trial := &result.Trial{
			Index: i, ID: fmt.Sprintf("s%d", 2*n-2+i), Scenario: fmt.Sprintf("s%d", 2*n-2+i), Trial: 1, Trials: 1,
			Turns: []result.Turn{}, Conversation: []result.Verdict{},
		}
		trial.Settle()
		line, err := result.EncodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Write(trial, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(result.JournalFooter{DurationMS: float64(n), Shard: &result.ShardEnd{}}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// joined takes journals together; nil: they were refused.
func joined(t *testing.T, journals ...[]byte) *shards.Set {
	t.Helper()
	dir := t.TempDir()
	var parts []*shards.Part
	for i, data := range journals {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := shards.Open(path)
		if err != nil {
			return nil
		}
		t.Cleanup(func() { _ = p.Close() })
		parts = append(parts, p)
	}
	set, err := shards.Join(parts)
	if err != nil {
		return nil
	}
	return set
}

// merged puts journals together, and reads the run that they make; nil: they were refused.
func merged(t *testing.T, journals ...[]byte) (*shards.Set, *result.Run) {
	t.Helper()
	set := joined(t, journals...)
	if set == nil {
		return nil, nil
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if _, err := set.Write(f, set.Header()); err != nil {
		t.Fatal(err)
	}
	ledger, err := result.ReadJournal(f)
	if err != nil {
		t.Fatal(err)
	}
	set.NoteDamage(ledger.Damaged)
	return set, ledger.Run
}

// TestMerge: the run has the trials of all shards at their places in the plan, whichever comes first.
func TestMerge(t *testing.T) {
	t.Parallel()
	set, run := merged(t, journalOf(t, 3), journalOf(t, 1), journalOf(t, 2))
	if set == nil || len(set.Holes) > 0 || run.Status != result.Passed || run.Planned != 6 || run.Briefs.Len() != 6 {
		t.Fatalf("%+v %+v", set, run)
	}
	for i := range run.Briefs.Len() {
		if want := fmt.Sprintf("s%d", i); run.Briefs.At(i).ID != want || run.Briefs.At(i).Index != i {
			t.Errorf("the trial %d is %s at %d", i, run.Briefs.At(i).ID, run.Briefs.At(i).Index)
		}
	}
	if run.Started != time.Unix(1, 0).UTC() || set.Lasted() != 3*time.Millisecond {
		t.Errorf("it started at %s and lasted %s", run.Started, set.Lasted())
	}
}

// TestShardsOfAnotherDay: one that began long before the others is told.
func TestShardsOfAnotherDay(t *testing.T) {
	t.Parallel()
	now, before := journalOf(t, 1), journalOf(t, 2)
	before = bytes.Replace(before, []byte(`"started":"1970-01-01T00:00:02Z"`), []byte(`"started":"1969-12-30T00:00:02Z"`), 1)
	for _, tt := range []struct {
		second []byte
		want   int
	}{{before, 1}, {journalOf(t, 2), 0}} {
		set, run := merged(t, now, tt.second, journalOf(t, 3))
		if run == nil {
			t.Fatal("refused")
		}
		_, own, _ := set.Warnings()
		if len(own) != tt.want || tt.want > 0 && !strings.Contains(own[0], " at 1969-12-30T00:00:02Z, ") {
			t.Errorf("%q", own)
		}
	}
}

// TestCutAnywhere: a shard whose journal is cut at any byte, or lacks any of its lines, is refused, or what is missing
// is told. Nothing that is there is lost, and nothing is green.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	one, two, three := journalOf(t, 1), journalOf(t, 2), journalOf(t, 3)
	check := func(name string, broken []byte, trials int) {
		set, run := merged(t, one, broken, three)
		switch {
		case set == nil:
		case len(set.Holes) == 0:
			t.Errorf("%s: nothing is missing", name)
		case run.Status == result.Passed && trials < 2, run.Briefs.Len() != 4+trials:
			t.Errorf("%s: %s with %d trials, want %d", name, run.Status, run.Briefs.Len(), 4+trials)
		}
	}
	for at := range len(two) - 1 { // the last byte is a line break
		whole := min(max(bytes.Count(two[:at+1], []byte("}\n"))-1, 0), 2)
		if !bytes.HasSuffix(two[:at], []byte("\n")) && bytes.HasSuffix(two[:at], []byte("}}")) {
			whole = min(max(bytes.Count(append(bytes.Clone(two[:at]), '\n'), []byte("}\n"))-1, 0), 2)
		}
		if at%5 > 0 { // most of them without the merge, which waits for the disk
			if set := joined(t, one, two[:at], three); set != nil && len(set.Holes) == 0 {
				t.Errorf("cut at byte %d: nothing is missing", at)
			}
			continue
		}
		check(fmt.Sprintf("cut at byte %d", at), two[:at], whole)
	}
	lines := strings.SplitAfter(string(two), "\n")
	for i := range lines[:4] {
		less := strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "")
		check(fmt.Sprintf("without line %d", i+1), []byte(less), []int{0, 1, 1, 2}[i])
		more := strings.Join(append(append(append([]string{}, lines[:i+1]...), lines[i]), lines[i+1:]...), "")
		if set, run := merged(t, one, []byte(more), three); i == 1 || i == 2 {
			if set == nil || len(set.Holes) != 1 || run.Briefs.Len() != 6 {
				t.Errorf("with line %d twice: %+v", i+1, set)
			}
		} else if set != nil && run.Briefs.Len() > 6 {
			t.Errorf("with line %d twice there are %d trials", i+1, run.Briefs.Len())
		}
	}
}

// TestNotOfOneRun: what is no shard of the same run is refused, with the reason.
func TestNotOfOneRun(t *testing.T) {
	t.Parallel()
	replace := func(old, now string) []byte {
		return bytes.Replace(journalOf(t, 2), []byte(old), []byte(now), 1)
	}
	for why, second := range map[string][]byte{
		`of the project "shop", the other of "bank"`: replace(`"name":"shop"`, `"name":"bank"`),
		"run by arena 1, the other by 2":             replace(`"arena":"1"`, `"arena":"2"`),
		"different --lenient":                        replace(`"spec":{`, `"spec":{"lenient":true,`),
		"different --exit-zero":                      replace(`"fail_on":null`, `"fail_on":null,"exit_zero":true`),
		"different files":                            replace(`"spec":{`, `"spec":{"paths":["x"],`),
		"their plans differ":                         replace(`"plan":"sum"`, `"plan":"other"`),
		"each is the shard 1/3":                      replace(`"number":2`, `"number":1`),
		"one is the shard 1/3, the other 2/4":        replace(`"of":3`, `"of":4`),
		"have trials in common":                      replace(`"places":[[2,4]]`, `"places":[[1,3]]`),
		"declare different things":                   replace(`"fail_on":null`, `"fail_on":["warning"]`),
		"corrupt journal: its header has the places": replace(`"places":[[2,4]]`, `"places":[[5,7]]`),
		"corrupt journal: its header has the shard":  replace(`"number":2`, `"number":4`),
		"is merged already":                          replace(`"fail_on":null`, `"fail_on":null,"merged":{"of":3}`),
		"is the run of a whole plan":                 replace(`"shard":{`, `"other":{`),
		"is no run of agents":                        replace(`"command":"run"`, `"command":"rejudge"`),
		"the journal has version 2":                  replace(`{"journal":1`, `{"journal":2`),
		"has the key \"planned\" twice":              replace(`"planned":2`, `"planned":2,"planned":3`),
		"not a journal":                              []byte("{}\n"),
	} {
		var parts []*shards.Part
		var err error
		for i, data := range [][]byte{journalOf(t, 1), second} {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i))
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			var p *shards.Part
			if p, err = shards.Open(path); err != nil {
				break
			}
			t.Cleanup(func() { _ = p.Close() })
			parts = append(parts, p)
		}
		if err == nil {
			_, err = shards.Join(parts)
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("want %q, got %v", why, err)
		}
	}
}
