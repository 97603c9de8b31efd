package cassette

import (
	"bytes"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/plainfile"
)

// From says who answers the model calls of the trial: the same text as long as it is the same model at the same place.
// What an older cassette holds of somebody else is asked again; "": all of it.
func (t *Tape) From(source string) {
	if t != nil {
		t.source = source
	}
}

// Spare has the cassette keep what an older one holds beyond the exchanges of this trial, which did not come to all
// that it asks when it passes.
func (t *Tape) Spare() {
	if t != nil {
		t.spare = true
	}
}

// remember takes up the older cassette of the trial.
func (t *Tape) remember() {
	id := t.deck.holder(t.id)
	data, err := plainfile.Read(t.deck.file(id))
	if err != nil {
		return
	}
	c, err := t.deck.open(data, id)
	if err != nil || c.simulated != t.simulated {
		return
	}
	for _, e := range c.entries {
		if e.failure == nil && e.reply != nil && e.sign() == nil && !t.pen.finds(e.reply) {
			t.older = append(t.older, e)
		}
	}
}

// keeps reports whether an exchange need not be asked again when the same is asked: it is the whole reply of a model or
// a tool. Replies that a guardrail cut short are no whole ones, nor are those from which something was taken out. What
// evaluates outside of arena is always asked: it may have changed, and nothing in a request would show that.
func (e *entry) keeps(source string) bool {
	switch r := e.reply.(type) {
	case *modelReply:
		if r.Closed || r.Source == "" || r.Source != source {
			return false
		}
	case *judgeReply:
		if r.Source == "" || r.Source != source {
			return false
		}
	case *toolReply:
	default:
		return false
	}
	return !leaksOut(e.request) && !leaksOut(e.reply)
}

// leaksOut reports whether something was taken out of a request or a reply.
func leaksOut(v any) bool {
	data, err := compact(v)
	return err != nil || bytes.Contains(data, []byte(redacted))
}

// keep is the exchange of the older cassette in which the same was asked; nil: there is none left.
func (t *Tape) keep(a *asked, l *Lane, at place, q *question) *entry {
	t.mu.Lock()
	var found *entry
	for _, e := range t.older {
		if e.used || e.key != a.key || q.other != nil && q.other(e.reply) != "" || !e.keeps(q.source) {
			continue
		}
		if found == nil || found.at != l.at && e.at == l.at {
			found = e
		}
	}
	if found == nil {
		t.mu.Unlock()
		return nil
	}
	found.used = true
	e := *found
	e.asked, e.at, e.place, e.again = *a, l.at, at, true
	t.entries = append(t.entries, &e)
	t.mu.Unlock()
	l.book(e.latency)
	return &e
}

// Kept is how many replies of models to the conversation were taken from the older cassette.
func (t *Tape) Kept() (n int) {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.again && e.kind == kindModel {
			n++
		}
	}
	return n
}

// beyond is what the older cassette holds and the trial did not come to. What was asked anew at the same place is in
// the stead of what was asked there before.
func (t *Tape) beyond() (list []*entry) {
	if !t.spare {
		return nil
	}
	type where struct{ kind, at string }
	anew, offered, last := map[where]bool{}, map[string]tool{}, 0
	for _, e := range t.entries {
		for _, one := range e.tools {
			offered[one.Name] = one
		}
		last = max(last, e.place.lane)
		if !e.again {
			anew[where{e.kind, e.at}] = true
		}
	}
	for i, e := range t.older {
		if e.used || anew[where{e.kind, e.at}] || t.pen.finds(e.request) || t.pen.finds(e.tools) {
			continue
		}
		left := *e
		if left.place = (place{lane: last + 1 + i}); left.offers(offered) {
			list = append(list, &left)
		}
	}
	return list
}

// offers makes an exchange offer its tools as others do; false: they are other tools now, and a cassette defines each
// tool once.
func (e *entry) offers(offered map[string]tool) bool {
	tools := slices.Clone(e.tools)
	for i := range tools {
		now, known := offered[tools[i].Name]
		if !known {
			continue
		}
		was, errWas := compact(tools[i])
		is, errIs := compact(now)
		if errWas != nil || errIs != nil || !bytes.Equal(was, is) {
			return false
		}
		tools[i] = now
	}
	e.tools = tools
	return true
}

// finds reports whether a value holds what no cassette may hold.
func (r *redactor) finds(v any) bool {
	if r == nil || v == nil {
		return false
	}
	data, err := compact(v)
	if err != nil {
		return true
	}
	value, err := chat.DecodeJSON(data)
	return err != nil || r.within(value, false)
}

// within is finds for a value of JSON. free says that its keys are those of users.
func (r *redactor) within(v any, free bool) bool {
	switch v := v.(type) {
	case string:
		return string(r.text(v)) != v
	case []any:
		for _, one := range v {
			if r.within(one, free) {
				return true
			}
		}
	case map[string]any:
		for key, one := range v {
			if free && r.fields[strings.ToLower(key)] && one != any(redacted) || r.within(key, false) ||
				r.within(one, free || key == "args" || key == "body" || key == "extra") {
				return true
			}
		}
	}
	return false
}
