package result

import (
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// A killed process leaves half a line; everything before it counts, and the run does not look finished.
func TestJournalOfAKilledRun(t *testing.T) {
	t.Parallel()
	_, f := newJournal(t, hostile(0, "a"), hostile(1, "b"))
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(info.Size() - 5); err != nil {
		t.Fatal(err)
	}
	ledger, err := ReadJournal(f)
	if err != nil || !ledger.Cut || ledger.Ended {
		t.Fatalf("%+v, error %v", ledger, err)
	}
	run := ledger.Run
	if run.Briefs.Len() != 1 || run.Status != Cancelled || run.Exit(false) != ExitError {
		t.Errorf("%d trials, status %s, exit %d", run.Briefs.Len(), run.Status, run.Exit(false))
	}
}

// TestJournalIsSalvaged: a damaged line costs what stood in it, and is told; the run does not look whole then.
func TestJournalIsSalvaged(t *testing.T) {
	t.Parallel()
	first, last := line(t, hostile(0, "a")), line(t, hostile(1, "b"))
	for name, c := range map[string]struct {
		text, want string
		at, trials int
	}{
		"corrupt line": {head + "{oops\n" + first + last, "corrupt journal", 2, 2},
		"half a line":  {head + first[:40] + "\n" + last, "corrupt journal", 2, 1},
		"joined lines": {head + first[:40] + last, "corrupt journal", 2, 0},
		"zeros":        {head + strings.Repeat("\x00", 100) + "\n" + last, "corrupt journal", 2, 1},
		"foreign line": {head + "{\"a\":1}\n" + last, "neither a trial nor the end", 2, 1},
		"same trial":   {head + first + first, "trial s0/p/default is in it twice", 3, 1},
		"bad status":   {head + strings.Replace(first, `"passed"`, `"perfect"`, 1) + last, `unknown status "perfect"`, 2, 1},
		"head":         {"{jour\n" + first + last, "corrupt journal", 1, 2},
		"before head":  {first + head + last, "the trial s0/p/default comes before the header of the run", 1, 1},
		"a digit":      {head + "5 apples\n" + first + last, "all of it must be an object, found a number", 2, 2},
	} {
		ledger, err := ReadJournal(written(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(ledger.Damaged) != 1 || ledger.Damaged[0].Line != c.at || !strings.Contains(ledger.Damaged[0].Why.Error(), c.want) {
			t.Errorf("%s: damage %v", name, ledger.Damaged)
		}
		if got := ledger.Run.Briefs.Len(); got != c.trials {
			t.Errorf("%s: %d trials, want %d", name, got, c.trials)
		}
		if whole := c.trials == 2 && name != "head"; (ledger.Run.Exit(false) == ExitPassed) != whole {
			t.Errorf("%s: exit %d", name, ledger.Run.Exit(false))
		}
	}
}

// TestJoined: a file in which one journal stands behind another is refused. Who reads the last run alone would miss
// what the first came to.
func TestJoined(t *testing.T) {
	t.Parallel()
	first, last, end := line(t, hostile(0, "a")), line(t, hostile(1, "b")), `{"end":{"duration_ms":1}}`+"\n"
	for _, text := range []string{head + first + end + head + last + end, head + first + head + last, head + head + last} {
		_, err := ReadJournal(written(t, text))
		if err == nil || !strings.Contains(err.Error(), "journals were joined in this file") {
			t.Errorf("%v", err)
		}
		if _, err = ReadOutline(written(t, text)); err == nil || !strings.Contains(err.Error(), "journals were joined") {
			t.Errorf("outline: %v", err)
		}
	}
	if _, err := ReadJournal(written(t, head+first+onward+last)); err != nil {
		t.Error(err)
	}
}

// TestHeaderLost: of a run whose header is missing or damaged nobody knows how it was made; a header behind it is that
// of another run.
func TestHeaderLost(t *testing.T) {
	t.Parallel()
	first, last, end := line(t, hostile(0, "a")), line(t, hostile(1, "b")), `{"end":{"duration_ms":1}}`+"\n"
	for name, c := range map[string]struct {
		text string
		lost bool
	}{
		"whole":            {head + first + last + end, false},
		"killed":           {head + first, false},
		"gone":             {first + last + end, true},
		"cut":              {head[:len(head)/2] + "\n" + first + last, true},
		"joined":           {strings.TrimSpace(head) + first + last, true},
		"zeros":            {strings.Repeat("\x00", 50) + "\n" + first + last, true},
		"of another run":   {first + end + head + last, false},
		"damaged trial":    {head + first[:40] + "\n" + last, false},
		"resumed, cut":     {head + first + head[:len(head)/2] + "\n" + last, true},
		"resumed, gone":    {head + first + end + last, true},
		"resumed, killed":  {head + first + head[:len(head)/2], false},
		"resumed and done": {head + first + head[:len(head)/2] + "\n" + onward + last, false},
	} {
		ledger, err := ReadJournal(written(t, c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ledger.HeaderLost != c.lost || ledger.Run.HeaderLost != c.lost {
			t.Errorf("%s: lost %v", name, ledger.HeaderLost)
		}
		if told := slices.Contains(ledger.Run.Warnings, HeaderLost); told != c.lost {
			t.Errorf("%s: warnings %q", name, ledger.Run.Warnings)
		}
	}
}

// TestEarlyTrialIsKept: a trial before the first header counts where a later header keeps it, and is not told of then.
func TestEarlyTrialIsKept(t *testing.T) {
	t.Parallel()
	f := written(t, line(t, hostile(0, "a"))+head+line(t, hostile(1, "b")))
	resumed(t, f, hostile(2, "c"), 2)
	ledger, err := ReadJournal(f)
	if err != nil || len(ledger.Damaged) != 0 || ledger.Run.Briefs.Len() != 3 {
		t.Errorf("got %+v, %v", ledger, err)
	}
}

// TestJournalCutAnywhere resumes a journal, cuts what came of that at every byte, and resumes it again: no trial that
// was whole is ever lost.
func TestJournalCutAnywhere(t *testing.T) {
	t.Parallel()
	trials := []*Trial{hostile(0, "a"), hostile(1, "b"), hostile(2, "c")}
	lines := []string{line(t, trials[0]), line(t, trials[1]), line(t, trials[2])}
	f := written(t, head+lines[0]+lines[1][:30])
	resumed(t, f, trials[1], 1)
	whole := contents(t, f)
	for size := range len(whole) {
		cut := written(t, whole[:size])
		if size < len(head)+len(lines[0]) {
			continue
		}
		ledger, err := ReadJournal(cut)
		if err != nil {
			t.Fatalf("cut after %d bytes: %v", size, err)
		}
		want := 1 + strings.Count(whole[len(head)+len(lines[0]):size], strings.TrimSuffix(lines[1], "\n"))
		if len(ledger.Entries) != want {
			t.Fatalf("cut after %d bytes: %d trials, want %d", size, len(ledger.Entries), want)
		}
		resumed(t, cut, trials[2], want)
		again, err := ReadJournal(cut)
		if err != nil || again.Run.Briefs.Len() != want+1 || len(again.Entries) != want+1 {
			t.Fatalf("cut after %d bytes and resumed: %+v, %v", size, again, err)
		}
		for i := range again.Run.Briefs.Len() {
			got, err := again.Run.Trials.Trial(i)
			if err != nil || got.Before == (got.ID == trials[2].ID) {
				t.Fatalf("cut after %d bytes and resumed: trial %+v, %v", size, got, err)
			}
		}
	}
}

func contents(t *testing.T, f *os.File) string {
	t.Helper()
	b, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// resumed goes on with a journal that holds so many trials, and adds one.
func resumed(t *testing.T, f *os.File, trial *Trial, holds int) {
	t.Helper()
	ledger, err := ReadJournal(f)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[int]*Entry{}
	for _, e := range ledger.Entries {
		kept[len(kept)] = e
	}
	if len(kept) != holds {
		t.Fatalf("%d trials to keep, want %d", len(kept), holds)
	}
	if _, err := f.Seek(0, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	j, err := ledger.Continue(f, JournalHeader{Planned: 3}, kept)
	if err != nil {
		t.Fatal(err)
	}
	added := *trial
	added.Index = len(kept)
	if err := j.Append([]TrialDone{{Trial: &added, Line: []byte(line(t, &added))}}); err != nil {
		t.Fatal(err)
	}
}
