package plural

import "testing"

func TestOf(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 replies", 1: "1 reply", 2: "2 replies", 1200: "1200 replies"} {
		if got := Of(n, "reply", "replies"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := Count(1, "file") + ", " + Count(0, "file"); got != "1 file, 0 files" {
		t.Error(got)
	}
}
