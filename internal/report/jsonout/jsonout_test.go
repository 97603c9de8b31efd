package jsonout_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/golden"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

func write(t testing.TB, run *result.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jsonout.Write(&b, run); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWrite(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			got := write(t, f.Build())
			validate(t, got)
			if f.Name != "hostile" { // a quarter of a megabyte
				golden.Check(t, f.Name+".json", got)
			}
		})
	}
}

func TestAnEmptyRunIsWhole(t *testing.T) {
	t.Parallel()
	run := resulttest.NewRun("nothing")
	got := write(t, run)
	validate(t, got)
	if !bytes.Contains(got, []byte(`"runs": []`)) {
		t.Errorf("no trials: got\n%s", got)
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	broken := resulttest.OneFailed()
	broken.Trials = resulttest.Memory(nil)
	if err := jsonout.Write(io.Discard, broken); err == nil || !strings.HasPrefix(err.Error(), "runs[0]: ") {
		t.Errorf("source that cannot be read: got %v", err)
	}
	unset := resulttest.OneFailed()
	unset.Status = result.Unset
	if err := jsonout.Write(io.Discard, unset); err == nil {
		t.Error("a run without status was written")
	}
	if err := jsonout.Write(fullDisk{}, resulttest.Big(2000)); !errors.Is(err, errFull) {
		t.Errorf("full disk: got %v", err)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestRoundTrip writes what was read and gets the same values: bytes that are no UTF-8 may be escaped another way.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, f := range golden.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			first := write(t, f.Build())
			run, err := jsonout.Read(bytes.NewReader(first))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(value(t, first), value(t, write(t, run))); diff != "" {
				t.Errorf("(-first +second):\n%s", diff)
			}
			if got, want := run.Exit(false), f.Build().Exit(false); got != want {
				t.Errorf("exit status: got %d, want %d", got, want)
			}
		})
	}
}

func value(t *testing.T, file []byte) any {
	t.Helper()
	v, err := chat.DecodeJSON(file)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestReadKeepsDigits(t *testing.T) {
	t.Parallel()
	run, err := jsonout.Read(bytes.NewReader(write(t, resulttest.Hostile())))
	if err != nil {
		t.Fatal(err)
	}
	trial, err := run.Trials.Trial(1)
	if err != nil {
		t.Fatal(err)
	}
	got := trial.Turns[0].Messages[1].ToolCalls[1].Args["id"]
	if want := json.Number("12345678901234567890"); got != want {
		t.Errorf("a long id: got %v (%T), want %v", got, got, want)
	}
	if _, err := run.Trials.Trial(99); err == nil {
		t.Error("a trial that is not there was read")
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	whole := string(write(t, resulttest.OneFailed()))
	for name, c := range map[string]struct{ file, want string }{
		"empty":          {"", "cut short after 0 bytes"},
		"text":           {"hello", "corrupt after"},
		"a list":         {"[]", "not a results.json"},
		"another object": {`{"total_runs": 3}`, "not a results.json"},
		"no trials":      {`{"schema_version": 1}`, `"runs" is missing`},
		"trials no list": {`{"schema_version": 1, "runs": 3}`, `"runs" is not a list`},
		"newer":          {`{"schema_version": 2, "runs": "?"}`, "has schema_version 2; this arena reads version 1"},
		"version a word": {`{"schema_version": "1", "runs": []}`, "schema_version is not a number"},
		"no status":      {`{"schema_version": 1, "runs": [{"id": "a"}]}`, "runs[0]: a trial without id or status"},
		"strange status": {`{"schema_version": 1, "runs": [{"id": "a", "status": "fine"}]}`,
			`runs[0]: unknown status "fine"`},
		"runs twice":      {`{"schema_version": 1, "runs": [], "runs": []}`, "has \"runs\" twice"},
		"two documents":   {whole + whole, "more than one JSON document"},
		"cut in a trial":  {whole[:len(whole)*2/3], "cut short after"},
		"cut at the end":  {strings.TrimSuffix(whole, "]\n}\n"), "cut short after"},
		"a trial is gone": {withoutLastTrial(whole), "3 trials in the summary, 2 in \"runs\""},
		"garbled":         {strings.Replace(whole, `"id":`, `"id";`, 1), "corrupt after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := jsonout.Read(strings.NewReader(c.file))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error with %q", err, c.want)
			}
		})
	}
}

func withoutLastTrial(whole string) string {
	return whole[:strings.LastIndex(whole, ",\n{")] + "\n  ]\n}\n"
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, resulttest.OneFailed()))
	f.Add([]byte(`{"schema_version":1,"runs":[{"id":"a","status":"passed"}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		run, err := jsonout.Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		for i := range run.Briefs.Len() {
			if _, err := run.Trials.Trial(i); err != nil {
				t.Errorf("trial %d was read and cannot be read again: %v", i, err)
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	const trials = 10_000
	run := resulttest.Big(trials)
	raw, err := run.Trials.Raw(0)
	if err != nil {
		b.Fatal(err)
	}
	run.Trials = sameRaw{run.Trials, raw}
	b.ReportAllocs()
	for b.Loop() {
		if err := jsonout.Write(io.Discard, run); err != nil {
			b.Fatal(err)
		}
	}
}

// sameRaw is a source whose JSON costs nothing, as a journal's does.
type sameRaw struct {
	result.Source
	raw []byte
}

func (s sameRaw) Raw(int) ([]byte, error) { return s.raw, nil }

func BenchmarkRead(b *testing.B) {
	file := write(b, resulttest.Big(1000))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := jsonout.Read(bytes.NewReader(file)); err != nil {
			b.Fatal(err)
		}
	}
}
