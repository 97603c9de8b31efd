package jsonvalue

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// Numbers are compared by value, not by spelling: 4, 4.0 and 40e-1 are equal, and a long id keeps every digit.

// maxExponent bounds what is written out in digits; beyond it a number stays in scientific form.
const maxExponent = 400

// NumberText is a number in its shortest decimal form. Equal numbers have equal texts.
func NumberText(v any) (string, bool) {
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

// shortest returns the shortest decimal form of a JSON number, and any other text unchanged.
func shortest(s string) string {
	if IsInteger(s) {
		return s
	}
	n, ok := parseNumber(s)
	if !ok {
		return s
	}
	return n.String()
}

// number is sign × digits × 10^exp, exactly. The digits neither begin nor end with 0; those of zero are "".
type number struct {
	negative bool
	digits   string
	exp      int
}

// parseNumber reads a JSON number; false when it is none, or when its exponent is beyond all use.
func parseNumber(s string) (number, bool) {
	mantissa, expText := s, ""
	if e := strings.IndexAny(s, "eE"); e >= 0 {
		mantissa, expText = s[:e], s[e+1:]
	}
	var n number
	mantissa, n.negative = strings.CutPrefix(mantissa, "-")
	exp := int64(0)
	if expText != "" {
		var err error
		if exp, err = strconv.ParseInt(expText, 10, 32); err != nil {
			return number{}, false
		}
	}
	whole, frac, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	n.digits = strings.TrimRight(digits, "0")
	if strings.Trim(n.digits, "0123456789") != "" {
		return number{}, false
	}
	if n.digits == "" {
		return number{}, true
	}
	n.exp = int(exp) - len(frac) + len(digits) - len(n.digits)
	return n, true
}

// String writes the shortest decimal form.
func (n number) String() string {
	sign := ""
	if n.negative {
		sign = "-"
	}
	switch whole := len(n.digits) + n.exp; {
	case n.digits == "":
		return "0"
	case n.exp > maxExponent || n.exp < -maxExponent:
		return sign + n.digits + "e" + strconv.Itoa(n.exp)
	case n.exp >= 0:
		return sign + n.digits + strings.Repeat("0", n.exp)
	case whole > 0:
		return sign + n.digits[:whole] + "." + n.digits[whole:]
	default:
		return sign + "0." + strings.Repeat("0", -whole) + n.digits
	}
}

// compare is -1, 0 or 1. It takes no longer than the digits are many, whatever the exponents.
func (n number) compare(m number) int {
	if a, b := n.sign(), m.sign(); a != b || a == 0 {
		return cmp.Compare(a, b)
	}
	return n.sign() * cmp.Or(cmp.Compare(len(n.digits)+n.exp, len(m.digits)+m.exp), cmp.Compare(n.digits, m.digits))
}

func (n number) sign() int {
	switch {
	case n.digits == "":
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// IsInteger reports whether s is an integer as JSON writes one, without a fraction or an exponent.
func IsInteger(s string) bool {
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

// Float is a number as float64, for bounds.
func Float(v any) (float64, bool) {
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

// IsNumber reports whether v is a number that can be compared. One with an exponent of more than 32 bits is none.
func IsNumber(v any) bool {
	_, ok := numberOf(v)
	return ok
}

// CompareNumbers is -1, 0 or 1, exact for numbers of any length; false when one of the two is no number.
func CompareNumbers(a, b any) (int, bool) {
	if x, ok := a.(float64); ok {
		if y, ok := b.(float64); ok {
			return cmp.Compare(x, y), true
		}
	}
	x, ok1 := numberOf(a)
	y, ok2 := numberOf(b)
	return x.compare(y), ok1 && ok2
}

// Less compares two numbers; it does not hold when one is none.
func Less(a, b any) bool {
	order, ok := CompareNumbers(a, b)
	return ok && order < 0
}

func numberOf(v any) (number, bool) {
	text, ok := NumberText(v)
	if !ok {
		return number{}, false
	}
	return parseNumber(text)
}
