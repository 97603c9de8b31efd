package conformance

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sum is a test topic: two numbers and their sum.
type sum struct {
	Head
	A, B   float64
	Expect struct {
		Sum  *float64
		Even *bool
	}
}

var sums = NewTopic("sums", func(_ context.Context, v *sum, r *Report) error {
	if v.A < 0 {
		return errors.New("the first number is negative")
	}
	Near(r, "sum", v.Expect.Sum, v.A+v.B)
	That(r, "even", v.Expect.Even, int(v.A+v.B)%2 == 0)
	return nil
})

const sumFile = `{"topic": "sums", "about": "additions", "vectors": [
	{"name": "right", "source": "a book", "a": 1, "b": 2, "expect": {"sum": 3.0000001, "even": false}},
	{"name": "wrong", "a": 1, "b": 2, "expect": {"sum": 4, "even": true}},
	{"name": "refused", "a": -1, "b": 2, "expect": {"sum": 1}},
	{"name": "misspelt", "a": 1, "c": 2, "expect": {"sum": 1}},
	{"name": "a wish that nobody knows", "a": 1, "b": 1, "expect": {"sum": 2, "odd": false}},
	{"a": 1, "b": 1, "expect": {}},
	7
]}`

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRun(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"sums.json": sumFile, "other.json": `{"topic": "moons", "vectors": [{}, {}]}`,
		"contains.json": `{"type": "contains"}`, "half.json": `{"topic": "su`, "notes.txt": "no vectors",
	})
	v, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	rest := []string{filepath.Join(dir, "contains.json"), filepath.Join(dir, "half.json")}
	if diff := cmp.Diff(rest, v.Checks); diff != "" {
		t.Errorf("left to the checks (-want +got):\n%s", diff)
	}
	var all strings.Builder
	a := &Agreement{Agree: 2, Total: 2}
	v.Run(t.Context(), []Topic{sums}, a)
	if err := a.Write(&all); err != nil {
		t.Fatal(err)
	}
	want := `sums: 1/7 vectors agree
sums.json: wrong
  want  sum 4, even true
  got   sum 3, even false
sums.json: refused
  want  a vector that can be run
  got   the first number is negative
sums.json: misspelt
  want  a vector that can be run
  got   json: unknown field "c"
sums.json: a wish that nobody knows
  want  a vector that can be run
  got   json: unknown field "odd"
sums.json: vector 6
  want  a vector that can be run
  got   it expects nothing
sums.json: vector 7
  want  a vector that can be run
  got   json: cannot unmarshal number into Go value of type conformance.sum
skipped moons: 2 vectors (not available yet)
checks: 3/9 vectors agree
`
	got := strings.ReplaceAll(all.String(), dir+string(filepath.Separator), "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"empty.json": `{"topic": "sums", "vectors": []}`})
	for path, want := range map[string]string{
		filepath.Join(dir, "empty.json"):   "it holds no vectors",
		filepath.Join(dir, "nowhere.json"): "no such file",
		t.TempDir():                        "no .json file in it",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// full takes no more output.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestRunWithoutSpace(t *testing.T) {
	t.Parallel()
	v, err := Read(filepath.Join(write(t, map[string]string{"sums.json": sumFile}), "sums.json"))
	if err != nil {
		t.Fatal(err)
	}
	a := &Agreement{}
	v.Run(t.Context(), []Topic{sums}, a)
	if err := a.Write(full{}); err == nil {
		t.Error("nothing was said about the full disk")
	}
}
