package cassette

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plainfile"
)

// partOf returns the path of the part of these tests' trial.
func partOf(dir string) string { return (&Folder{Dir: dir}).partPlaces(trialID)[0].path }

// ask has a model answer each text in a turn of its own, and returns how often the model was called.
func ask(t *testing.T, tape *Recorder, m *counted, texts ...string) (calls int) {
	t.Helper()
	before := m.calls
	tape.SetSource("here")
	for _, text := range texts {
		m.reply = chat.Reply{Content: "answer to " + text, FinishReason: "stop"}
		reply, err := tape.Lane("turn "+text).Complete(t.Context(), m, "m", request(text), nil)
		if err != nil || !strings.HasPrefix(reply.Content, "answer to "+text) {
			t.Errorf("%s: got %q, %v", text, reply.Content, err)
		}
	}
	return m.calls - before
}

// TestPart resumes a trial that was interrupted after two of three answers, with various changes to its folder.
func TestPart(t *testing.T) {
	t.Parallel()
	edit := func(f func(text string) string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			text, err := os.ReadFile(partOf(dir))
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(partOf(dir), []byte(f(string(text))), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	lines := func(text string) []string { return strings.SplitAfter(text, "\n") }
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, dir string)
		now       func(d *Folder)
		asked     int
	}{
		"nothing": {asked: 1},
		"the last line is cut": {
			meanwhile: edit(func(text string) string { return text[:len(text)-9] }), asked: 2,
		},
		"the last line end is cut": {
			meanwhile: edit(func(text string) string { return text[:len(text)-1] }), asked: 2,
		},
		"the middle is damaged": {
			meanwhile: edit(func(text string) string {
				l := lines(text)
				return l[0] + "x" + l[1] + l[2]
			}),
			asked: 3,
		},
		"the head is gone": {
			meanwhile: edit(func(text string) string { return strings.Join(lines(text)[1:], "") }), asked: 3,
		},
		"it is empty":        {meanwhile: edit(func(string) string { return "" }), asked: 3},
		"it is of the other": {meanwhile: edit(func(text string) string { return strings.Replace(text, "#2", "#3", 1) }), asked: 3},
		"another version": {
			meanwhile: edit(func(text string) string { return strings.Replace(text, `_part":1`, `_part":2`, 1) }), asked: 3,
		},
		"all is recorded anew": {now: func(d *Folder) { d.RecordAll = true }, asked: 3},
		"that goes on":         {now: func(d *Folder) { d.RecordAll, d.Continue = true, true }, asked: 1},
		"only what is missing": {now: func(d *Folder) { d.Replay, d.Fill = true, true }, asked: 1},
		"a secret is known now": {
			now:   func(d *Folder) { d.Secrets = func() []string { return []string{"answer to 2"} } },
			asked: 2,
		},
		"fields are redacted now": {now: func(d *Folder) { d.Redact = []string{"card"} }, asked: 3},
		"it was moved out by a link": {
			meanwhile: func(t *testing.T, dir string) {
				t.Helper()
				if runtime.GOOS == "windows" {
					t.Skip("links need a right there")
				}
				other := filepath.Join(t.TempDir(), "other")
				if err := os.Rename(partOf(dir), other); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(other, partOf(dir)); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					if text, err := os.ReadFile(other); err != nil || strings.Contains(string(text), "answer to 3") {
						t.Errorf("written through a link: %v", err)
					}
				})
			},
			asked: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			m := &counted{}
			tape := open(t, folderIn(dir, false))
			ask(t, tape, m, "1", "2")
			if _, err := tape.Close(false); err != nil {
				t.Fatal(err)
			}
			if c.meanwhile != nil {
				c.meanwhile(t, dir)
			}
			goesOn := func() *Recorder {
				d := folderIn(dir, false)
				if c.now != nil {
					c.now(d)
				}
				return open(t, d)
			}
			tape = goesOn()
			if n := ask(t, tape, m, "1", "2", "3"); n != c.asked {
				t.Errorf("asked %d times, want %d", n, c.asked)
			}
			closed(t, tape)
			left, err := filepath.Glob(filepath.Join(dir, "*"))
			if err != nil || len(left) != 1 || filepath.Ext(left[0]) != ".json" {
				t.Errorf("the folder holds %v: %v", left, err)
			}
		})
	}
}

// TestPartOfManyInterruptions resumes again and again. Each time one answer is added and the last line is cut.
func TestPartOfManyInterruptions(t *testing.T) {
	t.Parallel()
	dir, m := t.TempDir(), &counted{}
	texts := []string{"1", "2", "3", "4", "5", "6"}
	for n := range texts {
		tape := open(t, folderIn(dir, false))
		if calls := ask(t, tape, m, texts[:n+1]...); calls != 1 {
			t.Errorf("%d: asked %d times", n, calls)
		}
		if _, err := tape.Close(false); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(partOf(dir), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(`{"kind":"model","at":"turn`); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	tape := open(t, folderIn(dir, false))
	if calls := ask(t, tape, m, texts...); calls != 0 {
		t.Errorf("asked %d times", calls)
	}
	closed(t, tape)
	replay := open(t, folderIn(dir, true))
	for _, text := range texts {
		if _, err := replay.Lane("turn "+text).Complete(t.Context(), nil, "m", request(text), nil); err != nil {
			t.Error(err)
		}
	}
	closed(t, replay)
}

// TestPartBesideItsCassette: a process that ends after it wrote a cassette and before it removed the part leaves both.
// The answers in both count once.
func TestPartBesideItsCassette(t *testing.T) {
	t.Parallel()
	dir, m := t.TempDir(), &counted{}
	tape := open(t, folderIn(dir, false))
	ask(t, tape, m, "1", "2")
	part, err := os.ReadFile(partOf(dir))
	if err != nil {
		t.Fatal(err)
	}
	closed(t, tape)
	if err := os.WriteFile(partOf(dir), part, 0o600); err != nil {
		t.Fatal(err)
	}
	tape = open(t, folderIn(dir, false))
	if n := ask(t, tape, m, "1", "2", "2"); n != 1 {
		t.Errorf("asked %d times: one question is new", n)
	}
	closed(t, tape)
}

// TestPartHoldsNoSecret looks for secrets in the part file of an unfinished trial.
func TestPartHoldsNoSecret(t *testing.T) {
	t.Parallel()
	dir, m := t.TempDir(), &counted{}
	d := folderIn(dir, false)
	d.Secrets = func() []string { return []string{"sk-hunter2hunter2"} }
	tape := open(t, d)
	ask(t, tape, m, "1", "sk-hunter2hunter2", "3")
	if _, err := tape.Close(false); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(partOf(dir))
	if err != nil || strings.Contains(string(text), "hunter2") || !strings.Contains(string(text), "answer to 3") {
		t.Errorf("%v: the part holds\n%s", err, text)
	}
	d = folderIn(dir, false)
	d.Redact = []string{"card"}
	tape = open(t, d)
	ask(t, tape, m, "4")
	if again, err := os.ReadFile(partOf(dir)); err != nil || string(again) != string(text) {
		t.Errorf("with fields to redact nothing may be added: %v", err)
	}
	closed(t, tape)
}

// TestPartElsewhere: answers that cannot be written to the folder are in the spare folder.
func TestPartElsewhere(t *testing.T) {
	t.Parallel()
	dir, spare, m := t.TempDir(), filepath.Join(t.TempDir(), "spare"), &counted{}
	inTheWay := filepath.Join(partOf(dir), "in", "the", "way")
	if err := os.MkdirAll(inTheWay, 0o755); err != nil {
		t.Fatal(err)
	}
	d := folderIn(dir, false)
	d.Spare = spare
	tape := open(t, d)
	ask(t, tape, m, "1", "2")
	if _, err := tape.Close(false); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(partOf(dir)); err != nil {
		t.Fatal(err)
	}
	d = folderIn(dir, false)
	d.Spare = spare
	tape = open(t, d)
	if n := ask(t, tape, m, "1", "2", "3"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	closed(t, tape)
	if _, err := os.Stat(spare); !os.IsNotExist(err) {
		t.Errorf("the spare folder stays: %v", err)
	}
}

// TestPartOfWhatCannotBeWritten: the part stays when the cassette cannot be written, so that the trial is not paid for
// twice.
func TestPartOfWhatCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir, m := t.TempDir(), &counted{}
	d := folderIn(dir, false)
	tape := open(t, d)
	ask(t, tape, m, "1", "2")
	if err := os.MkdirAll(filepath.Join(d.file(trialID), "in", "the", "way"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := tape.Close(true); err == nil {
		t.Error("written over a folder")
	}
	if err := os.RemoveAll(d.file(trialID)); err != nil {
		t.Fatal(err)
	}
	tape = open(t, folderIn(dir, false))
	if n := ask(t, tape, m, "1", "2"); n != 0 {
		t.Errorf("asked %d times", n)
	}
	closed(t, tape)
}

// TestPartThatIsSomethingElse: a file that is in the place of a part and is not one is not read to its end, and
// reported.
func TestPartThatIsSomethingElse(t *testing.T) {
	t.Parallel()
	for what, put := range map[string]func(path string) error{
		"it is a folder":          func(path string) error { return os.Mkdir(path, 0o755) },
		"it holds something else": func(path string) error { return os.WriteFile(path, []byte("{\"a\":1}\n"), 0o600) },
		"the limit is 512 MiB": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(plainfile.MaxRead+1), f.Close()) // a sparse file
		},
	} {
		dir := t.TempDir()
		if err := put(partOf(dir)); err != nil {
			t.Fatal(err)
		}
		d := folderIn(dir, false)
		if n := ask(t, open(t, d), &counted{}, "a"); n != 1 {
			t.Errorf("%s: asked %d times", what, n)
		}
		if warnings := d.Unread(); len(warnings) != 1 || !strings.Contains(warnings[0].Msg, what) {
			t.Errorf("%s: told %v", what, warnings)
		}
	}
	if warnings := folderIn(t.TempDir(), false).Unread(); warnings != nil {
		t.Errorf("told %v of nothing", warnings)
	}
}

// TestGone: cassettes that somebody removes while the run goes on are missed at its end.
func TestGone(t *testing.T) {
	t.Parallel()
	d := folderIn(t.TempDir(), false)
	rec := open(t, d)
	ask(t, rec, &counted{}, "a")
	if _, err := rec.Close(true); err != nil {
		t.Fatal(err)
	}
	if told := d.Gone(); told != nil {
		t.Errorf("told %v, and it is there", told)
	}
	if err := os.RemoveAll(d.Dir); err != nil {
		t.Fatal(err)
	}
	if told := d.Gone(); len(told) != 1 || !strings.Contains(told[0].Msg, ".json is gone") {
		t.Errorf("told %v", told)
	}
	if told := (*Folder)(nil).Gone(); told != nil {
		t.Errorf("told %v of nothing", told)
	}
}
