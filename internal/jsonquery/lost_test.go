package jsonquery

import (
	"testing"

	"github.com/arena-evals/arena/internal/chat"
)

func TestLost(t *testing.T) {
	t.Parallel()
	const doc = `{"order": {"status": "paid", "note": null}, "items": [{"sku": "A", "tags": []}, {"sku": "B", "tags": []}],
		"none": [], "total": 5}`
	v, err := chat.DecodeJSON([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		"$.order.status": false, "$.order.stauts": true, "$.ordr.status": true, "$.order.note": false,
		"$.order.status.code": true, "$.items[0].sku": false, "$.items[7].sku": true, "$.none[0]": true,
		"$.items[*].sku": false, "$.items[*].suk": true, "$.itmes[*].sku": true, "$.none[*].sku": false,
		"$.items[*].tags[*]": false, "$.items[*].tegs[*]": true, "$.total[*]": true, "$.order.*": false,
		"$.items[?(@.sku == 'C')]": false, "$.items[?(@.sku == 'C')].tags": false, "$.itmes[?(@.sku == 'C')]": true,
		"$.items[5:7]": false, "$.itmes[0:1]": true, "$..sku": false, "$..suk": true, "$['order','total']": false,
		"$['ordr','totl']": true, "$": false,

		"order.status": false, "order.stauts": true, "order.note": true, "items[0].sku": false, "items[7].sku": true,
		"items[*].sku": false, "items[*].suk": true, "itmes[*].sku": true, "none[*].sku": false, "total[*]": true,
		"items[?sku == 'C'].tags": false, "itmes[?sku == 'C']": true, "items[].tags[]": false, "order.*": false,
		"ordr.*": true, "length(items)": false, "length(itmes)": true, "order.status == 'paid'": false,
		"order.stauts == 'paid'": true, "'paid' == order.stauts": true, "order.note == `null`": false,
		"total > `3`": false, "totl > `3`": true, "@": false,
	} {
		q, err := Compile(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := q.Lost(v); got != want {
			t.Errorf("%s: lost %v", path, got)
		}
	}
}
