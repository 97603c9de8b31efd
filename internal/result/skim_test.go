package result_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/arena-evals/arena/internal/result"
)

// TestSkimAgrees: wherever a journal is cut, what is skimmed of it is what is read of it.
func TestSkimAgrees(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	long := strings.Repeat("x", 1<<16+1) // longer than what is looked at at once
	line := func(i int, status result.Status) string {
		trial := &result.Trial{
			Index: i, ID: string(rune('a' + i)), Scenario: "s", Status: status, Trial: 1, Trials: 1, Describe: long,
			Turns: []result.Turn{}, Conversation: []result.Verdict{},
		}
		trial.Settle()
		b, err := result.EncodeLine(trial)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	header := func(h result.JournalHeader) {
		h.Journal, h.Started = result.SchemaVersion, time.Unix(0, 0).UTC()
		h.Command = []string{"arena", "run"}
		if err := json.NewEncoder(&text).Encode(h); err != nil {
			t.Fatal(err)
		}
	}
	header(result.JournalHeader{Planned: 3})
	first := int64(text.Len())
	text.WriteString(line(0, result.Passed) + line(1, result.Passed))
	text.WriteString(`{"end":{"duration_ms":1,"unfinished":1}}` + "\n")
	header(result.JournalHeader{Planned: 4, Kept: [][2]int64{{0, first}}})
	text.WriteString(line(1, result.Passed) + line(2, result.Passed) + line(3, result.Passed))
	text.WriteString(`{"end":{"duration_ms":1,"warnings":["w"]}}` + "\n")

	all := text.Bytes()
	for n := 0; n <= len(all); n += 1 + len(all)/150 {
		skimmed, err := result.SkimJournal(bytes.NewReader(all[:n]))
		if err != nil {
			t.Fatal(err)
		}
		read, err := result.ReadJournal(memory{bytes.NewReader(all[:n])})
		if err != nil {
			if skimmed.Header.Journal != 0 {
				t.Errorf("%d bytes: skimmed a header where there is none: %v", n, err)
			}
			continue
		}
		left := read.Run.Planned - read.Run.Summary.Trials
		if last := bytes.LastIndexByte(all[:n], '\n') + 1; read.Cut == (n == last) { // only the line break is missing
			continue
		}
		if skimmed.Header.Planned != read.Header.Planned || skimmed.Unfinished != left {
			t.Errorf("%d bytes: skimmed %d of %d, read %d of %d", n, skimmed.Unfinished, skimmed.Header.Planned, left,
				read.Header.Planned)
		}
	}
}
