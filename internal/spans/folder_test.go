package spans_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/spans"
)

const (
	oneSpan   = `{"name":"one","span_id":"1"}` + "\n"
	otherSpan = `{"name":"two","span_id":"2"}` + "\n"
)

// TestFolder: files of spans are read, and other entries are reported.
func TestFolder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		files  map[string]string // a name that ends in / is a folder
		want   string            // the names of the spans
		unread string
		lost   string
	}{
		{name: "nothing"},
		{name: "usual", files: map[string]string{"spans.jsonl": oneSpan + otherSpan}, want: "one two"},
		{name: "another name", files: map[string]string{"agent-7.jsonl": oneSpan}, want: "one"},
		{name: "two files", files: map[string]string{"a.jsonl": otherSpan, "spans.jsonl": oneSpan}, want: "two one"},
		{name: "a log", files: map[string]string{"log.jsonl": `{"level":"info"}` + "\n", "spans.jsonl": oneSpan},
			want: "one", unread: `"log.jsonl" in the folder for traces was not read`},
		{name: "a span within a log", files: map[string]string{"log.jsonl": `{"level":"info"}` + "\n" + oneSpan},
			want: "one", lost: "log.jsonl: line 1: this is no span"},
		{name: "a bad line", files: map[string]string{"spans.jsonl": "nonsense\n", "z.jsonl": oneSpan},
			want: "one", lost: "spans.jsonl: line 1: "},
		{name: "no lines", files: map[string]string{"spans.json": `[` + oneSpan + `]`, "traces/": "", "x.lock": ""},
			unread: `"spans.json" and 1 other in the folder`},
		{name: "a folder in its place", files: map[string]string{"spans.jsonl/": ""}, lost: "it is a folder"},
		{name: "a folder for lines", files: map[string]string{"x.jsonl/": ""}, unread: `"x.jsonl" in the folder`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := spans.MarkEmpty(dir); err != nil {
				t.Fatal(err)
			}
			for name, text := range c.files {
				path := filepath.Join(dir, name)
				var err error
				if strings.HasSuffix(name, "/") {
					err = os.Mkdir(path, 0o700)
				} else {
					err = os.WriteFile(path, []byte(text), 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			f := spans.NewFolder(dir)
			list, err := f.Read(true)
			if got := namesOf(list); got != c.want {
				t.Errorf("spans %q, want %q", got, c.want)
			}
			if (err == nil) != (c.lost == "") || err != nil && !strings.Contains(err.Error(), c.lost) {
				t.Errorf("%v, want %q", err, c.lost)
			}
			if reported := f.Unread(); (reported == "") != (c.unread == "") || !strings.HasPrefix(reported, c.unread) {
				t.Errorf("unread: %q, want %q", reported, c.unread)
			}
		})
	}
}

// TestFolderInPieces: every span is read exactly once.
func TestFolderInPieces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "spans.jsonl")
	f := spans.NewFolder(dir)
	for _, step := range []struct{ text, want, lost string }{
		{oneSpan, "one", ""},
		{oneSpan + otherSpan[:10], "", ""},
		{oneSpan + otherSpan, "two", ""},
		{oneSpan, "", "it became shorter"},
	} {
		if err := os.WriteFile(path, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, err := f.Read(false)
		if got := namesOf(list); got != step.want {
			t.Errorf("%q: spans %q, want %q", step.text, got, step.want)
		}
		if (err == nil) != (step.lost == "") || err != nil && !strings.Contains(err.Error(), step.lost) {
			t.Errorf("%v, want %q", err, step.lost)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if list, err := f.Read(true); list != nil || err != nil {
		t.Errorf("%v, %v of a folder that was removed", list, err)
	}
}

func namesOf(list []spans.Span) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Name
	}
	return strings.Join(names, " ")
}

// TestUntouched: a folder in which something was created is not considered empty, even if it was deleted.
func TestUntouched(t *testing.T) {
	t.Parallel()
	write := func(path string) error { return os.WriteFile(filepath.Join(path, "spans.jsonl"), nil, 0o600) }
	for _, c := range []struct {
		name string
		do   func(path string) error
		want bool
	}{
		{"nothing", func(string) error { return nil }, true},
		{"listed", func(path string) error { _, err := os.ReadDir(path); return err }, true},
		{"a file", write, false},
		{"a file that was removed", func(path string) error {
			return errors.Join(write(path), os.Remove(filepath.Join(path, "spans.jsonl")))
		}, false},
		{"a folder", func(path string) error { return os.Mkdir(filepath.Join(path, "x"), 0o700) }, false},
		{"a link", func(path string) error { return os.Symlink(path, filepath.Join(path, "x")) }, false},
		{"removed", os.RemoveAll, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before, path := filepath.Join(t.TempDir(), "1"), filepath.Join(t.TempDir(), "2")
			if err := errors.Join(os.Mkdir(before, 0o700), spans.MarkEmpty(before), os.Rename(before, path)); err != nil {
				t.Fatal(err)
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			if got := spans.Untouched(path); got != c.want {
				t.Errorf("untouched: %t, want %t", got, c.want)
			}
		})
	}
}
