package diag_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/arena-evals/arena/internal/diag"
)

func TestSorted(t *testing.T) {
	t.Parallel()
	var l diag.List
	l.Errorf(at("b.yaml", 1, 1), 1, "x", "third")
	l.Errorf(at("a.yaml", 9, 1), 1, "x", "second")
	l.Warnf(at("a.yaml", 2, 7), 1, "x", "first")
	l.Errorf(at("b.yaml", 1, 1), 1, "x", "third") // once more, through another config
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Msg)
	}
	if diff := cmp.Diff([]string{"first", "second", "third"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := l.Errors(); got != 3 {
		t.Errorf("errors: got %d, want 3", got)
	}
	l.Promote()
	if got := l.Errors(); got != 4 {
		t.Errorf("errors after promotion: got %d, want 4", got)
	}
}

func TestListIsSafe(t *testing.T) {
	t.Parallel()
	var l diag.List
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				l.Errorf(at("f", int32(i), int32(j)), 1, "x", "%d", j)
			}
		})
	}
	wg.Wait()
	if got := len(l.Sorted()); got != 400 {
		t.Errorf("got %d, want 400", got)
	}
}

func TestPosString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pos  diag.Pos
		want string
	}{{at("f", 3, 4), "f:3:4"}, {at("f", 3, 0), "f:3"}, {at("f", 0, 0), "f"}, {diag.Pos{}, ""}} {
		if got := tt.pos.String(); got != tt.want {
			t.Errorf("%+v: got %q, want %q", tt.pos, got, tt.want)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"assertions", "content", "conversation_assertions", "parts", "persona", "role", "turns", "tools"}
	for name, want := range map[string]string{
		"Assertions": "assertions", "assertion": "assertions", "asertions": "assertions",
		"conversationAssertions": "conversation_assertions", "conversation-assertions": "conversation_assertions",
		"contnet": "content", "rol": "role", "turn": "turns", "xyz": "", "": "", "a": "", "role": "", "tool": "tools",
	} {
		if got := diag.Nearest(name, known); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := diag.Nearest("ab", []string{"ac", "aa"}); got != "aa" {
		t.Errorf("tie: got %q, want the first in order", got)
	}
}

func ExampleDidYouMean() {
	fmt.Println(diag.DidYouMean("tool_caled", []string{"contains", "tool_called"}))
	// Output: did you mean "tool_called"?
}

// TestErrorsAreThoseHeld: every displayed error counts, however it was added, so that it stops every command.
func TestErrorsAreThoseHeld(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fill func(l *diag.List)
		want int
	}{
		"added":     {func(l *diag.List) { l.Add(diag.Diagnostic{Code: "x"}) }, 1},
		"reported":  {func(l *diag.List) { l.Errorf(diag.Pos{}, 0, "x", "m") }, 1},
		"a warning": {func(l *diag.List) { l.Warnf(diag.Pos{}, 0, "x", "m") }, 0},
		"raised later": {func(l *diag.List) {
			l.Warnf(diag.Pos{}, 0, "x", "m").Severity = diag.Error
		}, 1},
		"lowered later": {func(l *diag.List) {
			l.Errorf(diag.Pos{}, 0, "x", "m").Severity = diag.Warning
		}, 0},
		"raised after others were counted": {func(l *diag.List) {
			d := l.Add(diag.Diagnostic{Severity: diag.Warning, Code: "x"})
			l.Errors()
			d.Severity = diag.Error
		}, 1},
		"promoted": {func(l *diag.List) { l.Warnf(diag.Pos{}, 0, "x", "m"); l.Promote() }, 1},
		"lowered after it was promoted": {func(l *diag.List) {
			d := l.Warnf(diag.Pos{}, 0, "x", "m")
			l.Promote()
			d.Severity = diag.Warning
		}, 0},
		"once": {func(l *diag.List) {
			l.Errorf(at("f", 1, 1), 0, "x", "m")
			l.Errorf(at("f", 2, 1), 0, "x", "m")
			l.Once("x")
		}, 1},
		"raised, then once": {func(l *diag.List) {
			l.Warnf(at("f", 1, 1), 0, "x", "m").Severity = diag.Error
			l.Warnf(at("f", 2, 1), 0, "x", "m").Severity = diag.Error
			l.Once("x")
		}, 1},
		"once, behind a warning": {func(l *diag.List) {
			l.Warnf(at("f", 1, 1), 0, "x", "m")
			l.Errorf(at("f", 2, 1), 0, "x", "m")
			l.Once("x")
		}, 1},
		"once, then raised": {func(l *diag.List) {
			d := l.Warnf(at("f", 1, 1), 0, "x", "m")
			l.Once("x")
			d.Severity = diag.Error
		}, 1},
	} {
		var l diag.List
		tt.fill(&l)
		shown := 0
		for _, d := range l.Sorted() {
			if d.Severity == diag.Error {
				shown++
			}
		}
		if got := l.Errors(); got != tt.want || shown != tt.want {
			t.Errorf("%s: counts %d errors and shows %d, want %d", name, got, shown, tt.want)
		}
	}
}
