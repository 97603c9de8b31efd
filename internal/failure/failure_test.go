package failure_test

import (
	"testing"

	"github.com/arena-evals/arena/internal/failure"
	"github.com/arena-evals/arena/internal/jsonvalue"
)

// TestIn: of several marks the most specific one is used.
func TestIn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		o    jsonvalue.Object
		want failure.Mark // Key is "" where nothing failed
	}{
		{jsonvalue.Object{"a": "failed", "status": "shipped", "errors": 3.0, "success": true, "error": nil}, failure.Mark{}},
		{jsonvalue.Object{"Status": " FAILED "}, failure.Mark{Key: "Status", Value: " FAILED ", State: true, Certain: true}},
		{jsonvalue.Object{"state": "cancelled"}, failure.Mark{Key: "state", Value: "cancelled", State: true}},
		{jsonvalue.Object{"status": "cancelled", "ok": false}, failure.Mark{Key: "ok", Value: false, Certain: true}},
		{jsonvalue.Object{"isError": true, "error": "full"},
			failure.Mark{Key: "error", Value: "full", Reason: true, Certain: true}},
		{jsonvalue.Object{"http_status": 404.0}, failure.Mark{Key: "http_status", Value: 404.0, Certain: true}},
		{jsonvalue.Object{"status": 302.0, "error": "none", "errors": []any{}}, failure.Mark{}},
	} {
		if c.want.Key != "" && !failure.Tells(c.want.Key) {
			t.Errorf("nothing is told by %s", c.want.Key)
		}
		if got, failed := failure.In(c.o); got != c.want || failed != (c.want.Key != "") {
			t.Errorf("In(%v) = %+v, %t; want %+v", c.o, got, failed, c.want)
		}
	}
}
