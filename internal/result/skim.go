package result

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Skimmed is what a journal says of its last run without its trials.
type Skimmed struct {
	Header     JournalHeader // the last one; Journal is 0 if there is none
	Unfinished int           // trials of the plan that did not finish, as far as known
}

// SkimJournal reads the headers and footers of a journal, and skips the trials: it takes little longer than reading the
// file.
func SkimJournal(from io.Reader) (Skimmed, error) {
	var s Skimmed
	in := bufio.NewReaderSize(from, 1<<16)
	for {
		start, err := in.Peek(len(headerPrefix))
		switch {
		case bytes.HasPrefix(start, []byte(headerPrefix)):
			line, _ := in.ReadBytes('\n')
			var h JournalHeader
			if json.Unmarshal(line, &h) == nil { // an incomplete header starts no run
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
		if whole, err := skipLine(in); err != nil {
			return s, err
		} else if whole {
			s.Unfinished = max(0, s.Unfinished-1)
		}
	}
}

// skipLine reads a line. It returns false if the line break is missing.
func skipLine(in *bufio.Reader) (whole bool, err error) {
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

// Beginnings of the lines that are not trials.
const (
	headerPrefix = `{"journal":`
	footerPrefix = `{"end":`
)
