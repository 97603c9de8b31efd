package result

import (
	"bytes"
	"strings"
	"testing"
)

// A kept trial may be one of more than its line in the journal says. Nothing else of it changes, and a trial without
// what is to be changed is an error.
func TestRecountedIn(t *testing.T) {
	t.Parallel()
	trial := &Trial{ID: "a/mock/default", Trial: 1, Trials: 1, Status: Passed, Turns: []Turn{{User: `"id":"x","trials":7`}}}
	line, err := EncodeLine(trial)
	if err != nil {
		t.Fatal(err)
	}
	s := trialSpan(0, line)
	s.as = &Recounted{ID: "a<b>/mock/default#1", Trials: 12}
	got, err := s.read(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	raw := string(line[s.at : s.at+int64(s.len)])
	want := strings.Replace(raw, `"id":"a/mock/default"`, `"id":"a<b>/mock/default#1"`, 1)
	want = strings.Replace(want, `"trials":1,`, `"trials":12,`, 1)
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, raw := range []string{`{"id":"a"}`, `{}`, `[]`, `{"id":`, ``} {
		if out, err := s.as.applyTo([]byte(raw)); err == nil {
			t.Errorf("%s became %s", raw, out)
		}
	}
}
