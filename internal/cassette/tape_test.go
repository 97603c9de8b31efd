package cassette

import (
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/chat"
)

// filesIn returns the files below a folder, with their content.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*", "*/*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil { // an error means a folder
				found[strings.TrimPrefix(name, dir)] = string(data)
			}
		}
	}
	return found
}

// TestTapes: one machine records a trial, another keeps exactly that recording, with its media, once.
func TestTapes(t *testing.T) {
	t.Parallel()
	there, here := folderIn(t.TempDir(), false), folderIn(t.TempDir(), false)
	there.Tapes, there.Redact = &Tapes{}, []string{"n", "none"}
	here.Redact = there.Redact
	tape := open(t, there)
	m := &model{reply: chat.Reply{Parts: []chat.Part{
		{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: base64.StdEncoding.EncodeToString(make([]byte, 5000))}},
	}, ToolCalls: []chat.ToolCall{{ID: "1", Name: "pay", Args: map[string]any{"n": "secret"}}}}}
	if _, err := tape.Lane("turn 1").Complete(t.Context(), m, "m", request("Hi"), nil); err != nil {
		t.Fatal(err)
	}
	trial := Trial{trialID, trialID}
	if early, err := there.Take(trial); early != nil || err != nil {
		t.Errorf("a trial that has not ended has %v, %v", early, err)
	}
	closed(t, tape)
	part := here.partPlaces(trialID)[0].path
	if err := os.WriteFile(part, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := there.Take(trial)
	if err != nil || len(got.Media) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, err := there.Take(trial); again != nil || err != nil {
		t.Errorf("it is taken twice: %v, %v", again, err)
	}
	if err := here.Put(trial, got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(filesIn(t, there.Dir), filesIn(t, here.Dir)); diff != "" {
		t.Errorf("(-recorded +kept):\n%s", diff)
	}
	for _, c := range here.Claims() {
		if met := c.Key == "--redact n"; c.Met != met {
			t.Errorf("%s: met %t", c.Key, c.Met)
		}
	}
}

// TestTapesOfStrangers: a tape that is not a cassette of the trial is refused, and existing files stay.
func TestTapesOfStrangers(t *testing.T) {
	t.Parallel()
	d := folderIn(t.TempDir(), false)
	d.Tapes = &Tapes{}
	tape := open(t, d)
	if _, err := tape.Lane("turn 1").Complete(t.Context(), &model{reply: chat.Reply{Content: "yo"}}, "m", request("Hi"),
		nil); err != nil {
		t.Fatal(err)
	}
	closed(t, tape)
	good, err := d.Take(Trial{trialID, trialID})
	if err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, d.Dir)
	for want, c := range map[string]struct {
		of   Trial
		tape Tape
	}{
		`holds "refund`:     {Trial{"other", "other"}, *good},
		"it is named for":   {Trial{"other", trialID}, *good},
		"the cassette is e": {Trial{trialID, trialID}, Tape{}},
		"must be a map":     {Trial{trialID, trialID}, Tape{File: `"text"`}},
		"another hash":      {Trial{trialID, trialID}, Tape{File: good.File, Media: map[string][]byte{hashOf(nil): []byte("x")}}},
	} {
		if err := d.Put(c.of, &c.tape); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if after := filesIn(t, d.Dir); !maps.Equal(before, after) {
		t.Errorf("the folder holds %v", after)
	}
}
