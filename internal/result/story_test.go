package result_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/result/resulttest"
)

// ofTrial are the events of a run between the start and the end of its trial.
func ofTrial(all []result.Event) (s *result.Story, started result.At) {
	s = &result.Story{}
	for _, e := range all {
		switch e := e.(type) {
		case result.RunStarted, result.RunCompleted, result.GroupCompleted:
		case result.TrialStarted:
			s.Began, started = e.Time, e.At
		case result.TrialDone:
			s.Ended = e.Time
		default:
			s.Events = append(s.Events, e)
		}
	}
	return s, started
}

// TestStoryComesBack: everything that can happen in a trial comes back as it was, also what the stream of events does
// not have.
func TestStoryComesBack(t *testing.T) {
	t.Parallel()
	told, started := ofTrial(resulttest.Events())
	text, err := told.Encode(result.StoryDetail{Content: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := result.DecodeStory(text)
	if err != nil {
		t.Fatal(err)
	}
	unsent := cmpopts.IgnoreFields(chat.Request{}, "Temperature", "TopP", "MaxTokens", "Seed", "Stream", "JSONSchema")
	if diff := cmp.Diff(told.Events, back.Of(started, told.Ended), cmpopts.EquateEmpty(), unsent); diff != "" {
		t.Errorf("(-told +heard):\n%s", diff)
	}
	plain, err := told.Encode(result.StoryDetail{}, func(line []byte) []byte {
		return bytes.ReplaceAll(line, []byte("teapot"), []byte("******"))
	})
	if err != nil || bytes.Contains(plain, []byte("teapot")) || bytes.Contains(plain, []byte("Finds the")) {
		t.Errorf("%v\n%s", err, plain)
	}
	if _, err := result.DecodeStory(plain); err != nil {
		t.Error(err)
	}
}

// TestHostileStory: what an enemy says comes back the same each time, and what is no event of a trial is refused.
func TestHostileStory(t *testing.T) {
	t.Parallel()
	told, started := ofTrial(resulttest.HostileEvents())
	var texts []string
	for range 3 { // the first has bytes that are no UTF-8
		text, err := told.Encode(result.StoryDetail{Content: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
		if told, err = result.DecodeStory(text); err != nil {
			t.Fatal(err)
		}
		told.Events = told.Of(started, told.Ended)
	}
	if texts[1] != texts[2] {
		t.Error("it changes on the way")
	}
	for line, want := range map[string]string{
		"":                                        "there are no events",
		"{":                                       "line 1 of the events",
		"{}\n{":                                   "line 2 of the events",
		"{}\n" + `{"kind":"run.completed"}`:       `an event "run.completed" is none of a trial`,
		"{}\n" + `{"kind":"trial.completed"}`:     `an event "trial.completed" is none of a trial`,
		"{}\n" + `{"kind":"message.created"}`:     "a message that is none",
		"{}\n" + `{"kind":"verdict","data":[]}`:   "line 2",
		"{}\n" + `{"kind":"verdict"}`:             "line 2",
		"{}\n" + `{"kind":"verdict","turn":-2}`:   "turn -2",
		"{}\n" + `{"kind":"verdict","data":null}`: "",
		"{}\n" + `{"kind":"provider.call.completed","data":{}}` + "\n" + `{"kind":"provider.call.started","data":{}}`: "",
	} {
		story, err := result.DecodeStory([]byte(line))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", line, err)
				continue
			}
			for _, e := range story.Events { // what is never nil is not
				if c, ok := e.(result.CallCompleted); ok && c.Answer == nil {
					t.Error("no answer")
				}
				if c, ok := e.(result.CallStarted); ok && c.Request == nil {
					t.Error("no request")
				}
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
}

// TestStoryOfAnotherClock: what a clock says that is years off is moved to when the trial ran here.
func TestStoryOfAnotherClock(t *testing.T) {
	t.Parallel()
	const year = 365 * 24 * time.Hour
	here := resulttest.Epoch
	story := &result.Story{Began: here.Add(-3 * year), Ended: here.Add(-3 * year).Add(time.Minute), Events: []result.Event{
		result.TurnStarted{At: result.At{Time: here.Add(-3 * year).Add(time.Second), Turn: 0}},
	}}
	for name, c := range map[string]struct {
		now  time.Time
		want time.Duration
	}{
		"its start was heard":               {here.Add(time.Minute + time.Second), time.Second},
		"it was heard of when it had ended": {here, time.Second - time.Minute},
	} {
		got := story.Of(result.At{Time: here, Trial: "a", Turn: result.NoTurn}, c.now)[0].Place()
		if got.Time.Sub(here) != c.want || got.Trial != "a" || got.Turn != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	story.Simulated = true
	if got := story.Of(result.At{Time: here}, here)[0].Place(); !got.Time.Equal(here.Add(-3 * year).Add(time.Second)) {
		t.Errorf("simulated: %+v", got)
	}
}

// TestStoryHasMedia: where the bytes of media are wanted they come along, and lie aside again behind the way.
func TestStoryHasMedia(t *testing.T) {
	t.Parallel()
	data := base64.StdEncoding.EncodeToString(bytes.Repeat([]byte("png"), chat.InlineMedia))
	parts := chat.Offload([]chat.Part{{Type: "image", Media: &chat.Media{MIMEType: "image/png", Data: data}}})
	told := &result.Story{Events: []result.Event{
		result.MessageCreatedOf(&chat.Message{Role: chat.User, Parts: parts}, result.At{}, 0),
	}}
	for _, want := range []bool{true, false} {
		text, err := told.Encode(result.StoryDetail{Media: want}, nil)
		if err != nil {
			t.Fatal(err)
		}
		back, err := result.DecodeStory(text)
		if err != nil {
			t.Fatal(err)
		}
		m := back.Events[0].(result.MessageCreated).Message.Parts[0].Media
		if got, err := m.Base64(); err != nil || (got == data) != want || m.Data != "" || m.SHA256 != parts[0].Media.SHA256 {
			t.Errorf("%t: %v, %d bytes, %d within", want, err, len(got), len(m.Data))
		}
	}
}
