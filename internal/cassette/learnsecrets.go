package cassette

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/secret"
)

// currentEncoder removes the secrets known so far.
func (rec *Recorder) currentEncoder() encoder {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return rec.encoder
}

// learn adds the values of redacted fields in a reply to the secrets, because the model may repeat them anywhere.
func (rec *Recorder) learn(seen any) {
	l := rec.learner()
	switch r := seen.(type) {
	case *modelReply:
		l.addCalls(r.ToolCalls)
		l.addText(string(r.Content))
		for i := range r.ToolResults {
			l.addText(string(r.ToolResults[i].Content))
			l.addValue(r.ToolResults[i].Metadata)
		}
	case *toolReply:
		l.addText(string(r.Content))
		l.addText(string(r.Error))
		l.addValue(r.Metadata)
	case *judgeReply:
		l.addText(string(r.Content))
	case *outsideReply:
		l.addText(string(r.Text))
		l.addText(string(r.Stderr))
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.addLearned(l)
}

// learner returns a learner for the fields that are redacted in the trial.
func (rec *Recorder) learner() *learner {
	return &learner{redactor: newRedactor(nil, rec.redactFields).logged(&rec.folder.fields)}
}

// learnFailed adds the values of redacted fields in the error of a call, and in the partial reply of an agent that
// failed.
func (rec *Recorder) learnFailed(err error) {
	if len(rec.redactFields) == 0 {
		return
	}
	l := rec.learner()
	l.addText(err.Error())
	if failed, ok := errors.AsType[*providers.Error](err); ok && failed.Partial != nil {
		partial := failed.Partial
		l.addText(partial.Content)
		for i := range partial.Parts {
			l.addText(partial.Parts[i].Text)
		}
		l.addCalls(partial.ToolCalls)
		for i := range partial.ToolResults {
			l.addText(partial.ToolResults[i].Content)
			l.addText(partial.ToolResults[i].Error)
			l.addValue(partial.ToolResults[i].Metadata)
		}
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.addLearned(l)
}

// LearnFields adds the values of redacted fields in the input of a trial.
func (rec *Recorder) LearnFields(fields map[string]any) {
	if rec == nil || len(rec.redactFields) == 0 {
		return
	}
	l := rec.learner()
	l.addValue(fields)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.addLearned(l)
}

// Learn adds the values of redacted fields in the messages of a conversation that is over.
func (rec *Recorder) Learn(messages []chat.Message) {
	if rec == nil || len(rec.redactFields) == 0 {
		return
	}
	l := rec.learner()
	for i := range messages {
		m := &messages[i]
		l.addText(m.Text())
		l.addCalls(m.ToolCalls)
		if t := m.ToolResult; t != nil {
			l.addText(t.Content)
			l.addValue(t.Metadata)
		}
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.addLearned(l)
}

// addLearned adds secrets. Parts of tool names are left out: without these nothing could be replayed.
func (rec *Recorder) addLearned(l *learner) {
	values, added := rec.added(rec.learned, l.values)
	prefixes, addedBegun := rec.added(rec.learnedPrefixes, l.prefixes)
	if !added && !addedBegun {
		return
	}
	rec.learned, rec.learnedPrefixes = values, prefixes
	if rec.plays {
		rec.replayRedactor = newRedactor(rec.learned, rec.redactFields).withPrefixes(prefixes).logged(&rec.folder.fields)
	} else {
		r := newRedactor(slices.Concat(rec.secrets, rec.learned), rec.redactFields)
		rec.encoder.redactor = r.withPrefixes(prefixes).logged(&rec.folder.fields)
	}
	rec.outputs = nil
}

// added returns a list with further values, except short ones and parts of tool names. Longer values come first,
// because they may contain shorter ones.
func (rec *Recorder) added(list, values []string) (_ []string, grew bool) {
	for _, v := range values {
		if len(v) >= minSecret && !strings.Contains(v, redacted) && !slices.Contains(list, v) && !rec.namesTool(v) {
			list, grew = append(list, v), true
		}
	}
	slices.SortFunc(list, func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) })
	return list, grew
}

// rememberTools notes the names of tools.
func (rec *Recorder) rememberTools(tools []tool) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for i := range tools {
		rec.toolNames[tools[i].Name] = true
	}
}

func (rec *Recorder) namesTool(text string) bool {
	for name := range rec.toolNames {
		if strings.Contains(name, text) {
			return true
		}
	}
	return false
}

// redact removes all secrets from the exchanges of the trial. Secrets that were learned late are removed from earlier
// exchanges too, so that conversations still match.
func (rec *Recorder) redact() ([]*entry, error) {
	p := rec.currentEncoder()
	if p.redactor == nil {
		return rec.entries, nil
	}
	out := make([]*entry, len(rec.entries))
	for i, e := range rec.entries {
		var err error
		if out[i], err = rec.cleaned(p, e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cleaned is an exchange without secrets.
func (rec *Recorder) cleaned(p encoder, e *entry) (*entry, error) {
	if p.redactor == nil {
		return e, nil
	}
	clean := *e
	if e.encodeReply != nil {
		raw, err := e.encodeReply(encoder{folder: rec.folder, redactor: rec.startEncoder.redactor, media: p.redactor})
		if err != nil {
			return nil, err
		}
		if clean.reply, err = roundTrip(e.kind, raw); err != nil {
			return nil, err
		}
	}
	clean.request, clean.tools = withoutSecrets(p, e.request), withoutSecrets(p, e.tools)
	clean.at = withoutSecrets(p, e.at)
	if clean.failure = withoutSecrets(p, e.failure); clean.reply != nil {
		clean.reply = withoutSecrets(p, clean.reply)
	}
	return &clean, nil
}

// hasRedactedRequests reports whether something was redacted in the requests of the cassette.
func (rec *Recorder) hasRedactedRequests() bool {
	return slices.ContainsFunc(rec.entries, func(e *entry) bool { return isRedacted(e.request) })
}

// claimRedacted is claim for requests that were redacted: a redacted part matches any text.
func (rec *Recorder) claimRedacted(q *asked, at string, other func(reply any) string) (found *entry) {
	now := leaves(q.request, q.tools)
	rec.mu.Lock()
	defer rec.mu.Unlock()
	for _, e := range rec.entries {
		if e.played || e.kind != q.kind || found != nil && (found.at == at || e.at != at) {
			continue
		}
		if matchesRedacted(leaves(e.request, e.tools), now) && (other == nil || other(e.reply) == "") {
			found = e
		}
	}
	if found != nil {
		found.played = true
		rec.addLearned(&learner{values: redactedValues(leaves(found.request, found.tools), now)})
	}
	return found
}

// redactedValues returns the parts of a request that are redacted in the recorded one.
func redactedValues(recorded, current []leaf) (list []string) {
	for i := range recorded {
		list = append(list, secret.TakenOut(strings.Join(recorded[i].lines, "\n"), strings.Join(current[i].lines, "\n"))...)
	}
	return list
}

// matchesRedacted reports whether a request equals a redacted one except for the redacted parts.
func matchesRedacted(recorded, current []leaf) bool {
	if len(recorded) != len(current) {
		return false
	}
	redacts := false
	for i := range recorded {
		old, now := strings.Join(recorded[i].lines, "\n"), strings.Join(current[i].lines, "\n")
		if recorded[i].path != current[i].path || old != now && !matchesRedactedText(old, now) {
			return false
		}
		redacts = redacts || old != now
	}
	return redacts
}

// matchesRedactedText reports whether a text equals a redacted one except for the redacted parts.
func matchesRedactedText(left, text string) bool { return secret.TakenOut(left, text) != nil }
