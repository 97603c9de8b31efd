package cassette

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
)

// writer is the pen that writes files: it takes out what is known by now.
func (t *Tape) writer() pen {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pen
}

// learn remembers the values of the fields that are taken out of what came: from then on they are taken out wherever
// they stand, for the model has heard them and may repeat them.
func (t *Tape) learn(seen any) {
	p := newRedactor(nil, t.fields)
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
	t.mu.Lock()
	defer t.mu.Unlock()
	t.know(values)
}

// know takes values to those that are taken out wherever they stand. What names a tool is none of them: nothing could
// be replayed without it.
func (t *Tape) know(values []string) {
	known := len(t.learned)
	for _, v := range values {
		if len(v) >= minSecret && !strings.Contains(v, redacted) && !slices.Contains(t.learned, v) && !t.names(v) {
			t.learned = append(t.learned, v)
		}
	}
	if len(t.learned) == known {
		return
	}
	// The longer ones first, for they may hold shorter ones.
	slices.SortFunc(t.learned, func(x, y string) int { return cmp.Or(len(y)-len(x), strings.Compare(x, y)) })
	if t.plays {
		t.shown = newRedactor(t.learned, t.fields)
	} else {
		t.pen.redactor = newRedactor(slices.Concat(t.secrets, t.learned), t.fields)
	}
}

// offers remembers the names of tools.
func (t *Tape) offers(tools []tool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range tools {
		t.named[tools[i].Name] = true
	}
}

func (t *Tape) names(text string) bool {
	for name := range t.named {
		if strings.Contains(name, text) {
			return true
		}
	}
	return false
}

// redact is the exchanges of the trial as its file holds them: in all of them the same is taken out, be it known from
// the last one, so that each goes on where the one before it ended.
func (t *Tape) redact() ([]*entry, error) {
	p := t.writer()
	if p.redactor == nil {
		return t.entries, nil
	}
	out := make([]*entry, len(t.entries))
	for i, e := range t.entries {
		clean := *e
		if e.came != nil {
			raw, err := e.came(pen{deck: t.deck, redactor: t.base.redactor, media: p.redactor})
			if err != nil {
				return nil, err
			}
			if clean.reply, err = reread(e.kind, raw); err != nil {
				return nil, err
			}
		}
		clean.request, clean.tools, clean.at = spotless(p, e.request), spotless(p, e.tools), spotless(p, e.at)
		if clean.failure = spotless(p, e.failure); clean.reply != nil {
			clean.reply = spotless(p, clean.reply)
		}
		out[i] = &clean
	}
	return out, nil
}

// blinds reports whether something was taken out of the requests of the cassette.
func (t *Tape) blinds() bool {
	return slices.ContainsFunc(t.entries, func(e *entry) bool { return leaksOut(e.request) })
}

// valuesOf are the values of the fields in a text, when the whole of it is JSON.
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

// valuesIn are the values of the fields in a JSON value, lists and objects in pieces.
func (r *redactor) valuesIn(v any) (list []string) {
	if r == nil || len(r.fields) == 0 {
		return nil
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if r.fields[strings.ToLower(name)] {
				list = append(list, scalars(member)...)
			} else {
				list = append(list, r.valuesIn(member)...)
			}
		}
	case []any:
		for _, item := range v {
			list = append(list, r.valuesIn(item)...)
		}
	}
	return list
}

// scalars are the texts and numbers in a JSON value.
func scalars(v any) (list []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case json.Number:
		return []string{v.String()}
	case map[string]any:
		for _, member := range v {
			list = append(list, scalars(member)...)
		}
	case []any:
		for _, item := range v {
			list = append(list, scalars(item)...)
		}
	}
	return list
}

// takeBlind is take for requests from which something was taken out when they were recorded: there it matches whatever
// stands there now.
func (t *Tape) takeBlind(q *asked, at string, other func(reply any) string) (found *entry) {
	now := leaves(q.request, q.tools)
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range t.entries {
		if e.used || e.kind != q.kind || found != nil && (found.at == at || e.at != at) {
			continue
		}
		if resembles(leaves(e.request, e.tools), now) && (other == nil || other(e.reply) == "") {
			found = e
		}
	}
	if found != nil {
		found.used = true
		t.know(takenOut(leaves(found.request, found.tools), now))
	}
	return found
}

// takenOut is what stands in a request where something was taken out of the recorded one, which it resembles.
func takenOut(was, is []leaf) (list []string) {
	for i := range was {
		list = append(list, blanks(strings.Join(was[i].lines, "\n"), strings.Join(is[i].lines, "\n"))...)
	}
	return list
}

// resembles says whether a request is the recorded one but for what was taken out of that.
func resembles(was, is []leaf) bool {
	if len(was) != len(is) {
		return false
	}
	blind := false
	for i := range was {
		old, now := strings.Join(was[i].lines, "\n"), strings.Join(is[i].lines, "\n")
		if was[i].path != is[i].path || old != now && !fitsBlind(old, now) {
			return false
		}
		blind = blind || old != now
	}
	return blind
}

// fitsBlind says whether a text has all that is left of another one, in its order.
func fitsBlind(left, text string) bool { return blanks(left, text) != nil }

// blanks are the pieces of a text that stand where something was taken out of another one; nil: it is not that text.
func blanks(left, text string) (pieces []string) {
	parts := strings.Split(left, redacted)
	if len(parts) == 1 {
		return nil
	}
	first, last := parts[0], parts[len(parts)-1]
	rest, ok := strings.CutPrefix(text, first)
	if !ok {
		return nil
	}
	if rest, ok = strings.CutSuffix(rest, last); !ok {
		return nil
	}
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(rest, part)
		if at < 0 {
			return nil
		}
		pieces, rest = append(pieces, rest[:at]), rest[at+len(part):]
	}
	return append(pieces, rest)
}
