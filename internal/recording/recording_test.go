package recording

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/report/golden"
)

// TestGood reads every recording in testdata/good and compares its sessions with the golden file beside it.
func TestGood(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t, "good") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f, err := Open(path, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			show(t, &out, map[string]any{"format": f.Format(), "notes": f.Notes(), "sessions": f.Sessions()})
			for i, ref := range f.Sessions() {
				s, err := f.Load(i)
				if err != nil {
					t.Fatal(err)
				}
				if s.ID != ref.ID || len(s.Messages) != ref.Messages || s.Model != ref.Model {
					t.Errorf("session %d is %s with %d messages, its ref %+v", i, s.ID, len(s.Messages), ref)
				}
				show(t, &out, s)
			}
			golden.Check(t, strings.TrimPrefix(path, "testdata/")+".golden", out.Bytes())
		})
	}
}

// TestBad opens every file in testdata/bad, which must fail, and compares the messages.
func TestBad(t *testing.T) {
	t.Parallel()
	for _, path := range fixtures(t, "bad") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			f, err := Open(path, Options{})
			if err == nil {
				t.Fatalf("opened as %s with %d sessions", f.Format(), len(f.Sessions()))
			}
			golden.Check(t, strings.TrimPrefix(path, "testdata/")+".golden", []byte(err.Error()+"\n"))
		})
	}
}

func fixtures(t *testing.T, folder string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", folder, "*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no fixtures in %s: %v", folder, err)
	}
	for i, p := range all {
		all[i] = filepath.ToSlash(p)
	}
	return slices.DeleteFunc(all, func(p string) bool { return filepath.Ext(p) == ".golden" })
}

// show writes a value as JSON, without empty fields.
func show(t *testing.T, out *bytes.Buffer, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(prune(tree)); err != nil {
		t.Fatal(err)
	}
}

func prune(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			if v[k] = prune(member); empty(v[k]) {
				delete(v, k)
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = prune(v[i])
		}
		if len(v) == 0 {
			return nil
		}
	}
	return v
}

func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == "" || v == "0001-01-01T00:00:00Z"
	case json.Number:
		return v == "0"
	case bool:
		return !v
	}
	return false
}
