package dispatch_test

import (
	"encoding/json"
	"testing"

	"github.com/arena-evals/arena/internal/dispatch"
)

// FuzzResult holds that results and letters that can be read can be written again.
func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"version":1,"result_id":"x","results_of_request":1,"moment":"end","eval_id":"e","score":1}`))
	f.Add([]byte(`{"version":1,"dead_id":"x","request":{"a":1},"request_bytes":"AA==","at":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, err := dispatch.DecodeResult(data); err == nil {
			if _, err := json.Marshal(r); err != nil {
				t.Errorf("result %s: %v", data, err)
			}
		}
		if d, err := dispatch.DecodeDead(data); err == nil {
			if _, err := json.Marshal(d); err != nil {
				t.Errorf("letter %s: %v", data, err)
			}
		}
	})
}
