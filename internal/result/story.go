package result

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// Story contains the events of a trial in another process, between its start and its end. It contains neither the id
// nor the outcome of the trial.
type Story struct {
	Began, Ended time.Time
	// Simulated says that times count from the start of the run, as in At. Otherwise they come from the clock of the
	// other process.
	Simulated bool
	Events    []Event
}

// StoryDetail says what a story contains in addition to the stream of events.
type StoryDetail struct {
	Content bool `json:"content,omitempty"` // requests and replies of models
	Media   bool `json:"media,omitempty"`   // the bytes of the media of messages
}

// storyHead is the first line of an encoded story.
type storyHead struct {
	Began     time.Time `json:"began"`
	Ended     time.Time `json:"ended"`
	Simulated bool      `json:"simulated,omitempty"`
}

// storyLine is an event of an encoded story: its data in the stream, and the fields that the stream leaves out.
type storyLine struct {
	Kind EventKind       `json:"kind"`
	Time time.Time       `json:"time"`
	Turn int             `json:"turn"`
	Step string          `json:"step,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`

	Index   int           `json:"index,omitempty"`   // of a message
	Message *chat.Message `json:"message,omitempty"` // all other fields of the event derive from it
	Request *chat.Request `json:"request,omitempty"`
	Answer  *chat.Reply   `json:"answer,omitempty"`
	Host    string        `json:"host,omitempty"`
	Port    int           `json:"port,omitempty"`
}

// storyEvents are the kinds of events in a story.
var storyEvents = []Event{
	TurnStarted{}, MessageCreated{}, CallStarted{}, CallCompleted{}, CallFailed{}, ToolStarted{}, ToolCompleted{},
	StateChanged{}, StepStarted{}, StepCompleted{}, ValidationFailed{}, EvalCompleted{}, EvalFailed{}, VerdictGiven{},
	TurnCompleted{},
}

// Encode returns the story as lines of JSON. scrub may change each line; it may be nil.
func (s *Story) Encode(detail StoryDetail, scrub func(line []byte) []byte) ([]byte, error) {
	var out bytes.Buffer
	add := func(v any) error {
		line, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if scrub != nil {
			line = scrub(line)
		}
		out.Write(line)
		return out.WriteByte('\n')
	}
	if err := add(storyHead{s.Began, s.Ended, s.Simulated}); err != nil {
		return nil, fmt.Errorf("encode events: %w", err)
	}
	for _, e := range s.Events {
		line, err := storyLineOf(e, detail)
		if err == nil {
			err = add(line)
		}
		if err != nil {
			return nil, fmt.Errorf("encode an event %s: %w", e.Kind(), err)
		}
	}
	return out.Bytes(), nil
}

func storyLineOf(e Event, detail StoryDetail) (line storyLine, err error) {
	at := e.Place()
	line = storyLine{Kind: e.Kind(), Time: at.Time, Turn: at.Turn, Step: at.Step}
	switch e := e.(type) {
	case MessageCreated:
		line.Index = e.Index
		line.Message, err = messageToSend(e.Message, detail)
		return line, err
	case CallStarted:
		line.Host, line.Port = e.Host, e.Port
		if detail.Content {
			line.Request = &chat.Request{Messages: e.Request.Messages, Tools: e.Request.Tools}
		}
	case CallCompleted:
		line.Answer = &chat.Reply{ID: e.Answer.ID}
		if detail.Content {
			line.Answer = e.Answer
		}
	}
	line.Data, err = json.Marshal(e)
	return line, err
}

// messageToSend is a message, with the bytes of its media if they are wanted.
func messageToSend(m *chat.Message, detail StoryDetail) (*chat.Message, error) {
	if !detail.Media {
		return m, nil
	}
	whole := *m
	var err error
	if whole.Parts, err = partsWithData(m.Parts); err != nil || m.ToolResult == nil {
		return &whole, err
	}
	returned := *m.ToolResult
	returned.Parts, err = partsWithData(returned.Parts)
	whole.ToolResult = &returned
	return &whole, err
}

func partsWithData(parts []chat.Part) ([]chat.Part, error) {
	parts = slices.Clone(parts)
	for i := range parts {
		if parts[i].Media == nil {
			continue
		}
		whole, err := parts[i].Media.WithData()
		if err != nil {
			return nil, err
		}
		parts[i].Media = whole
	}
	return parts, nil
}

// DecodeStory decodes a story, which may come from an attacker. Its events have no trial.
func DecodeStory(text []byte) (*Story, error) {
	s := &Story{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		var err error
		if number == 1 {
			var head storyHead
			err = json.Unmarshal(line, &head)
			s.Began, s.Ended, s.Simulated = head.Began, head.Ended, head.Simulated
		} else {
			var e Event
			e, err = decodeStoryLine(line)
			s.Events = append(s.Events, e)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the events: %w", number, err)
		}
	}
	if number == 0 {
		return nil, errors.New("there are no events")
	}
	return s, nil
}

func decodeStoryLine(text []byte) (Event, error) {
	var line storyLine
	if err := unmarshal(text, &line); err != nil {
		return nil, err
	}
	at := At{Time: line.Time, Turn: line.Turn, Step: line.Step}
	if line.Turn < NoTurn {
		return nil, fmt.Errorf("turn %d", line.Turn)
	}
	if line.Kind == KindMessageCreated {
		if line.Message == nil {
			return nil, errors.New("a message that is none")
		}
		m := line.Message
		m.Parts = chat.Offload(m.Parts)
		if m.ToolResult != nil {
			m.ToolResult.Parts = chat.Offload(m.ToolResult.Parts)
		}
		return MessageCreatedOf(m, at, line.Index), nil
	}
	i := slices.IndexFunc(storyEvents, func(e Event) bool { return e.Kind() == line.Kind })
	if i < 0 {
		return nil, fmt.Errorf("an event %q is none of a trial", line.Kind)
	}
	v := reflect.New(reflect.TypeOf(storyEvents[i]))
	if err := unmarshal(line.Data, v.Interface()); err != nil {
		return nil, err
	}
	e := placed(v.Elem().Interface().(Event), at) //nolint:forcetypeassert // it is one
	switch e := e.(type) {
	case CallStarted:
		e.Host, e.Port, e.Request = line.Host, line.Port, line.Request
		if e.Request == nil {
			e.Request = &chat.Request{}
		}
		return e, nil
	case ToolStarted:
		if e.Args == nil && e.BadArgs == "" {
			e.Args = chat.Args{} // the story does not contain them
		}
		return e, nil
	case CallCompleted:
		if e.Answer = line.Answer; e.Answer == nil {
			e.Answer = &chat.Reply{}
		}
		return e, nil
	}
	return e, nil
}

// placed is an event with another position.
func placed(e Event, at At) Event {
	v := reflect.New(reflect.TypeOf(e)).Elem()
	v.Set(reflect.ValueOf(e))
	v.FieldByName("At").Set(reflect.ValueOf(at))
	return v.Interface().(Event) //nolint:forcetypeassert // it is one
}

// Of returns the events as those of a trial that started at started. Times are shifted to that start, but not beyond
// now. Simulated times stay relative to the run.
func (s *Story) Of(started At, now time.Time) []Event {
	move := min(started.Time.Sub(s.Began), now.Sub(s.Ended))
	if s.Simulated {
		move = 0
	}
	out := make([]Event, len(s.Events))
	for i, e := range s.Events {
		at := e.Place()
		at.Time = at.Time.Add(move)
		at.Trial, at.Scenario, at.Provider = started.Trial, started.Scenario, started.Provider
		out[i] = placed(e, at)
	}
	return out
}
