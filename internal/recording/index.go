package recording

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/arena-evals/arena/internal/sortby"
)

// span is the position of a piece in its file.
type span struct {
	at   int64
	size int64
	line int32 // of its start, from 1
	col  int32 // in characters, from 1
}

// places is a list of spans in a few bytes each. A log of a gigabyte has millions.
type places struct {
	packed []byte
	count  int
	last   span
	bytes  int64 // of all pieces
}

func (l *places) add(s span) {
	l.packed = binary.AppendVarint(l.packed, s.at-l.last.at)
	l.packed = binary.AppendUvarint(l.packed, uint64(s.size))
	l.packed = binary.AppendVarint(l.packed, int64(s.line-l.last.line))
	l.packed = binary.AppendUvarint(l.packed, uint64(s.col))
	l.count++
	l.last = s
	l.bytes += s.size
}

// all yields the spans in the order of add.
func (l *places) all(yield func(span) bool) {
	var s span
	for rest := l.packed; len(rest) > 0; {
		next := func(read func([]byte) (int64, int)) int64 {
			v, n := read(rest)
			rest = rest[max(n, 1):]
			return v
		}
		s.at += next(binary.Varint)
		s.size = next(unsigned)
		s.line += int32(next(binary.Varint))
		s.col = int32(next(unsigned))
		if !yield(s) {
			return
		}
	}
}

func unsigned(b []byte) (int64, int) {
	v, n := binary.Uvarint(b)
	return int64(v), n
}

// merge returns the pieces of several sessions in the order of the file.
func merge(entries []*entry) (out places) {
	var all []span
	for _, e := range entries {
		all = slices.AppendSeq(all, e.all)
	}
	sortby.Func(all, func(x, y span) int { return cmp.Compare(x.at, y.at) })
	for _, s := range all {
		out.add(s)
	}
	return out
}

// entry is a session of the index.
type entry struct {
	key string // shared by its pieces
	id  string // of the session, if its pieces have none
	places
}

// first is the start of a session.
func (e *entry) first() (s span) {
	for s = range e.all {
		break
	}
	return s
}

// index is the sessions of a file, in the order of their first pieces.
type index struct {
	entries []*entry
	byKey   map[string]*entry
}

// at returns the entry of a key. made is true when it is new.
func (x *index) at(key string) (e *entry, made bool) {
	if e = x.byKey[key]; e != nil {
		return e, false
	}
	if x.byKey == nil {
		x.byKey = map[string]*entry{}
	}
	e = &entry{key: key}
	x.byKey[key] = e
	x.entries = append(x.entries, e)
	return e, true
}

// keep drops the sessions for which wanted returns false.
func (x *index) keep(wanted func(*entry) bool) {
	x.entries = slices.DeleteFunc(x.entries, func(e *entry) bool { return !wanted(e) })
	x.byKey = nil
}
