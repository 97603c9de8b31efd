package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Skimmed is what a journal says of its last run before any of its trials is read.
type Skimmed struct {
	Header     JournalHeader // the last one; its Journal is 0 when there is no header
	Unfinished int           // trials of the plan that did not finish, as far as that shows
}

// SkimJournal reads how the runs of a journal began and ended, and passes over their trials: it takes little longer
// than to read the file.
func SkimJournal(from io.Reader) (Skimmed, error) {
	var s Skimmed
	in := bufio.NewReaderSize(from, 1<<16)
	for {
		start, err := in.Peek(len(headerPrefix))
		switch {
		case bytes.HasPrefix(start, []byte(headerPrefix)):
			line, _ := in.ReadBytes('\n')
			var h JournalHeader
			if json.Unmarshal(line, &h) == nil { // one that is cut begins nothing
				s.Header, s.Unfinished = h, max(0, h.Planned-len(h.Kept))
			}
			continue
		case bytes.HasPrefix(start, []byte(footerPrefix)):
			line, _ := in.ReadBytes('\n')
			var end struct {
				End JournalFooter `json:"end"`
			}
			if json.Unmarshal(line, &end) == nil && !(end.End.Interrupted && end.End.Unfinished == 0) {
				s.Unfinished = end.End.Unfinished
			}
			continue
		case len(start) == 0 && errors.Is(err, io.EOF):
			return s, nil
		case len(start) == 0:
			return s, err
		}
		if whole, err := passLine(in); err != nil {
			return s, err
		} else if whole {
			s.Unfinished = max(0, s.Unfinished-1)
		}
	}
}

// passLine reads a line. It reports false when its end is missing.
func passLine(in *bufio.Reader) (whole bool, err error) {
	for {
		switch _, err := in.ReadSlice('\n'); {
		case err == nil:
			return true, nil
		case errors.Is(err, io.EOF):
			return false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return false, err
		}
	}
}

// How the lines of a journal begin that are no trials.
const (
	headerPrefix = `{"journal":`
	footerPrefix = `{"end":`
)
