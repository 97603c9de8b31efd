package result

import (
	"fmt"
	"strings"
	"testing"
)

// TestJournalLinesComeInOrder: what is decoded ahead, in batches and by several goroutines, is read as one line after
// the other.
func TestJournalLinesComeInOrder(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	var begins []int
	for i := range 900 {
		begins = append(begins, text.Len())
		fmt.Fprintf(&text, `{"index":%d,"pad":%q}`+"\n", i, strings.Repeat("x", i%700*3))
	}
	text.WriteString("the end is missing")
	lines := 0
	for line := range journalLines(strings.NewReader(text.String()), 1500) {
		switch last := lines == len(begins); {
		case line.number != lines+1, last != (line.readErr != nil):
			t.Fatalf("line %d has the number %d, read error %v", lines+1, line.number, line.readErr)
		case last:
			if string(line.text) != "the end is missing" {
				t.Errorf("the last line is %q", line.text)
			}
		case line.at != int64(begins[lines]), line.long != (lines%700*3 > 1500-len(`{"index":000,"pad":""}`)):
			t.Errorf("line %d is at %d, want %d, and too long: %v", line.number, line.at, begins[lines], line.long)
		case !line.long && line.body.Index != lines:
			t.Errorf("line %d holds the trial %d", line.number, line.body.Index)
		}
		lines++
	}
	if lines != len(begins)+1 {
		t.Errorf("%d lines, want %d", lines, len(begins)+1)
	}
	for range journalLines(strings.NewReader(text.String()), 1500) {
		break // whoever has seen enough waits for nobody
	}
}

func BenchmarkReadJournal(b *testing.B) {
	trials := make([]*Trial, 5000)
	for i := range trials {
		trials[i] = hostile(i, strings.Repeat("word ", 200))
	}
	j, f := newJournal(b, trials...)
	if err := j.Close(JournalFooter{}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if content, err := ReadJournal(f); err != nil || len(content.Entries) != len(trials) {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*len(trials)), "µs/trial")
}
