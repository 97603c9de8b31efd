package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// How much of the files a report holds.
const (
	maxExcerpts    = 300
	maxSourceLines = 12
	maxSourceLine  = 300 // bytes
)

// sources are the source lines that declare failed checks. They are stored uncompressed in the page, so that secrets in
// them can be found and masked.
type sources struct {
	read     func(file string) ([]byte, error) // nil: nothing is read
	files    map[string][]string
	excerpts map[string]excerpt // by position
}

type excerpt struct {
	From  int      `json:"from"` // number of the first line
	Lines []string `json:"lines"`
}

func newSources(read func(string) ([]byte, error)) *sources {
	return &sources{read: read, files: map[string][]string{}, excerpts: map[string]excerpt{}}
}

// credentials are keys of checks that may hold secrets. The lines of such checks are not shown.
var credentials = []string{"headers", "auth_token"}

// redacted are the marks that replace redacted text in results.
var redacted = [][]byte{[]byte("[redacted]"), []byte("[REDACTED]")}

// checkRedacted turns source lines off if something was redacted in a trial, because the files may hold it.
func (s *sources) checkRedacted(trial []byte) {
	if slices.ContainsFunc(redacted, func(mark []byte) bool { return bytes.Contains(trial, mark) }) {
		s.read, s.excerpts = nil, nil
	}
}

// add adds the source lines of a failed verdict. Lines that do not name its check are from another version of the file,
// and are left out.
func (s *sources) add(v *verdictDigest) {
	at := v.Position
	red := v.Status == result.Failed || v.Status == result.Errored
	if s.read == nil || !red || at.File == "" || at.Line < 1 || len(s.excerpts) == maxExcerpts {
		return
	}
	key := fmt.Sprintf("%s:%d:%d", at.File, at.Line, at.Col)
	if _, known := s.excerpts[key]; known {
		return
	}
	lines := declaration(s.lines(at.File), at)
	text := strings.Join(lines, "\n")
	if strings.Contains(text, v.Type) && !slices.ContainsFunc(credentials, func(key string) bool {
		return strings.Contains(text, key)
	}) {
		for i := range lines {
			line := diag.HideSecrets(strings.TrimSuffix(lines[i], "\r"))
			lines[i] = show.Clip(show.Clean(line), maxSourceLine)
		}
		s.excerpts[key] = excerpt{int(at.Line), lines}
	}
}

func (s *sources) lines(file string) []string {
	lines, known := s.files[file]
	if !known {
		if text, err := s.read(file); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		s.files[file] = lines
	}
	return lines
}

// declaration is the line at a position, with the following lines that are indented deeper and blank lines between
// them.
func declaration(lines []string, at diag.Pos) []string {
	if int(at.Line) > len(lines) {
		return nil
	}
	from := int(at.Line) - 1
	end := from + 1
	for i := end; i < min(len(lines), from+maxSourceLines); i++ {
		text := strings.TrimSpace(lines[i])
		indent := len(lines[i]) - len(strings.TrimLeft(lines[i], " "))
		if text == "" {
			continue
		}
		if indent < int(at.Col)-1 {
			break
		}
		end = i + 1
	}
	return append([]string{}, lines[from:end]...)
}

// write writes the lines as a data block, which no browser executes; nothing without lines.
func (s *sources) write(w io.Writer) error {
	if len(s.excerpts) == 0 {
		return nil
	}
	text, err := json.Marshal(s.excerpts) // escapes <, > and &
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "<script type=\"application/json\" id=\"sources\">%s</script>\n", text)
	return err
}
