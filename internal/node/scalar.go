package node

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/diag"
)

// String reads a text. Numbers and booleans are taken as written.
func (r *Reader) String(n *Node, what string) (string, bool) {
	if n == nil || n.Kind != Scalar || IsNull(n) {
		r.Errorf(n, "wrong-type", "%s must be text, found %s", what, describe(n))
		return "", false
	}
	return n.Value, true
}

// Name reads a text that is not blank, such as an id.
func (r *Reader) Name(n *Node, what string) (string, bool) {
	s, ok := r.String(n, what)
	if ok && strings.TrimSpace(s) == "" {
		r.Errorf(n, "empty-value", "%s is empty", what)
		return "", false
	}
	return s, ok
}

// OneOf reads one of some words.
func (r *Reader) OneOf(n *Node, what string, words ...string) (string, bool) {
	s, ok := r.String(n, what)
	if !ok {
		return "", false
	}
	if !contains(words, s) {
		d := r.Errorf(n, "unknown-value", "%s cannot be %s; expected one of %s", what, quote(s), listed(words))
		d.Hint = diag.DidYouMean(s, words)
		return "", false
	}
	return s, true
}

// listed joins words; the empty one means that the value may be left out.
func listed(words []string) string {
	shown := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "" })
	return strings.Join(shown, ", ")
}

// Strings reads a list of texts; a single text is a list of one.
func (r *Reader) Strings(n *Node, what string) ([]string, bool) {
	if n != nil && n.Kind == Scalar && !IsNull(n) {
		return []string{n.Value}, true
	}
	if n == nil || n.Kind != List {
		r.Errorf(n, "wrong-type", "%s must be a list of text, found %s", what, describe(n))
		return nil, false
	}
	out, ok := make([]string, 0, len(n.Content)), true
	for _, v := range n.Content {
		s, good := r.String(v, "an entry of "+what)
		out, ok = append(out, s), ok && good
	}
	return out, ok
}

// StringMap reads a map of texts. Numbers and booleans are taken as written, lists and maps as JSON.
func (r *Reader) StringMap(n *Node, what string) (map[string]string, bool) {
	out, ok := map[string]string{}, true
	walked := r.Each(n, what, func(key string, _, v *Node) {
		if v.Kind == Scalar {
			if IsNull(v) {
				out[key] = ""
				return
			}
			out[key] = v.Value
			return
		}
		b, err := json.Marshal(r.Any(v))
		if err != nil {
			r.Errorf(v, "wrong-type", "%s %q cannot be written as JSON: %v", what, key, err)
			ok = false
			return
		}
		out[key] = string(b)
	})
	return out, ok && walked
}

// Bool reads true or false, and yes, no, on and off without quotes, which are booleans in YAML 1.1.
func (r *Reader) Bool(n *Node, what string) (bool, bool) {
	if n != nil && n.Kind == Scalar && (n.ShortTag() == "!!bool" || n.Style == 0) {
		if says, ok := yaml11Bool(n.Value); ok {
			return says, true
		}
	}
	r.Errorf(n, "wrong-type", "%s must be true or false, found %s", what, describe(n))
	return false, false
}

// Int reads a whole number within bounds.
func (r *Reader) Int(n *Node, what string, low, high int) (int, bool) {
	f, ok := r.number(n, what, "a whole number")
	if !ok {
		return 0, false
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		r.Errorf(n, "wrong-type", "%s must be a whole number, found %s", what, n.Value)
		return 0, false
	}
	if f < float64(low) || f > float64(high) {
		r.outside(n, what, float64(low), float64(high))
		return 0, false
	}
	return int(f), true
}

// Float reads a finite number within bounds.
func (r *Reader) Float(n *Node, what string, low, high float64) (float64, bool) {
	f, ok := r.number(n, what, "a number")
	if !ok {
		return 0, false
	}
	if f < low || f > high {
		r.outside(n, what, low, high)
		return 0, false
	}
	return f, true
}

func (r *Reader) outside(n *Node, what string, low, high float64) {
	num := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	switch {
	case high >= math.MaxInt32 || math.IsInf(high, 1):
		r.Errorf(n, "out-of-range", "%s must be at least %s, found %s", what, num(low), n.Value)
	case math.IsInf(low, -1):
		r.Errorf(n, "out-of-range", "%s must be at most %s, found %s", what, num(high), n.Value)
	default:
		d := r.Errorf(n, "out-of-range", "%s must be between %s and %s, found %s", what, num(low), num(high), n.Value)
		// Less than 10 may be of any scale.
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && low == 0 && high == 1 && f >= 10 && f <= 100 {
			d.Hint = num(f) + "% is written as " + num(math.Round(f*1e6)/1e8)
		}
	}
}

// PercentAsShare says how a text that is a percentage is written as a share: "90% is written as 0.9". It is false for
// other texts.
func PercentAsShare(text string) (string, bool) {
	digits, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	percent, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
	if !ok || err != nil {
		return "", false
	}
	return strings.TrimSpace(digits) + "% is written as " + strconv.FormatFloat(percent/100, 'g', 6, 64), true
}

func (r *Reader) number(n *Node, what, kind string) (float64, bool) {
	if n == nil || n.Kind != Scalar || (n.ShortTag() != "!!int" && n.ShortTag() != "!!float") {
		d := r.Errorf(n, "wrong-type", "%s must be %s, found %s", what, kind, describe(n))
		if n != nil && n.Kind == Scalar {
			if _, err := strconv.ParseFloat(n.Value, 64); err == nil {
				d.Hint = "write it without quotes: " + n.Value
			} else if share, ok := PercentAsShare(n.Value); ok && kind == "a number" {
				d.Hint = share
			}
		}
		return 0, false
	}
	digits := strings.TrimLeft(n.Value, "+-")
	if len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789_") == "" {
		r.Errorf(n, "wrong-type", "%s: %s is octal to some readers of YAML and decimal to others", what, n.Value).Hint =
			"write it without the 0 at its start; 0o17 is octal to all"
		return 0, false
	}
	var f float64
	if err := n.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		r.Errorf(n, "wrong-type", "%s must be %s, found %s", what, kind, n.Value)
		return 0, false
	}
	return f, true
}

// Duration reads a time span such as 90s or 5m. It must be positive.
func (r *Reader) Duration(n *Node, what string) (time.Duration, bool) {
	s, ok := r.String(n, what)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		r.Errorf(n, "wrong-type", "%s must be a time span above zero such as 90s or 5m, found %s", what, describe(n))
		return 0, false
	}
	return d, true
}
