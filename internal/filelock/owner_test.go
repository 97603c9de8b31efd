package filelock

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first, second := opened(t, path), opened(t, path)
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	const nobody = "it does not say who it is"
	for _, text := range []string{"", " \n", "a\x1b[2J", "grüße", strings.Repeat("x", maxOwner+1)} {
		if err := first.Truncate(0); err != nil {
			t.Fatal(err)
		}
		if _, err := first.WriteAt([]byte(text), 0); err != nil {
			t.Fatal(err)
		}
		if locked, ok := errors.AsType[*LockedError](Lock(second)); !ok || locked.Owner != nobody {
			t.Errorf("%q: got %v", text, locked)
		}
	}
	if err := Sign(first, time.Unix(1700000000, 0)); err != nil {
		t.Fatal(err)
	}
	locked, ok := errors.AsType[*LockedError](Lock(second))
	if !ok || !errors.Is(locked, ErrLocked) {
		t.Fatalf("got %v", locked)
	}
	if !strings.HasPrefix(locked.Owner, "process ") || !strings.HasSuffix(locked.Owner, " since 2023-11-14T22:13:20Z") {
		t.Errorf("got %q", locked.Owner)
	}
}
