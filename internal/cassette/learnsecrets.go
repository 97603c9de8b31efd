package cassette

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/jsonvalue"
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
	p := newRedactor(nil, rec.redactFields).logged(&rec.folder.fields)
	var values []string
	switch r := seen.(type) {
	case *modelReply:
		for _, c := range r.ToolCalls {
			values = append(values, p.valuesIn(c.Args)...)
			values = append(values, p.valuesOf(c.BadArgs)...)
		}
		values = append(values, p.valuesOf(string(r.Content))...)
		for i := range r.ToolResults {
			values = append(values, p.valuesOf(string(r.ToolResults[i].Content))...)
			values = append(values, p.valuesIn(r.ToolResults[i].Metadata)...)
		}
	case *toolReply:
		values = append(p.valuesOf(string(r.Content)), p.valuesOf(string(r.Error))...)
		values = append(values, p.valuesIn(r.Metadata)...)
	case *judgeReply:
		values = p.valuesOf(string(r.Content))
	case *outsideReply:
		values = append(p.valuesOf(string(r.Text)), p.valuesOf(string(r.Stderr))...)
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.addLearned(values)
}

// Learn adds the values of redacted fields in the messages of a conversation that is over.
func (rec *Recorder) Learn(messages []chat.Message) {
	if rec == nil || len(rec.redactFields) == 0 {
		return
	}
	p := newRedactor(nil, rec.redactFields).logged(&rec.folder.fields)
	var values []string
	for i := range messages {
		m := &messages[i]
		values = append(values, p.valuesOf(m.Text())...)
		for k := range m.ToolCalls {
			values = append(values, p.valuesIn(m.ToolCalls[k].Args)...)
			values = append(values, p.valuesOf(m.ToolCalls[k].BadArgs)...)
		}
		if t := m.ToolResult; t != nil {
			values = append(append(values, p.valuesOf(t.Content)...), p.valuesIn(t.Metadata)...)
		}
	}
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.addLearned(values)
}

// addLearned adds secrets. Parts of tool names are left out: without these nothing could be replayed.
func (rec *Recorder) addLearned(values []string) {
	known := len(rec.learned)
	for _, v := range values {
		if len(v) >= minSecret && !strings.Contains(v, redacted) && !slices.Contains(rec.learned, v) && !rec.namesTool(v) {
			rec.learned = append(rec.learned, v)
		}
	}
	if len(rec.learned) == known {
		return
	}
	// Longer secrets come first, because they may contain shorter ones.
	slices.SortFunc(rec.learned, func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) })
	if rec.plays {
		rec.replayRedactor = newRedactor(rec.learned, rec.redactFields).logged(&rec.folder.fields)
	} else {
		r := newRedactor(slices.Concat(rec.secrets, rec.learned), rec.redactFields)
		rec.encoder.redactor = r.logged(&rec.folder.fields)
	}
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

// valuesOf returns the values of the fields in a text, if it is JSON.
func (r *redactor) valuesOf(text string) []string {
	if r == nil || len(r.fields) == 0 || strings.TrimLeft(text, " \t\r\n") == "" {
		return nil
	}
	v, err := chat.DecodeJSON([]byte(text))
	if err != nil {
		return nil
	}
	return r.valuesIn(v)
}

// valuesIn returns the values of the fields in a JSON value. Lists and objects are split into scalars.
func (r *redactor) valuesIn(v any) (list []string) {
	if r == nil || len(r.fields) == 0 {
		return nil
	}
	switch v := v.(type) {
	case jsonvalue.Object:
		for name, member := range v {
			if r.named(name) {
				list = append(list, scalars(member)...)
			} else {
				list = append(list, r.valuesIn(member)...)
			}
		}
	case []any:
		for _, item := range v {
			list = append(list, r.valuesIn(item)...)
		}
	case string: // which may hold a document of its own
		if text := strings.TrimLeft(v, " \t\r\n"); text != "" && (text[0] == '{' || text[0] == '[') {
			return r.valuesOf(text)
		}
	}
	return list
}

// scalars returns the texts and numbers in a JSON value.
func scalars(v any) (list []string) {
	for leaf := range jsonvalue.Leaves(v) {
		switch leaf := leaf.(type) {
		case string:
			list = append(list, leaf)
		case json.Number:
			list = append(list, leaf.String())
		}
	}
	return list
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
		rec.addLearned(redactedValues(leaves(found.request, found.tools), now))
	}
	return found
}

// redactedValues returns the parts of a request that are redacted in the recorded one.
func redactedValues(was, is []leaf) (list []string) {
	for i := range was {
		list = append(list, secret.TakenOut(strings.Join(was[i].lines, "\n"), strings.Join(is[i].lines, "\n"))...)
	}
	return list
}

// matchesRedacted reports whether a request equals a redacted one except for the redacted parts.
func matchesRedacted(was, is []leaf) bool {
	if len(was) != len(is) {
		return false
	}
	blind := false
	for i := range was {
		old, now := strings.Join(was[i].lines, "\n"), strings.Join(is[i].lines, "\n")
		if was[i].path != is[i].path || old != now && !matchesRedactedText(old, now) {
			return false
		}
		blind = blind || old != now
	}
	return blind
}

// matchesRedactedText reports whether a text equals a redacted one except for the redacted parts.
func matchesRedactedText(left, text string) bool { return secret.TakenOut(left, text) != nil }
