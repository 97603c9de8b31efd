package dispatch

import (
	"container/list"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/chat"
)

// Accumulator grows sessions out of events, and says when there is something to evaluate: after each final reply, and
// at the end of a session. It belongs to one goroutine.
type Accumulator struct {
	TTL         time.Duration // a session ends when it has been silent for so long
	MaxSessions int           // at once; the one that has been silent for longest ends when there are more
	MaxBytes    int           // of all sessions; the same
	Prompt      string        // of the requests
	Turns, Ends bool          // which moments there are evals for

	open  map[string]*talk
	quiet *list.List // of *talk, the one that has been silent for longest first
	bytes int
	stats AccumulatorStats
}

// The defaults of an Accumulator.
const (
	DefaultTTL         = 30 * time.Minute
	DefaultMaxSessions = 10_000
	DefaultMaxBytes    = 64 << 20
)

// AccumulatorStats counts what became of events and sessions.
type AccumulatorStats struct {
	Messages   int // that were taken
	Duplicates int // messages that were there already
	Conflicts  int // other messages under an index that was taken; the first counts
	Crowded    int // sessions that ended early because there was no room
	Incomplete int // sessions that ended without some of their messages
	Unanswered int // sessions that ended without a reply
}

// Due is what events lead to.
type Due struct {
	Requests []*Request
	Dead     []*Dead // sessions that cannot be evaluated
}

// talk is a session so far.
type talk struct {
	id                 string
	scenario, provider string
	messages           []Message       // without gaps
	ahead              map[int]Message // those behind a gap
	turn               int
	spoken             bool // somebody has answered in the turn
	answered           bool // there is a final reply
	bytes              int
	tooLarge           bool
	first              uint64 // mark of the first event
	last               time.Time
	place              *list.Element
}

// NewAccumulator returns an Accumulator with the defaults.
func NewAccumulator() *Accumulator {
	return &Accumulator{
		TTL: DefaultTTL, MaxSessions: DefaultMaxSessions, MaxBytes: DefaultMaxBytes, Turns: true, Ends: true,
		open: map[string]*talk{}, quiet: list.New(),
	}
}

// Stats are the counts so far.
func (a *Accumulator) Stats() AccumulatorStats { return a.stats }

// Add takes an event of a size in bytes, that happened at a time. Marks are numbers of events that grow.
func (a *Accumulator) Add(e *Event, size int, at time.Time, mark uint64) (due Due) {
	if e.Ended {
		if t := a.open[e.Session]; t != nil {
			a.end(t, at, &due)
		}
		return due
	}
	t := a.open[e.Session]
	if t == nil {
		t = &talk{id: e.Session, scenario: e.Scenario, provider: e.Provider, first: mark, ahead: map[int]Message{}}
		t.place = a.quiet.PushBack(t)
		a.open[e.Session] = t
	}
	t.last = at
	a.quiet.MoveToBack(t.place)
	if a.take(t, e) {
		a.stats.Messages++
		t.bytes += size
		a.bytes += size
		a.advance(t, &due)
	}
	if t.bytes > MaxRequest && !t.tooLarge {
		a.bytes -= t.bytes
		t.messages, t.ahead, t.bytes, t.tooLarge = nil, nil, 0, true
	}
	for len(a.open) > a.MaxSessions || a.bytes > a.MaxBytes && len(a.open) > 1 {
		a.stats.Crowded++
		a.end(a.oldest(), at, &due)
	}
	return due
}

func (a *Accumulator) oldest() *talk {
	t, _ := a.quiet.Front().Value.(*talk) // nothing else is in it
	return t
}

// take puts a message at its place, unless it is there already.
func (a *Accumulator) take(t *talk, e *Event) bool {
	if t.tooLarge {
		return false
	}
	index := e.Index
	if index < 0 {
		if t.copied(&e.Message) {
			a.stats.Duplicates++
			return false
		}
		index = len(t.messages)
	}
	known, there := t.ahead[index]
	if index < len(t.messages) {
		known, there = t.messages[index], true
	}
	switch {
	case !there:
		t.ahead[index] = e.Message
		return true
	case reflect.DeepEqual(known.Message, e.Message.Message):
		a.stats.Duplicates++
	default:
		a.stats.Conflicts++
	}
	return false
}

// copied reports whether a message is the copy of the user's first that some tools send without a time.
func (t *talk) copied(m *Message) bool {
	if len(t.messages) == 0 || m.Role != chat.User {
		return false
	}
	last := &t.messages[len(t.messages)-1]
	return last.Role == chat.User && last.At.IsZero() != m.At.IsZero() && reflect.DeepEqual(last.Message, m.Message)
}

// advance takes the messages that have no gap before them any more.
func (a *Accumulator) advance(t *talk, due *Due) {
	for {
		m, there := t.ahead[len(t.messages)]
		if !there {
			return
		}
		delete(t.ahead, len(t.messages))
		t.messages = append(t.messages, m)
		switch m.Role {
		case chat.User:
			if t.spoken {
				t.turn, t.spoken = t.turn+1, false
			}
		case chat.Assistant:
			t.spoken = true
			if len(m.ToolCalls) > 0 || m.Text() == "" && len(m.Parts) == 0 {
				continue
			}
			t.answered = true
			if a.Turns {
				due.Requests = append(due.Requests, a.request(t, Turn))
			}
		case chat.ToolRole:
			t.spoken = true
		case chat.System:
		}
	}
}

// request asks for the evals of a moment of a session, as it is now. The same session at the same moment has the same
// id, whoever listens and how often.
func (a *Accumulator) request(t *talk, moment Moment) *Request {
	r := &Request{
		Version: Version, Session: t.id, Prompt: a.Prompt, Scenario: t.scenario, Provider: t.provider, Moment: moment,
		Messages: slices.Clip(t.messages), Started: t.messages[0].At,
	}
	where := string(End)
	if moment == Turn {
		r.Turn, where = t.turn, fmt.Sprintf("turn-%d", t.turn+1)
	}
	text, err := json.Marshal(r.Messages)
	if err != nil {
		text = []byte(err.Error()) // what came as JSON goes as JSON
	}
	const shown = 200 // bytes of the session's id in that of the request
	short := strings.ToValidUTF8(t.id[:min(len(t.id), shown)], "")
	r.ID = short + "/" + where + "/" + Token("listen", t.id, a.Prompt, where, string(text))
	return r
}

// end ends a session and forgets it.
func (a *Accumulator) end(t *talk, at time.Time, due *Due) {
	delete(a.open, t.id)
	a.quiet.Remove(t.place)
	a.bytes -= t.bytes
	bury := func(why Why, reason string) {
		due.Dead = append(due.Dead, &Dead{
			ID: Token("listen", t.id, strconv.FormatUint(t.first, 10)), Session: t.id, Why: why, Reason: reason,
			Tries: 1, At: at,
		})
	}
	switch {
	case t.tooLarge:
		bury(TooLarge, "the session has more than "+Size(MaxRequest))
	case len(t.ahead) > 0:
		a.stats.Incomplete++
		bury(Incomplete, fmt.Sprintf("message %d of the session never came, and %d after it did",
			len(t.messages), len(t.ahead)))
	case !t.answered:
		a.stats.Unanswered++
	case a.Ends:
		due.Requests = append(due.Requests, a.request(t, End))
	}
}

// Expire ends the sessions that have been silent for too long.
func (a *Accumulator) Expire(now time.Time) (due Due) {
	for a.quiet.Len() > 0 && now.Sub(a.oldest().last) >= a.TTL {
		a.end(a.oldest(), now, &due)
	}
	return due
}

// EndAll ends all sessions.
func (a *Accumulator) EndAll(now time.Time) (due Due) {
	for a.quiet.Len() > 0 {
		a.end(a.oldest(), now, &due)
	}
	return due
}

// Open are the ids of the sessions that have not ended, and the mark of the first event of any of them; 0 when there is
// none.
func (a *Accumulator) Open() (ids []string, first uint64) {
	for id, t := range a.open {
		ids = append(ids, id)
		if first == 0 || t.first < first {
			first = t.first
		}
	}
	return ids, first
}
