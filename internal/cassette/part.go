package cassette

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plainfile"
)

// A part file holds the answers of a trial that is not finished. It is beside the cassette until the cassette is
// written, so that a resumed run does not pay again. It is JSON lines: a head, and a line for each paid answer. A
// resumed trial appends another head and its lines.

// partVersion is the version of the format of parts.
const partVersion = 1

// partHead begins the lines of a trial.
type partHead struct {
	Version int    `json:"arena_cassette_part"`
	Trial   string `json:"trial"`
}

// partLine is an exchange, with the tools that are not known from the lines before it.
type partLine struct {
	exchange
	Tools []tool `json:"tools,omitempty"`
}

// openPart reads the answers of an interrupted trial, and prepares the part of this one. With fields to redact it does
// neither, because the secrets in an exchange may be known only at the end of the trial.
func (rec *Recorder) openPart() {
	d := rec.folder
	rec.partial = &partFile{trial: rec.name, places: d.partPlaces(rec.name)}
	if d.RecordAll && !d.Continue || len(rec.redactFields) > 0 {
		return
	}
	recorded := rec.older
	for i := range rec.partial.places {
		at := &rec.partial.places[i]
		found, whole, err := readPart(at.path, rec.name)
		if at.readable = whole; err != nil && !errors.Is(err, fs.ErrNotExist) {
			d.unread.add(at.path, err)
		}
		for _, e := range found {
			if e.sign() == nil && !rec.encoder.hasSecret(e.reply) && !holds(recorded, e) {
				rec.older = append(rec.older, e)
			}
		}
	}
}

// holds reports whether an exchange is in a list. If a process ends before it removes a part, its exchanges are in the
// cassette too.
func holds(list []*entry, e *entry) bool {
	for _, one := range list {
		if one.key != e.key || one.latency != e.latency {
			continue
		}
		a, errA := compact(one.reply)
		b, errB := compact(e.reply)
		if errA == nil && errB == nil && bytes.Equal(a, b) {
			return true
		}
	}
	return false
}

// readPart reads the exchanges in a part up to the first line that is cut or damaged, and the length of what it read.
// The error says why a file has no exchanges.
func readPart(path, trial string) (list []*entry, whole int64, err error) {
	data, err := plainfile.Read(path)
	if err != nil {
		return nil, 0, err
	}
	tools := map[string]tool{}
	var before []message
	for rest := data; ; {
		line, next, ended := bytes.Cut(rest, []byte("\n"))
		if !ended {
			return list, whole, nil
		}
		var head partHead
		if decode(line, &head) == nil && head.Version > 0 {
			if head.Version != partVersion || head.Trial != trial {
				return nil, 0, errNoPart
			}
			tools, before = map[string]tool{}, nil
		} else {
			e, err := readPartLine(line, tools, &before)
			switch {
			case whole == 0:
				return nil, 0, errNoPart
			case err != nil:
				return list, whole, nil //nolint:nilerr // the process was killed while it wrote the line
			}
			list = append(list, e)
		}
		rest = next
		whole = int64(len(data) - len(rest))
	}
}

var errNoPart = errors.New("it holds something else")

// unreadParts are parts that could not be read. It is safe for concurrent use.
type unreadParts struct {
	mu   sync.Mutex
	list map[string]error // by path
}

func (u *unreadParts) add(path string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.list == nil {
		u.list = map[string]error{}
	}
	u.list[path] = plainfile.WithoutPath(err)
}

// Unread returns a warning for each part of an interrupted trial that could not be read. Its answers are paid for
// again.
func (d *Folder) Unread() (list []diag.Diagnostic) {
	if d == nil {
		return nil
	}
	d.unread.mu.Lock()
	defer d.unread.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(d.unread.list)) {
		list = append(list, diag.Diagnostic{Severity: diag.Warning, Code: "part-unread", Msg: fmt.Sprintf(
			"what an interrupted trial was answered was not read from %s (%v): what was in there was asked again", path,
			d.unread.list[path])})
	}
	return list
}

// readPartLine reads an exchange. It takes tools and before from the earlier lines, and updates them for the next line.
func readPartLine(line []byte, tools map[string]tool, before *[]message) (*entry, error) {
	var x struct {
		readExchange
		Tools []tool `json:"tools"`
	}
	if err := decode(line, &x); err != nil {
		return nil, err
	}
	for _, t := range x.Tools {
		name := t.ref()
		t.As = ""
		tools[name] = t
	}
	return x.entry(tools, before)
}

// savePart writes an exchange to the part if its answer was paid for and can be reused. Errors are ignored: the
// cassette may still be written.
func (rec *Recorder) savePart(e *entry) {
	if len(rec.redactFields) > 0 || e.failure != nil || !e.paid() {
		return
	}
	if clean, err := rec.cleaned(rec.currentEncoder(), e); err == nil {
		rec.partial.add(clean)
	}
}

// paid reports whether an exchange is the complete answer of a model that is not simulated.
func (e *entry) paid() bool {
	switch r := e.reply.(type) {
	case *modelReply:
		return e.reusable(r.Source)
	case *judgeReply:
		return e.reusable(r.Source)
	}
	return false
}
