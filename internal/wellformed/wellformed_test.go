package wellformed

import (
	"errors"
	"strings"
	"testing"
)

func TestWhatIsWrong(t *testing.T) {
	t.Parallel()
	read := map[string]func(text string) error{
		"html": func(text string) error { _, err := HTML(text); return err },
		"xml":  func(text string) error { _, err := XML(text, nil); return err },
		"sql":  func(text string) error { _, err := SQL(text); return err },
	}
	for _, tc := range []struct{ language, text, want string }{
		{"html", "<p>one<br>two", ""},
		{"html", "<svg><path/></svg>", ""},
		{"html", "<div/>", "<div> is not closed"},
		{"html", "hello", "text outside of any element"},
		{"html", "<blink>x</blink>", "there is no element <blink>"},
		{"html", "<b><i>x</b></i>", "</b> stands where <i> is open"},
		{"xml", "<a><b/></a>", ""},
		{"xml", "<a/><b/>", "a second root element, <b>"},
		{"xml", `<a x="1" x="2"/>`, "the attribute x twice"},
		{"xml", " ", "there is no element"},
		{"sql", "SELECT 1; DELETE FROM t", ""},
		{"sql", "SELECT (1", "a parenthesis is not closed"},
		{"sql", "SELECT 1 FROM", "expected"},
		{"sql", "", "there is no statement"},
	} {
		switch err := read[tc.language](tc.text); {
		case err == nil && tc.want != "":
			t.Errorf("%s: %q is taken", tc.language, tc.text)
		case err != nil && (tc.want == "" || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %q: %v, want %q", tc.language, tc.text, err, tc.want)
		}
	}
}

// TestLimits: an excessively large text is an error of the check.
func TestLimits(t *testing.T) {
	t.Parallel()
	_, html := HTML(strings.Repeat("<b>", 100_000))
	_, xml := XML(strings.Repeat("<b>", 100_000), nil)
	_, sql := SQL(strings.Repeat("SELECT 1;", 100_000))
	for _, err := range []error{html, xml, sql} {
		if _, limit := errors.AsType[*LimitError](err); !limit {
			t.Errorf("%v", err)
		}
	}
}
