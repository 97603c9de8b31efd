package cassette

import (
	"bytes"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/plainfile"
)

// SetSource identifies the model that answers in this trial. Replies of other sources in an older cassette are not
// reused; "" reuses none.
func (rec *Recorder) SetSource(source string) {
	if rec != nil {
		rec.source = source
	}
}

// KeepOlder keeps the exchanges of an older cassette that the trial did not reach. It is for trials that did not pass,
// and so may have ended early.
func (rec *Recorder) KeepOlder() {
	if rec != nil {
		rec.keepOlder = true
	}
}

// loadOlder reads the older cassette of the trial.
func (rec *Recorder) loadOlder() {
	id := rec.folder.nameOf(rec.trial)
	data, err := plainfile.Read(rec.folder.file(id))
	if err != nil {
		return
	}
	c, err := rec.folder.open(data, id)
	if err != nil || c.simulated != rec.simulated {
		return
	}
	for _, e := range c.entries {
		if e.failure == nil && e.reply != nil && e.sign() == nil && !rec.encoder.hasSecret(e.reply) {
			rec.older = append(rec.older, e)
		}
	}
}

// reusable reports whether an exchange can answer an equal request again: it is the complete reply of a model or a
// simulated tool, and nothing in it was redacted. All other tools, programs, endpoints and agents are always called:
// they may have changed although the request did not.
func (e *entry) reusable(source string) bool {
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
		q, ok := e.request.(*toolRequest)
		if !ok || q.Answer == "" {
			return false
		}
	default:
		return false
	}
	return !isRedacted(e.request) && !isRedacted(e.reply)
}

// isRedacted reports whether something was redacted in a request or a reply.
func isRedacted(v any) bool {
	data, err := compact(v)
	return err != nil || bytes.Contains(data, []byte(redacted))
}

// reuse returns the next exchange of the older cassette with an equal request; nil: none is left.
func (rec *Recorder) reuse(a *asked, l *Lane, at position, q *question) *entry {
	rec.mu.Lock()
	var found *entry
	for _, e := range rec.older {
		if e.played || e.key != a.key || q.otherModel != nil && q.otherModel(e.reply) != "" || !e.reusable(q.source) {
			continue
		}
		if found == nil || found.at != l.at && e.at == l.at {
			found = e
		}
	}
	if found == nil {
		rec.mu.Unlock()
		return nil
	}
	found.played = true
	e := *found
	e.asked, e.at, e.position, e.reused = *a, l.at, at, true
	rec.entries = append(rec.entries, &e)
	rec.mu.Unlock()
	l.addTime(e.latency)
	return &e
}

// Reused is the number of model replies of the conversation that came from a cassette.
func (rec *Recorder) Reused() (n int) {
	if rec == nil {
		return 0
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, e := range rec.entries {
		if e.reused && e.kind == kindModel {
			n++
		}
	}
	return n
}

// unusedOlder returns the exchanges of the older cassette that the trial did not reach. A new exchange at a place
// replaces the older ones there.
func (rec *Recorder) unusedOlder() (list []*entry) {
	if !rec.keepOlder {
		return nil
	}
	type where struct{ kind, at string }
	recorded, last := map[where]bool{}, 0
	for _, e := range rec.entries {
		last = max(last, e.position.lane)
		if !e.reused {
			recorded[where{e.kind, e.at}] = true
		}
	}
	for i, e := range rec.older {
		if e.played || recorded[where{e.kind, e.at}] || rec.encoder.hasSecret(e.request) || rec.encoder.hasSecret(e.tools) {
			continue
		}
		left := *e
		left.position = position{lane: last + 1 + i}
		list = append(list, &left)
	}
	return list
}

// hasSecret reports whether a value holds what must not be in a cassette.
func (r *redactor) hasSecret(v any) bool {
	if r == nil || v == nil {
		return false
	}
	data, err := compact(v)
	if err != nil {
		return true
	}
	value, err := chat.DecodeJSON(data)
	return err != nil || r.hasSecretIn(value, false)
}

// hasSecretIn is hasSecret for a JSON value. With free its keys are the user's.
func (r *redactor) hasSecretIn(v any, free bool) bool {
	switch v := v.(type) {
	case string:
		return string(r.text(v)) != v
	case []any:
		for _, one := range v {
			if r.hasSecretIn(one, free) {
				return true
			}
		}
	case jsonvalue.Object:
		for key, one := range v {
			if free && r.fields[strings.ToLower(key)] && one != any(redacted) || r.hasSecretIn(key, false) ||
				r.hasSecretIn(one, free || key == "args" || key == "body" || key == "extra") {
				return true
			}
		}
	}
	return false
}
