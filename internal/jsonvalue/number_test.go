package jsonvalue

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
)

func TestNumberText(t *testing.T) {
	t.Parallel()
	for in, want := range map[any]string{
		json.Number("42"): "42", json.Number("42.0"): "42", json.Number("4.20e1"): "42", json.Number("-0"): "0",
		json.Number("0.00"): "0", json.Number("-0.50"): "-0.5", json.Number("19.99"): "19.99", json.Number("1e6"): "1000000",
		json.Number("1E-3"): "0.001", json.Number("0.0012"): "0.0012", json.Number("123.456e-1"): "12.3456",
		json.Number("12345678901234567890"): "12345678901234567890", json.Number("1e1000"): "1e1000",
		json.Number("10e999"): "1e1000", json.Number("1e99999999999999999999"): "1e99999999999999999999",
		42.0: "42", 0.1: "0.1", 1e21: "1000000000000000000000", int64(-7): "-7", 7: "7",
	} {
		if got, ok := NumberText(in); !ok || got != want {
			t.Errorf("%v: %q, want %q", in, got, want)
		}
	}
	for _, v := range []any{"42", nil, true, []any{}} {
		if got, ok := NumberText(v); ok {
			t.Errorf("%v is the number %s", v, got)
		}
	}
}

func TestCompareNumbers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b any
		want int
	}{
		{1.5, 2.0, -1}, {2.0, 2.0, 0}, {3.0, 2.0, 1},
		{json.Number("12345678901234567891"), json.Number("12345678901234567890"), 1},
		{json.Number("12345678901234567890"), 5.0, 1},
		{int64(3), json.Number("3.0"), 0},
		{json.Number("1e999999999"), json.Number("1e999999998"), 1}, {json.Number("-1e999999999"), 0.0, -1},
		{json.Number("-2.5"), json.Number("-2.4"), -1}, {json.Number("0.09"), json.Number("0.1"), -1},
		{json.Number("-0"), json.Number("0e5"), 0}, {json.Number("0"), json.Number("-1e-400"), 1},
	} {
		if got, ok := CompareNumbers(tc.a, tc.b); !ok || got != tc.want {
			t.Errorf("%v and %v: %d, want %d", tc.a, tc.b, got, tc.want)
		}
	}
	for _, v := range []any{"a", json.Number("1e99999999999999999999"), nil} {
		if _, ok := CompareNumbers(v, 1.0); ok {
			t.Errorf("%v has an order", v)
		}
	}
}

func TestEqualArguments(t *testing.T) {
	t.Parallel()
	num := func(s string) any { return json.Number(s) }
	for _, tc := range []struct {
		a, b any
		want bool
	}{
		{"42", num("42"), true}, {num("42"), 42.0, true}, {num("1e6"), num("1000000"), true},
		{"true", true, true}, {true, "True", false}, {"a", "A", false}, {nil, "null", false}, {nil, nil, true},
		{"[1]", []any{num("1")}, false},
		{[]any{num("1"), "2"}, []any{"1", num("2")}, true}, {[]any{"a", "b"}, []any{"b", "a"}, false},
		{map[string]any{"a": num("1"), "b": nil}, map[string]any{"b": nil, "a": "1"}, true},
		{map[string]any{"a": num("1")}, map[string]any{"a": num("1"), "b": nil}, false},
	} {
		if got := EqualTexts(tc.a, tc.b); got != tc.want {
			t.Errorf("%v and %v: %v", tc.a, tc.b, got)
		}
	}
}

func FuzzNumberText(f *testing.F) {
	for _, seed := range []string{"0", "-12.50e+3", "1e-7", "100", "0.001", "1e400"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 60 || !json.Valid([]byte(s)) || strings.Trim(s, "-+.0123456789eE") != "" || s == "" {
			return
		}
		want, ok := new(big.Rat).SetString(s)
		text, _ := NumberText(json.Number(s))
		got, good := new(big.Rat).SetString(text)
		if ok && good && want.Cmp(got) != 0 {
			t.Errorf("%s became %s", s, text)
		}
		if order, known := CompareNumbers(json.Number(s), 1.5); ok && known && order != want.Cmp(big.NewRat(3, 2)) {
			t.Errorf("%s compares to 1.5 as %d", s, order)
		}
		if again, _ := NumberText(json.Number(text)); again != text {
			t.Errorf("%s became %s and then %s", s, text, again)
		}
	})
}
