package replay

import (
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plural"
)

// find picks the recorded reply for a call.
//
// By turn, the n-th message of the user gets the reply to the n-th answered message of the recording; within a turn the
// replies come in order, including rounds of tool calls. By content, a message gets the reply to the same text, the
// n-th repetition that of the n-th; a text that was not repeated so often falls back to the order.
//
// A persona says the recorded user messages in order. If none is left, the result is an error.
func (p *Provider) find(req *chat.Request) (l *recordedReply, notice, doubt string, err error) {
	if req.Origin.Judge != "" {
		return nil, "", "", errors.New("a recording cannot judge; give the judge a model")
	}
	if req.Origin.Step != "" {
		return nil, "", "", fmt.Errorf("a recorded conversation does not hold what the models of steps said, like that of "+
			"%s; record a run with its steps: arena run --record FOLDER, and replay that", req.Origin.Step)
	}
	i, err := p.archive.choose(p.Settings, &req.Origin)
	if err != nil {
		return nil, "", "", err
	}
	s, err := p.archive.script(i)
	if err != nil {
		return nil, "", "", err
	}
	if req.Origin.Persona != "" {
		l, err := s.persona(req.Messages)
		return l, "", "", err
	}
	at := positionOf(req.Messages)
	turn := at.turn
	if p.Settings.Match == "content" {
		n, found := s.turnOf(at.user, at.repeats)
		if !found {
			return nil, "", "", fmt.Errorf("the recording does not have this user message of turn %d, and match: content asks "+
				"for replies to the same words; match: turn answers by order", at.turn+1)
		}
		turn = n
	} else if turn < len(s.turns) && !s.turns[turn].matches(at.user) {
		notice = fmt.Sprintf("provider %s: in the recording the user says something else in turn %d", p.ID, at.turn+1)
		doubt = fmt.Sprintf("answers other words of the user than those recorded in turn %d", at.turn+1)
	}
	l, err = s.replyAt(turn, at.replies)
	if err != nil {
		return nil, "", "", err
	}
	if left := len(s.turns[turn].replies) - at.replies - 1; left > 0 && len(l.calls) == 0 {
		notice = fmt.Sprintf("provider %s: the recorded turn %d has %d more of the assistant's messages, "+
			"which nobody asked for", p.ID, turn+1, left)
	}
	if turn == 0 && at.replies == 0 && !s.samePrompt(req.Messages) {
		other := fmt.Sprintf("provider %s: in the recording the system prompt is another one", p.ID)
		notice = strings.TrimPrefix(notice+"; "+other, "; ")
		if doubt != "" {
			doubt += ", and "
		}
		doubt += "answers under another system prompt than was recorded"
	}
	return l, notice, doubt, nil
}

// samePrompt reports whether the system prompt is the recorded one. It is true if none was recorded or something was
// redacted in it.
func (s *script) samePrompt(messages []chat.Message) bool {
	now := ""
	if len(messages) > 0 && messages[0].Role == chat.System {
		now = messages[0].Text()
	}
	then := strings.TrimSpace(s.system)
	return then == "" || then == strings.TrimSpace(now) || strings.Contains(strings.ToLower(then), "[redacted]")
}

// position is a position in a conversation.
type position struct {
	turn    int    // number of user messages before the last one
	user    string // the last user message
	repeats int    // number of equal user messages before it
	replies int    // number of replies after it
}

func positionOf(messages []chat.Message) position {
	at := position{turn: -1}
	for i := range messages {
		switch messages[i].Role {
		case chat.User:
			at.turn++
			at.user, at.replies = messages[i].Text(), 0
		case chat.Assistant:
			at.replies++
		case chat.System, chat.ToolRole:
		}
	}
	at.turn = max(at.turn, 0)
	for i := range messages {
		if messages[i].Role == chat.User && messages[i].Text() == at.user {
			at.repeats++
		}
	}
	at.repeats = max(at.repeats-1, 0)
	return at
}

// turnOf finds the turn with these words of the user, after before earlier repetitions.
func (s *script) turnOf(words string, before int) (turn int, found bool) {
	for i := range s.turns {
		if !s.turns[i].matches(words) {
			continue
		}
		if before == 0 {
			return i, true
		}
		before--
	}
	return 0, false
}

// replyAt is a reply of a turn, both from 0.
func (s *script) replyAt(turn, reply int) (*recordedReply, error) {
	if turn < len(s.turns) && reply < len(s.turns[turn].replies) {
		return &s.turns[turn].replies[reply], nil
	}
	err := fmt.Errorf("the recording has no turn %d: it has %s of the user that were answered (%s)",
		turn+1, plural.Count(len(s.turns), "message"), s.name)
	if turn < len(s.turns) {
		err = fmt.Errorf("the recording has %s in turn %d and was asked for one more (%s)",
			plural.Of(len(s.turns[turn].replies), "reply", "replies"), turn+1, s.name)
	}
	if s.broken != "" && turn >= len(s.turns)-1 {
		err = fmt.Errorf("%w; it broke off: %s", err, s.broken)
	}
	return nil, err
}

// persona is the next message of the user. In such a request the roles are swapped.
func (s *script) persona(messages []chat.Message) (*recordedReply, error) {
	n := 0
	for i := range messages {
		if messages[i].Role == chat.Assistant {
			n++
		}
	}
	if n >= len(s.turns) {
		return nil, fmt.Errorf("the recording has %s of the user and was asked for one more (%s)",
			plural.Count(len(s.turns), "message"), s.name)
	}
	return &recordedReply{content: s.turns[n].user, finish: "stop"}, nil
}
