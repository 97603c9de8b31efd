package textmeasure

import (
	"strings"
	"testing"
)

// TestComparable: useless vectors of a server are refused.
func TestComparable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		texts   []string
		vectors [][]float64
		want    string
	}{
		"sound":               {[]string{"a", "b"}, [][]float64{{1, 0}, {0, 1}}, ""},
		"the same text":       {[]string{"Hi.", "hi"}, [][]float64{{1, 0}, {1, 0}}, ""},
		"identical":           {[]string{"a", "b"}, [][]float64{{1, 0}, {1, 0}}, "the same vector"},
		"identical, repeated": {[]string{"a", "a", "b"}, [][]float64{{1, 0}, {1, 0}, {1, 0}}, "the same vector"},
		"two of three":        {[]string{"a", "b", "c"}, [][]float64{{1, 0}, {1, 0}, {0, 1}}, ""},
		"zeros":               {[]string{"a", "b"}, [][]float64{{1, 0}, {0, 0}}, "all zeros"},
		"denormal":            {[]string{"a", "b"}, [][]float64{{5e-324, 0}, {0, 1}}, "all zeros"},
		"one number":          {[]string{"a", "b"}, [][]float64{{1}, {2}}, "one number"},
		"a text alone":        {[]string{"a"}, [][]float64{{0}}, ""},
	} {
		err := Comparable(c.texts, c.vectors)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
