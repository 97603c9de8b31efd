package receiver

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/spans"
)

// Spans wait in a few bytes each: as values they would take several times of that.

// appendSpan writes a span behind others.
func appendSpan(to []byte, s *spans.Span) []byte {
	w := writer{to}
	for _, text := range []string{
		s.Trace, s.ID, s.Parent, s.Name, s.Failure, s.Model, s.Provider, s.Finish, s.Output,
	} {
		w.text(text)
	}
	w.number(int64(s.Kind))
	for _, flag := range []bool{s.Inferred, s.Partial, s.Miscosted} {
		w.flag(flag)
	}
	w.time(s.Start)
	w.time(s.End)
	w.number(int64(s.Dropped))
	if w.flag(s.Usage != nil); s.Usage != nil {
		u := s.Usage
		for _, n := range []int{u.InputTokens, u.OutputTokens, u.CachedTokens, u.CacheWriteTokens, u.ReasoningTokens} {
			w.number(int64(n))
		}
	}
	if w.flag(s.CostUSD != nil); s.CostUSD != nil {
		w.to = binary.LittleEndian.AppendUint64(w.to, math.Float64bits(*s.CostUSD))
	}
	w.number(int64(len(s.Tools)))
	for i := range s.Tools {
		t := &s.Tools[i]
		w.text(t.ID)
		w.text(t.Name)
		w.text(t.Args)
		if w.flag(t.HasResult); t.HasResult {
			w.text(t.Result)
		}
	}
	return w.to
}

type writer struct{ to []byte }

func (w *writer) number(n int64) { w.to = binary.AppendVarint(w.to, n) }

func (w *writer) text(s string) {
	w.to = binary.AppendUvarint(w.to, uint64(len(s)))
	w.to = append(w.to, s...)
}

func (w *writer) flag(set bool) {
	if set {
		w.number(1)
	} else {
		w.number(0)
	}
}

func (w *writer) time(t time.Time) {
	if t.IsZero() {
		w.number(0)
		return
	}
	w.number(t.UnixNano())
}

// readSpans reads what appendSpan wrote.
func readSpans(kept []byte) (list []spans.Span) {
	r := reader{kept}
	for len(r.from) > 0 {
		var s spans.Span
		for _, text := range []*string{
			&s.Trace, &s.ID, &s.Parent, &s.Name, &s.Failure, &s.Model, &s.Provider, &s.Finish, &s.Output,
		} {
			*text = r.text()
		}
		s.Kind = spans.Kind(r.number())
		for _, flag := range []*bool{&s.Inferred, &s.Partial, &s.Miscosted} {
			*flag = r.number() == 1
		}
		s.Start, s.End, s.Dropped = r.time(), r.time(), int(r.number())
		if r.number() == 1 {
			u := &chat.Usage{}
			for _, n := range []*int{
				&u.InputTokens, &u.OutputTokens, &u.CachedTokens, &u.CacheWriteTokens, &u.ReasoningTokens,
			} {
				*n = int(r.number())
			}
			s.Usage = u
		}
		if r.number() == 1 {
			usd := math.Float64frombits(binary.LittleEndian.Uint64(r.from))
			r.from = r.from[8:]
			s.CostUSD = &usd
		}
		for range r.number() {
			t := spans.Tool{ID: r.text(), Name: r.text(), Args: r.text()}
			if t.HasResult = r.number() == 1; t.HasResult {
				t.Result = r.text()
			}
			s.Tools = append(s.Tools, t)
		}
		list = append(list, s)
	}
	return list
}

type reader struct{ from []byte }

func (r *reader) number() int64 {
	n, size := binary.Varint(r.from)
	r.from = r.from[size:]
	return n
}

func (r *reader) text() string {
	n, size := binary.Uvarint(r.from)
	end := size + int(n)
	text := string(r.from[size:end])
	r.from = r.from[end:]
	return text
}

func (r *reader) time() time.Time {
	n := r.number()
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}
