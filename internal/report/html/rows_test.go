package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

// TestRowsAreKeptWhole keeps more rows than stay as they are.
func TestRowsAreKeptWhole(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, openPage, openPage + 1, 3*openPage + 7} {
		var kept rows
		for i := range n {
			if err := kept.add(row{ID: fmt.Sprint(i), Trial: i, Status: result.Passed}); err != nil {
				t.Fatal(err)
			}
		}
		var got []row
		out := bytes.NewBufferString("[")
		if err := kept.encode(out); err != nil {
			t.Fatal(err)
		}
		out.WriteString("]")
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got) != n {
			t.Fatalf("%d rows, want %d", len(got), n)
		}
		for i, r := range got {
			if r.ID != fmt.Sprint(i) || r.Trial != i {
				t.Fatalf("row %d is %+v", i, r)
			}
		}
	}
}
