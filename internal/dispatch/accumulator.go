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

// Accumulator builds sessions from events, and returns a request for evals after each final reply and at the end of a
// session. It belongs to one goroutine.
type Accumulator struct {
	TTL         time.Duration // a session without events for that long ends
	MaxSessions int           // open at once; beyond it, the session with the oldest last event ends
	MaxBytes    int           // of all open sessions; beyond it, the session with the oldest last event ends
	Prompt      string        // of the requests
	Turns, Ends bool          // the moments that have evals

	open      map[string]*session
	bySilence *list.List // of *session, sorted by last event, the oldest first
	bytes     int
	stats     AccumulatorStats
}

// The defaults of an Accumulator.
const (
	DefaultTTL         = 30 * time.Minute
	DefaultMaxSessions = 10_000
	DefaultMaxBytes    = 64 << 20
)

// AccumulatorStats counts events and sessions.
type AccumulatorStats struct {
	Messages   int // accepted
	Duplicates int // messages that came again
	Conflicts  int // messages with the index of another message, which counts
	Evicted    int // sessions that ended early because of MaxSessions or MaxBytes
	Incomplete int // sessions that ended with messages missing
	Unanswered int // sessions that ended without a reply
}

// Actions are what the caller must do after events: send requests, and report sessions as dead letters.
type Actions struct {
	Requests []*Request
	Dead     []*Dead // sessions that cannot be evaluated
}

// session is an open session.
type session struct {
	id                 string
	scenario, provider string
	messages           []Message       // from the first, without gaps
	ahead              map[int]Message // after a gap, by index
	turn               int
	replied            bool // the agent or a tool has answered in the turn
	answered           bool // there is a final reply
	bytes              int
	tooLarge           bool
	firstMark          uint64 // mark of the first event
	last               time.Time
	element            *list.Element
}

// NewAccumulator returns an Accumulator with the defaults.
func NewAccumulator() *Accumulator {
	return &Accumulator{
		TTL: DefaultTTL, MaxSessions: DefaultMaxSessions, MaxBytes: DefaultMaxBytes, Turns: true, Ends: true,
		open: map[string]*session{}, bySilence: list.New(),
	}
}

// Stats are the counts so far.
func (a *Accumulator) Stats() AccumulatorStats { return a.stats }

// Add takes an event, its size in bytes and its time. mark is the number of the event; it grows from event to event.
func (a *Accumulator) Add(e *Event, size int, at time.Time, mark uint64) (due Actions) {
	if e.Ended {
		if t := a.open[e.Session]; t != nil {
			a.endSession(t, at, &due)
		}
		return due
	}
	t := a.open[e.Session]
	if t == nil {
		t = &session{id: e.Session, scenario: e.Scenario, provider: e.Provider, firstMark: mark, ahead: map[int]Message{}}
		t.element = a.bySilence.PushBack(t)
		a.open[e.Session] = t
	}
	t.last = at
	a.bySilence.MoveToBack(t.element)
	if a.insert(t, e) {
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
		a.stats.Evicted++
		a.endSession(a.longestSilent(), at, &due)
	}
	return due
}

func (a *Accumulator) longestSilent() *session {
	t, _ := a.bySilence.Front().Value.(*session) // the list holds nothing else
	return t
}

// insert stores a message by its index. It returns false for one that the session has already.
func (a *Accumulator) insert(t *session, e *Event) bool {
	if t.tooLarge {
		return false
	}
	index := e.Index
	if index < 0 {
		if t.isCopy(&e.Message) {
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

// isCopy reports whether a message repeats the user's last one. Some tools send it twice, once without a time.
func (t *session) isCopy(m *Message) bool {
	if len(t.messages) == 0 || m.Role != chat.User {
		return false
	}
	last := &t.messages[len(t.messages)-1]
	return last.Role == chat.User && last.At.IsZero() != m.At.IsZero() && reflect.DeepEqual(last.Message, m.Message)
}

// advance appends the messages ahead that have no gap before them any more.
func (a *Accumulator) advance(t *session, due *Actions) {
	for {
		m, there := t.ahead[len(t.messages)]
		if !there {
			return
		}
		delete(t.ahead, len(t.messages))
		t.messages = append(t.messages, m)
		switch m.Role {
		case chat.User:
			if t.replied {
				t.turn, t.replied = t.turn+1, false
			}
		case chat.Assistant:
			t.replied = true
			if len(m.ToolCalls) > 0 || m.Text() == "" && len(m.Parts) == 0 {
				continue
			}
			t.answered = true
			if a.Turns {
				due.Requests = append(due.Requests, a.request(t, Turn))
			}
		case chat.ToolRole:
			t.replied = true
		case chat.System:
		}
	}
}

// request returns a request for the evals of a moment of the session. Its id is the same for the same messages and
// moment, whichever listener makes it and how often.
func (a *Accumulator) request(t *session, moment Moment) *Request {
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
		text = []byte(err.Error()) // cannot happen: the messages were decoded from JSON
	}
	const shown = 200 // bytes of the session id in the id of the request
	short := strings.ToValidUTF8(t.id[:min(len(t.id), shown)], "")
	r.ID = short + "/" + where + "/" + Token("listen", t.id, a.Prompt, where, string(text))
	return r
}

// endSession ends a session and removes it.
func (a *Accumulator) endSession(t *session, at time.Time, due *Actions) {
	delete(a.open, t.id)
	a.bySilence.Remove(t.element)
	a.bytes -= t.bytes
	giveUp := func(why Why, reason string) {
		due.Dead = append(due.Dead, &Dead{
			ID: Token("listen", t.id, strconv.FormatUint(t.firstMark, 10)), Session: t.id, Why: why, Reason: reason,
			Tries: 1, At: at,
		})
	}
	switch {
	case t.tooLarge:
		giveUp(TooLarge, "the session has more than "+Size(MaxRequest))
	case len(t.ahead) > 0:
		a.stats.Incomplete++
		giveUp(Incomplete, fmt.Sprintf("message %d of the session did not arrive, but %d after it did",
			len(t.messages), len(t.ahead)))
	case !t.answered:
		a.stats.Unanswered++
	case a.Ends:
		due.Requests = append(due.Requests, a.request(t, End))
	}
}

// Expire ends the sessions without an event for TTL.
func (a *Accumulator) Expire(now time.Time) (due Actions) {
	for a.bySilence.Len() > 0 && now.Sub(a.longestSilent().last) >= a.TTL {
		a.endSession(a.longestSilent(), now, &due)
	}
	return due
}

// EndAll ends all sessions.
func (a *Accumulator) EndAll(now time.Time) (due Actions) {
	for a.bySilence.Len() > 0 {
		a.endSession(a.longestSilent(), now, &due)
	}
	return due
}

// Open returns the ids of the open sessions, and the lowest mark of their first events; 0 when no session is open.
func (a *Accumulator) Open() (ids []string, first uint64) {
	for id, t := range a.open {
		ids = append(ids, id)
		if first == 0 || t.firstMark < first {
			first = t.firstMark
		}
	}
	return ids, first
}
