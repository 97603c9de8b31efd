package result_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// TestReadRun: whoever needs no entries reads the same run, however the journal is damaged, cut or gone on with.
func TestReadRun(t *testing.T) {
	t.Parallel()
	run := resulttest.Hostile()
	header := fmt.Sprintf(`{"journal":1,"arena":"1","started":"2026-01-01T00:00:00Z","planned":%d,"fail_on":null}`,
		run.Briefs.Len())
	lines := [][]byte{[]byte(header)}
	for i := range run.Briefs.Len() {
		raw, err := run.Trials.Raw(i)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Appendf(nil, `{"index":%d,"trial":%s}`, i, raw))
	}
	footer := []byte(`{"end":{"duration_ms":1}}`)
	goesOn := fmt.Appendf(nil, `%s,"continues":true,"kept":[[0,%d],[1,3]]}`, header[:len(header)-1], len(header)+1)
	for name, lines := range map[string][][]byte{
		"whole":            append(slices.Clip(lines), footer),
		"without a line":   append(append(lines[:1:1], lines[2:]...), footer),
		"damaged":          append(append(lines[:2:2], []byte(`{"index":1,"trial":{}}`)), lines[3:]...),
		"twice":            append(lines[:3:3], lines[2:]...),
		"without header":   lines[1:],
		"late header":      append(append(lines[1:2:2], lines[0]), lines[2:]...),
		"gone on with":     append(append(lines[:3:3], footer, goesOn), lines[2:]...),
		"lost and resumed": append(append(lines[1:2:2], goesOn), lines[2:]...),
		"joined":           append(append(lines[:2:2], lines[0]), lines[1:]...),
		"nothing":          {[]byte(`{}`)},
	} {
		text := append(bytes.Join(lines, []byte("\n")), '\n')
		for _, text := range [][]byte{text, text[:len(text)-1], text[:max(len(text)-40, 0)]} {
			path := filepath.Join(t.TempDir(), "journal")
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := result.ReadJournal(file)
			got, err := result.ReadRun(file)
			if diff := cmp.Diff(fmt.Sprint(wantErr), fmt.Sprint(err)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if err == nil {
				same(t, name, want, got)
			}
			_ = file.Close()
		}
	}
}

func same(t *testing.T, name string, want, got *result.JournalContent) {
	t.Helper()
	if diff := cmp.Diff(want.Run, got.Run, cmpopts.IgnoreFields(result.Run{}, "Trials", "Briefs"),
		cmpopts.IgnoreUnexported(result.Run{})); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
	if diff := cmp.Diff(resulttest.Briefs(want.Run), resulttest.Briefs(got.Run)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
	told := func(l *result.JournalContent) string {
		return fmt.Sprint(l.Damaged, l.Cut, l.Ended, l.HeaderLost, l.Merged, l.Closed(), l.ToolWarnings())
	}
	if diff := cmp.Diff(told(want), told(got)); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
	for i := range want.Run.Briefs.Len() {
		a, err := want.Run.Trials.Raw(i)
		b, err2 := got.Run.Trials.Raw(i)
		if err != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: the trial %d differs, %v, %v", name, i, err, err2)
		}
	}
}
