package checks

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Numbers are compared by what they are, not by how they were written: 4, 4.0 and 40e-1 are one number, and a long id
// keeps every digit.

// maxExponent bounds what is written out in digits; beyond it a number stays in scientific form.
const maxExponent = 400

// numberText is a number in its shortest decimal form. Equal numbers have equal texts.
func numberText(v any) (string, bool) {
	switch n := v.(type) {
	case json.Number:
		return shortest(n.String()), true
	case float64:
		return shortest(strconv.FormatFloat(n, 'g', -1, 64)), true
	case int64:
		return strconv.FormatInt(n, 10), true
	case int:
		return strconv.Itoa(n), true
	}
	return "", false
}

// shortest brings a JSON number into its shortest decimal form. What is no number comes back as it is.
func shortest(s string) string {
	if plainInteger(s) {
		return s
	}
	sign, body := "", s
	if strings.HasPrefix(body, "-") {
		sign, body = "-", body[1:]
	}
	mantissa, expText, _ := strings.Cut(strings.ToLower(body), "e")
	exp := 0
	if expText != "" {
		var err error
		if exp, err = strconv.Atoi(expText); err != nil {
			return s
		}
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	if strings.Trim(digits, "0123456789") != "" {
		return s
	}
	exp -= len(frac)
	trimmed := strings.TrimRight(digits, "0")
	exp += len(digits) - len(trimmed)
	if trimmed == "" {
		return "0"
	}
	return sign + place(trimmed, exp)
}

// place writes digits × 10^exp.
func place(digits string, exp int) string {
	switch {
	case exp > maxExponent || exp < -maxExponent:
		return digits + "e" + strconv.Itoa(exp)
	case exp >= 0:
		return digits + strings.Repeat("0", exp)
	case -exp < len(digits):
		return digits[:len(digits)+exp] + "." + digits[len(digits)+exp:]
	}
	return "0." + strings.Repeat("0", -exp-len(digits)) + digits
}

func plainInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || digits[0] == '0' && s != "0" {
		return false
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return false
		}
	}
	return true
}

// floatOf is a number as float64, for bounds.
func floatOf(v any) (float64, bool) {
	switch n := v.(type) {
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case float64:
		return n, true
	case int64:
		return float64(n), true
	}
	return 0, false
}

// compareNumbers is -1, 0 or 1, exact for numbers of any length; false when one of the two is no number.
func compareNumbers(a, b any) (int, bool) {
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); ok {
			switch {
			case x < y:
				return -1, true
			case x > y:
				return 1, true
			}
			return 0, true
		}
	}
	s, ok1 := numberText(a)
	t, ok2 := numberText(b)
	if !ok1 || !ok2 {
		return 0, false
	}
	x, ok1 := new(big.Rat).SetString(s)
	y, ok2 := new(big.Rat).SetString(t)
	if !ok1 || !ok2 {
		return 0, false
	}
	return x.Cmp(y), true
}

// equalJSON is deep equality of JSON values: numbers by value, lists in order, objects by keys.
func equalJSON(a, b any) bool {
	switch x := a.(type) {
	case nil:
		return b == nil
	case bool, string:
		return a == b
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalJSON(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			if w, ok := y[k]; !ok || !equalJSON(v, w) {
				return false
			}
		}
		return true
	}
	s, ok1 := numberText(a)
	t, ok2 := numberText(b)
	return ok1 && ok2 && s == t
}
