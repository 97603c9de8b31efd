package dispatch_test

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/dispatch"
)

// TestAbsurdResult: what no eval can have taken is no result, for results are added up.
func TestAbsurdResult(t *testing.T) {
	t.Parallel()
	for field, where := range map[string]string{
		`"duration_ms":1e308`: "duration_ms", `"duration_ms":-1`: "duration_ms",
		`"judgements":[{"cost_usd":1e300}]`:              "judgements[0].cost_usd",
		`"judgements":[{"usage":{"input_tokens":-1}}]`:   "judgements[0].usage.input_tokens",
		`"judgements":[{}, {"latency_ms":-1,"score":0}]`: "judgements[1].latency_ms",
	} {
		_, err := dispatch.DecodeResult([]byte(`{"version":1,"eval_id":"kind",` + field + `}`))
		if err == nil || !strings.HasPrefix(err.Error(), "the result is damaged: "+where+" cannot be ") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := dispatch.DecodeResult([]byte(`{"version":1,"eval_id":"kind","turn":-1,"metric_value":-3,"score":1}`)); err != nil {
		t.Error(err)
	}
}
