package checks

import (
	"strings"
	"sync"
	"testing"

	"github.com/arena-evals/arena/internal/result"
)

const order = `{
	"id": 12345678901234567890, "small": 9007199254740993, "total": 49.90, "paid": true, "note": null, "empty": [],
	"items": [{"sku": "A1", "qty": 1, "big": 12345678901234567891}, {"sku": "B2", "qty": 5}, {"sku": "C3", "qty": 5.5}],
	"huge": [1e999999, 1e400, 2e400, -1e400],
	"address": {"zip": "1010", "city": "Wien", "country": "AT"}
}`

func TestJSONPath(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		params string
		pass   bool
	}{
		{`{"expression": "$.id", "expected": 12345678901234567890}`, true},
		{`{"expression": "$.id", "expected": 12345678901234567891}`, false},
		{`{"expression": "id", "expected": 12345678901234567890}`, true},
		{`{"expression": "id", "expected": 12345678901234567891}`, false},
		{`{"expression": "small", "expected": 9007199254740993}`, true},
		{`{"expression": "small", "expected": 9007199254740992}`, false},
		{`{"expression": "$.small", "expected": 9007199254740992}`, false},
		{`{"expression": "total", "expected": 49.9}`, true},
		{`{"expression": "$.total", "expected": "49.9"}`, false},
		{`{"expression": "paid", "expected": true}`, true},
		{`{"expression": "items[0].qty", "expected": 1.0}`, true},
		{`{"expression": "note", "expected": null}`, true},
		{`{"expression": "$.note", "expected": null}`, true},
		{`{"expression": "$.nothing", "expected": null}`, false},
		{`{"expression": "total", "expected": null}`, false},
		{`{"expression": "items[?qty == ` + "`5`" + `].sku", "expected": ["B2"]}`, true},
		{`{"expression": "items[?qty > ` + "`1`" + `].sku", "expected": ["B2", "C3"]}`, true},
		{`{"expression": "items[?big > ` + "`5`" + `].sku", "expected": ["A1"]}`, true},
		{`{"expression": "items[?big >= big].big", "expected": [12345678901234567891]}`, true},
		{`{"expression": "items[?sku != 'A1' && qty <= ` + "`5.5`" + `] | length(@)", "expected": 2}`, true},
		{`{"expression": "address.*", "expected": ["Wien", "AT", "1010"]}`, true},
		{`{"expression": "keys(address)", "expected": ["city", "country", "zip"]}`, true},
		{`{"expression": "values(address)", "expected": ["Wien", "AT", "1010"]}`, true},
		{`{"expression": "items(address)[0]", "expected": ["city", "Wien"]}`, true},
		{`{"expression": "total.*", "expected": null}`, true},
		{`{"expression": "sum(items[*].qty)", "min": 11, "max": 12}`, true},
		{`{"expression": "length(nothing)", "min": 0}`, false},
		{`{"expression": "$.address.*", "expected": ["Wien", "AT", "1010"]}`, true},
		{`{"expression": "$..sku", "expected": ["A1", "B2", "C3"]}`, true},
		{`{"expression": "$.items[?(@.qty > 1)].sku", "contains": ["C3", "B2"], "max_results": 2}`, true},
		{`{"expression": "$.items[?(@.qty > $.items[0].qty)].sku", "expected": ["B2", "C3"]}`, true},
		{`{"expression": "$.items[-1].sku", "expected": "C3"}`, true},
		{`{"expression": "$.items[0:2].sku", "min_results": 2, "max_results": 2}`, true},
		{`{"expression": "$['address','id']", "min_results": 2}`, true},
		{`{"expression": "$", "contains": 1}`, false},
		{`{"expression": "items", "contains": {"sku": "B2", "qty": 5.0}}`, true},
		{`{"expression": "empty", "max_results": 0}`, true},
		{`{"expression": "items", "max_results": 0}`, false},
		{`{"expression": "items[?qty > ` + "`9`" + `]", "max_results": 0}`, true},
		{`{"expression": "id"}`, true},
		{`{"expression": "id", "min_results": 0}`, true},
		{`{"expression": "nothing", "min_results": 0}`, false},
		{`{"expression": "id", "min_results": 0, "max_results": 3}`, false},
		{`{"expression": "empty"}`, true},
		{`{"expression": "note"}`, false},
		{`{"expression": "nothing"}`, false},
		{`{"expression": "$.nothing"}`, false},
		{`{"expression": "$.empty"}`, true},
		{`{"expression": "$.items[*].price"}`, false},
		{`{"expression": "items[?qty > ` + "`9`" + `].sku"}`, false},
		{`{"expression": "items[*].price | [0]"}`, false},
		{`{"expression": "min(items[*].sku)"}`, true},
		{`{"expression": "total", "min": 49.9, "max": 49.9}`, true},
		{`{"expression": "paid", "min": 0}`, false},
		{`{"expression": "total", "min": 50}`, false},
		{`{"expression": "$.items[?(@.big > 5)].big", "expected": [12345678901234567891]}`, true},
		{`{"expression": "$.items[?(@.big == $.id)]", "max_results": 0}`, true},
		{`{"expression": "$.items[?(@.big > $.id)].sku", "expected": ["A1"]}`, true},
		{`{"expression": "$.huge[?(@ > 1e300)]", "expected": [1e999999, 1e400, 2e400]}`, true},
		{`{"expression": "$.huge[?(@ < $.huge[2])]", "expected": [1e400, -1e400]}`, true},
		{`{"expression": "huge[?@ > ` + "`0`" + `]", "expected": [1e999999, 1e400, 2e400]}`, true},
		{`{"expression": "huge[0]", "min": 1, "max": 2}`, false},
		{`{"expression": "huge[0]", "min": 1e308}`, true},
		{`{"expression": "$..*", "min_results": 20}`, true},
		{`{"expression": "items[?qty == ` + "`[1, {}]`" + `]", "max_results": 0}`, true},
	} {
		for range 5 { // the order of members must always be the same
			if v := judged(t, "json_path", tc.params, order); v.Passed != tc.pass || v.Status == result.Errored {
				t.Errorf("%s is %s: %s%s", tc.params, v.Status, v.Explanation, v.Error)
			}
		}
	}
}

func TestPathsOnOddDocuments(t *testing.T) {
	t.Parallel()
	docs := []string{
		"null", "1", `"a"`, "[]", "{}", "[null]", `{"a": null}`, `{"a": [null, 1, {"b": []}]}`, "true",
	}
	for _, expression := range []string{
		"$[?(@.a == 1)]", "$..a", "$.a[?(@.b)].c", "$.*", "$[0:9:-1]", "$.a['b']", "a.b[?c > `1`]", "*.b", "@", "a[]",
		"[::-1]", "&a", "[&a]", "not_null(&a)", "sort_by(@, &a)", "a.b.c.d", "[*][?@ == `1`]",
	} {
		for _, doc := range docs {
			v := judged(t, "json_path", `{"expression": "`+expression+`", "expected": "never"}`, doc)
			if v.Status != result.Failed {
				t.Errorf("%s on %s: %s %s", expression, doc, v.Status, v.Error)
			}
		}
	}
}

func TestBrokenPaths(t *testing.T) {
	t.Parallel()
	for expression, says := range map[string]string{
		"$.items[":                              "is not a JSONPath",
		"$.a b":                                 "is not a JSONPath",
		"$.[":                                   "is not a JSONPath",
		"a.[":                                   "is not a JMESPath expression",
		"items[?qty > 1]":                       "is not a JMESPath expression",
		"[?a == `[1, [12345678901234567890]]`]": "more than 15 digits",
		"nope(@)":                               `there is no function "nope"`,
		"[?a == `12345678901234567890`]":        "more than 15 digits",
		"  ":                                    "is empty",
	} {
		v, problems := Try(t.Context(), "json_path", `{"expression": "`+expression+`"}`, "{}", ScopeTurn)
		if v != nil || len(problems) != 1 || !strings.Contains(problems[0].Msg, says) {
			t.Errorf("%s: %v", expression, problems)
		}
	}
}

func TestPathsAreSafeToShare(t *testing.T) {
	t.Parallel()
	for _, expression := range []string{"$.items[?(@.qty > 1)].sku", "items[?qty > `1`].sku | sort(@)"} {
		compiled, problems := compileJSON(&Compiler{}, "json_path",
			`{"expression": "`+expression+`", "expected": ["B2", "C3"]}`, ScopeTurn, nil)
		if compiled == nil {
			t.Fatal(problems)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 50 {
					if v := compiled.Judge(t.Context(), replied(order)); v.Status != result.Passed {
						t.Error(v.Explanation, v.Error)
					}
				}
			})
		}
		wg.Wait()
	}
}
