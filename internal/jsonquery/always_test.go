package jsonquery

import "testing"

func TestAlways(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"status == 'ok'":                    truth,
		"refund <= `100`":                   truth,
		"!contains(keys(@), 'refund')":      truth,
		"!x":                                truth,
		"contains(status, 'ok')":            truth,
		"starts_with(status, 'o')":          truth,
		"ends_with(status, 'k')":            truth,
		"length(items) > `5`":               truth,
		"a == 'x' && b == 'y'":              truth,
		"a && b == 'y'":                     truth,
		"a == 'x' || b":                     truth,
		"a | b == 'y'":                      truth,
		"'ok'":                              constant,
		"`true`":                            constant,
		"nothing || 'ok'":                   constant,
		"not_null(a, 'x')":                  constant,
		"@":                                 wholeDocument,
		"$":                                 wholeDocument,
		"[status2, status3]":                collected,
		"{a: nothing}":                      collected,
		"length(items)":                     measured,
		"to_string(nothing)":                measured,
		"sum(items[].price)":                measured,
		"status":                            "",
		"items[?price > `2`]":               "",
		"items[?contains(name, 'x')].name":  "",
		"items[?contains(name, 'x')] | [0]": "",
		"items[0].price":                    "",
		"a && b":                            "",
		"a || b":                            "",
		"`null`":                            "",
		"max_by(items, &price).name":        "",
		"avg(items[].price)":                "",
		"$.status":                          "",
		"$.items[?(@.price > 2)]":           "",
		"$[0]":                              "",
		"not an expression (":               "",
		"order.{id: id}":                    "",
		"to_number(price)":                  "",
		"items[*].price":                    "",
		"find_first(status, 'o')":           "",
	} {
		if got := Always(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
