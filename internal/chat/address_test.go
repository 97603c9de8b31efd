package chat

import (
	"strings"
	"testing"
)

// TestWithoutQuery: nothing of a query is left, and two of them stay two.
func TestWithoutQuery(t *testing.T) {
	t.Parallel()
	if got := WithoutQuery("https://a.test/x.png"); got != "https://a.test/x.png" {
		t.Errorf("without a query: %q", got)
	}
	seen := map[string]string{}
	for _, rest := range []string{"?token=SECRET", "?token=SECRET2", "#SECRET", "?a=1#SECRET"} {
		got := WithoutQuery("https://a.test/x.png" + rest)
		if strings.Contains(got, "SECRET") || strings.Contains(got, "token") || !strings.HasPrefix(got, "https://a.test/x.png…") {
			t.Errorf("%s: %q", rest, got)
		}
		if other, duplicate := seen[got]; duplicate {
			t.Errorf("%s and %s are both %q", rest, other, got)
		}
		seen[got] = rest
	}
}
