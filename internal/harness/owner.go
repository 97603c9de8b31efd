package harness

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
)

// Owner is the run whose results are in a folder.
type Owner struct {
	File    string    // from which the other fields are read; "": there are no results
	Command string    // of arena, such as run or eval; "": not known
	Started time.Time // zero: not known
	Journal string    // of the run, if it is in another folder; "": in this one, or not known

	Spec *result.Spec // the options of the run; nil: not known
}

// OwnerOf reads which run the results in a folder belong to, from its journal or else its results.json.
func OwnerOf(dir string) Owner {
	for _, name := range []string{JournalName, ResultsName} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
			continue // problems of the folder are reported when it is written to
		}
		file, err := plainfile.Open(path)
		if err != nil {
			return Owner{File: path}
		}
		defer func() { _ = file.Close() }() // read only
		o := Owner{File: path}
		if name == JournalName {
			o.journal(bufio.NewReader(io.LimitReader(file, mostRead))) // its first line may be long
		} else {
			o.results(io.LimitReader(file, startSize))
			o.Journal = pointer(dir)
		}
		return o
	}
	return Owner{}
}

// journal reads the header of a journal. A damaged one is ignored.
func (o *Owner) journal(in *bufio.Reader) {
	line, _ := in.ReadBytes('\n')
	var h result.JournalHeader
	if json.Unmarshal(line, &h) != nil {
		return
	}
	o.Spec = h.Spec
	if o.Started = h.Started; len(h.Command) > 1 {
		o.Command = h.Command[1]
	}
}

var startedField = begins(`\n  "started": "([^"]+)"`)

// results reads the start of a results.json.
func (o *Owner) results(in io.Reader) {
	start, _ := io.ReadAll(in)
	if m := startedField().FindSubmatch(start); m != nil {
		o.Started, _ = time.Parse(time.RFC3339Nano, string(m[1])) // zero when it is no time
	}
}

// pointerName is a file in a folder of reports that holds the path of the run's journal in another folder, relative to
// the file.
const pointerName = ".arena-journal"

// PointTo writes which journal in another folder the reports belong to.
func (o *Outputs) PointTo(journal string) error {
	from, errFrom := filepath.Abs(o.Dir)
	to, errTo := filepath.Abs(journal)
	if err := errors.Join(errFrom, errTo); err != nil {
		return err
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		to = rel
	}
	return WriteAtomic(filepath.Join(o.Dir, pointerName), func(w io.Writer) error {
		_, err := io.WriteString(w, filepath.ToSlash(to)+"\n")
		return err
	})
}

// pointer reads what PointTo has written.
func pointer(dir string) string {
	path := filepath.Join(dir, pointerName)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := plainfile.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // read only
	text, _ := io.ReadAll(io.LimitReader(file, startSize))
	journal := filepath.FromSlash(strings.TrimSuffix(string(text), "\n"))
	if journal == "" || filepath.IsAbs(journal) {
		return journal
	}
	return filepath.Join(dir, journal)
}
