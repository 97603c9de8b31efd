package cache

import (
	"os"
	"path/filepath"
	"testing"
)

// TestUnkept counts the replies that could not be stored, whatever the reason, and returns the first error.
func TestUnkept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Store{Dir: file, Note: func(text string) { t.Errorf("noted: %s", text) }}
	for range 2 {
		s.save(&entry{Version: version, Key: "ab00"})
	}
	if n, why := s.Unkept(); n != 2 || why == nil {
		t.Errorf("%d replies were not kept: %v, want 2 and a reason", n, why)
	}
	if n, why := (*Store)(nil).Unkept(); n != 0 || why != nil {
		t.Errorf("without a cache %d replies were not kept: %v", n, why)
	}
}

// TestGone: replies that somebody removes while the run goes on are missed at its end.
func TestGone(t *testing.T) {
	t.Parallel()
	s := &Store{Dir: filepath.Join(t.TempDir(), "cache")}
	for _, key := range []string{"ab00", "cd00"} {
		if s.save(&entry{Version: version, Key: key}); s.Gone() != "" {
			t.Errorf("%s is gone", s.Gone())
		}
		if key == "ab00" {
			continue
		}
		if err := os.RemoveAll(filepath.Dir(s.file("ab00"))); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Gone(); got != s.file("ab00") {
		t.Errorf("gone is %q", got)
	}
	if got := (*Store)(nil).Gone(); got != "" {
		t.Errorf("without a cache %s is gone", got)
	}
}

// TestAnew asks again for what an earlier run kept, once, and keeps what is said now.
func TestAnew(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	model := helloModel()
	ask := func(s *Store) bool {
		t.Helper()
		reply, err := s.Wrap(model, spec()).Complete(t.Context(), question(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return reply.Cached
	}
	for i, run := range []struct {
		again bool
		want  []bool // cached
	}{{false, []bool{false, true}}, {true, []bool{false, true}}, {false, []bool{true}}} {
		s := &Store{Dir: dir, Anew: run.again, Note: func(text string) { t.Error(text) }}
		for k, want := range run.want {
			if got := ask(s); got != want {
				t.Errorf("run %d, call %d: from the cache: %v, want %v", i, k, got, want)
			}
		}
	}
}
