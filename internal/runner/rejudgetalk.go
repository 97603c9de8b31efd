package runner

import (
	"encoding/base64"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// playedAsNow returns an error if the persona of a turn may send another number of messages now than at the time of the
// conversation. It is checked at the last turn that came from it, the i-th.
func playedAsNow(turns []result.Turn, i int, now *scenario.Turn) error {
	last := &turns[i]
	script, said := last.Script(), 1
	if next := i + 1; next < len(turns) && turns[next].Script() == script && turns[next].NotRun == "" {
		return nil
	}
	for said <= i && turns[i-said].Script() == script {
		said++
	}
	changed := func(then string) error {
		asked := plural.Of(now.Most(), "message", "messages")
		if now.MayEnd() {
			asked = fmt.Sprintf("%d to %s", now.Least(), asked)
		}
		return fmt.Errorf("the scenario has changed since the run: the persona says %s in turn %d now, and %s", asked,
			script+1, then)
	}
	switch {
	case said > now.Most():
		return changed(fmt.Sprintf("said %d", said))
	case last.Ended == result.EndedByMaximum && said != now.Most():
		return changed(fmt.Sprintf("might say %d", said))
	case last.Ended == result.EndedByMark && said < now.Least():
		return changed(fmt.Sprintf("ended after %d", said))
	}
	return nil
}

// sentAsNow returns an error if the media of a user message differ from those of the scenario.
func (s *session) sentAsNow(was *result.Turn, at turnIndex, now []chat.Part) error {
	sent := mediaOf(userParts(was))
	wanted := mediaOf(now)
	changed := func(format string, args ...any) error {
		return fmt.Errorf("the scenario has changed since the run: turn %d %s", at.script+1, fmt.Sprintf(format, args...))
	}
	if len(sent) != len(wanted) {
		return changed("sends %s now, and sent %d", plural.Of(len(wanted), "medium", "media"), len(sent))
	}
	for i := range wanted {
		w, had := wanted[i], sent[i]
		if w.Type != had.Type {
			return changed("sends %s now where it sent %s", withArticle(w.Type), withArticle(had.Type))
		}
		same, err := s.sameMedium(w, had.Media)
		if err != nil {
			return fmt.Errorf("turn %d: %s: %w", at.script+1, mediumName(w), err)
		}
		if !same {
			return changed("sends something else now as %s", mediumName(w))
		}
	}
	return nil
}

// userParts are the parts of the first user message of a turn.
func userParts(turn *result.Turn) []chat.Part {
	for i := range turn.Messages {
		if turn.Messages[i].Role == chat.User {
			return turn.Messages[i].Parts
		}
	}
	return nil
}

func mediaOf(parts []chat.Part) (all []*chat.Part) {
	for i := range parts {
		if parts[i].Media != nil {
			all = append(all, &parts[i])
		}
	}
	return all
}

// sameMedium reports whether a sent medium is the one in the scenario. Media at addresses are compared by address, not
// fetched. It returns true if the bytes were not kept.
func (s *session) sameMedium(now *chat.Part, was *chat.Media) (bool, error) {
	if now.Media.URL != "" {
		return isSame(was.Source, chat.WithoutQuery(now.Media.URL)) || isSame(was.URL, now.Media.URL), nil
	}
	if was.URL != "" {
		return false, nil
	}
	then := sumOfMedium(was)
	if then == "" {
		return true, nil
	}
	got, err := s.trial.Project.media.AttachLocal(now.Type, now.Media)
	if err != nil {
		return false, err
	}
	return sumOfMedium(got) == then, nil
}

// sumOfMedium is a hash of the bytes of a medium; "": they are missing.
func sumOfMedium(m *chat.Media) string {
	switch {
	case m.SHA256 != "":
		return m.SHA256
	case m.Content != nil:
		return m.Content.SHA256()
	case m.Data == "":
		return ""
	}
	data, err := base64.StdEncoding.DecodeString(m.Data)
	if err != nil {
		return ""
	}
	return chat.SumOf(data)
}
