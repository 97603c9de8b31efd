package recording

import (
	"encoding/json"
	"errors"
	"io"
	"strconv"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

func isResults(h *head) bool {
	return h.kind == '{' && h.has("schemaversion") && (h.has("planned") || h.has("runs"))
}

// scanResults finds the trials in results.json. The file may be larger than memory; each trial must fit.
func scanResults(s *scan) {
	r := &resultsScan{scan: s, src: newTracked(s.in, s.size, s.limits.SessionBytes)}
	r.dec = json.NewDecoder(r.src)
	if err := r.document(); err != nil {
		r.reportError(err)
		return
	}
	switch {
	case !r.hasRuns:
		s.errorf(diag.Pos{File: s.file, Line: 1, Col: 1}, "missing-field", "results.json has no runs")
	case r.expected >= 0 && r.expected != r.runs:
		s.errorf(diag.Pos{File: s.file, Line: 1, Col: 1}, "lost-trials",
			"the summary counts %d trials, found %d: the file was edited or merged", r.expected, r.runs)
	}
	if r.err == nil && s.problems.Errors() == 0 {
		s.countMissing(r.planned-r.spared, r.runs-r.replaced, "results")
	}
	s.noteEmptyTrials(r.empty)
}

// countMissing counts planned trials that are not in the file.
func (s *scan) countMissing(planned float64, trials int, where string) {
	if lost := int(planned) - trials; lost > 0 {
		s.notef("the run did not end by itself: %d of %s trials are in its %s",
			trials, strconv.FormatFloat(planned, 'f', -1, 64), where)
		s.missing += lost
	}
}

type resultsScan struct {
	*scan
	src      *trackedReader
	dec      *json.Decoder
	runs     int
	empty    int
	expected int // trials, as the summary says; -1: not known
	planned  float64
	spared   float64 // planned trials that were not needed for a verdict
	replaced int     // trials that were replaced by others, which were not planned
	hasRuns  bool
}

func (r *resultsScan) document() error {
	r.expected = -1
	if _, err := r.dec.Token(); err != nil { // the opening brace
		return err
	}
	for r.dec.More() {
		key, err := r.dec.Token()
		if err != nil {
			return err
		}
		if err := r.member(key); err != nil {
			return err
		}
		r.src.release(r.dec.InputOffset())
	}
	if _, err := r.dec.Token(); err != nil {
		return err
	}
	if _, err := r.dec.Token(); !errors.Is(err, io.EOF) {
		return errTrailing
	}
	return nil
}

var errTrailing = errors.New("there is more text after the end of the document")

func (r *resultsScan) member(key json.Token) error {
	if key == "runs" {
		return r.list()
	}
	var text json.RawMessage
	if err := r.dec.Decode(&text); err != nil {
		return err
	}
	v := value{text: text}
	switch key {
	case "schema_version":
		if !r.version(v, result.SchemaVersion, diag.Pos{File: r.file, Line: 1, Col: 1}) {
			return errReported
		}
	case "declared":
		return r.declare(v)
	case "planned":
		r.planned, _ = v.number()
	case "summary":
		if n, ok := v.get("trials").number(); ok {
			r.expected = int(n)
		}
		r.spared, _ = v.get("notneeded").number()
		if n, ok := v.get("replaced").number(); ok {
			r.replaced = int(n)
		}
	}
	return nil
}

// declare keeps the names declared by the projects of the run.
func (s *scan) declare(v value) error {
	s.declared = nil
	if v.missing() {
		return nil
	}
	if err := json.Unmarshal(v.text, &s.declared); err != nil {
		return jsonvalue.Explain(err)
	}
	return nil
}

// errReported ends a scan whose problem is in the list already.
var errReported = errors.New("reported")

func (r *resultsScan) list() error {
	if r.hasRuns {
		return errors.New(`it has "runs" twice`)
	}
	r.hasRuns = true
	if start, err := r.dec.Token(); err != nil || start != json.Delim('[') {
		return errors.Join(err, errors.New(`"runs" is not a list`))
	}
	for r.dec.More() {
		var text json.RawMessage
		if err := r.dec.Decode(&text); err != nil {
			return err
		}
		end := r.dec.InputOffset()
		r.src.release(end)
		r.runs++
		if hasNoMessages(value{text: text}) {
			r.missing += countNotStarted(value{text: text})
			r.empty++
			continue
		}
		at := end - int64(len(text))
		p := span{at: at + r.src.start, size: int64(len(text)), line: r.src.lineOf(at), col: 1}
		if r.checkDuplicates(value{text: text}, p) {
			r.add(strconv.Itoa(r.runs), p)
		}
	}
	_, err := r.dec.Token() // the closing bracket
	return err
}

// reportError reports the error that ended the scan.
func (r *resultsScan) reportError(err error) {
	pos := diag.Pos{File: r.file, Line: r.src.lineOf(r.dec.InputOffset())}
	syntax := new(json.SyntaxError)
	switch {
	case errors.Is(err, errReported):
	case errors.Is(err, errLongLine):
		r.errorf(pos, "session-too-large", "a value has more than %s, the limit", size(r.limits.SessionBytes))
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		r.errorf(pos, "json-syntax", "not valid JSON: the text ends in the middle")
	case errors.As(err, &syntax):
		r.errorf(pos, "json-syntax", "not valid JSON: %v", err)
	case r.src.err != nil:
		r.err = r.src.err
	default:
		r.errorf(pos, "wrong-type", "this is no results.json: %v", err)
	}
}

// trackedReader reads a file for a decoder. It tracks lines, and limits the size of one value.
type trackedReader struct {
	in     io.Reader
	start  int64   // offset of the text, after a byte order mark
	read   int64   // bytes returned
	limit  int64   // most bytes that the decoder may hold
	used   int64   // offset up to which they are processed
	line   int32   // at the last offset of lineOf
	breaks []int64 // offsets of later line feeds
	err    error
}

func newTracked(in io.ReaderAt, size, limit int64) *trackedReader {
	t := &trackedReader{limit: limit, line: 1}
	mark := make([]byte, len(bom))
	if n, _ := in.ReadAt(mark, 0); n == len(bom) && string(mark) == bom {
		t.start = int64(n)
	}
	t.in = io.NewSectionReader(in, t.start, size-t.start)
	return t
}

func (t *trackedReader) Read(p []byte) (int, error) {
	if t.read-t.used > t.limit {
		return 0, errLongLine
	}
	n, err := t.in.Read(p)
	for i, c := range p[:n] {
		if c == '\n' {
			t.breaks = append(t.breaks, t.read+int64(i))
		}
	}
	t.read += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		t.err = err
	}
	return n, err
}

// release marks everything before an offset as processed.
func (t *trackedReader) release(offset int64) { t.used = offset }

// lineOf is the line of an offset. Offsets must grow from call to call.
func (t *trackedReader) lineOf(offset int64) int32 {
	n := 0
	for n < len(t.breaks) && t.breaks[n] < offset {
		n++
	}
	t.line += int32(n)
	t.breaks = append(t.breaks[:0], t.breaks[n:]...)
	return t.line
}
