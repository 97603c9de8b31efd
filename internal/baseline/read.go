package baseline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// again says how every damage is mended.
const again = "arena bless writes the file again, from a run that you find good enough"

// Read reads a file that Encode wrote, and refuses an edited one, with the position of the change.
func Read(name string, data []byte) (*File, *diag.Diagnostic) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))             // as editors may begin it
	data = bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")) // as git may check it out
	at := func(line, col int, format string, args ...any) *diag.Diagnostic {
		return &diag.Diagnostic{
			Pos: diag.Pos{File: name, Line: int32(line), Col: int32(col)}, Code: "baseline", Msg: fmt.Sprintf(format, args...),
			Hint: again,
		}
	}
	lines := strings.Split(string(data), "\n")
	for i, text := range lines {
		if isConflict(text) {
			return nil, at(i+1, 1, "a merge has left a conflict here")
		}
	}
	if d := readable(data, at); d != nil {
		return nil, d
	}
	f := &File{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(f); err != nil {
		line, col := place(data, errorOffset(err, dec.InputOffset()))
		return nil, at(line, col, "the file was edited: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return f, f.check(lines, at)
}

// isConflict reports whether a line is one with which git marks a conflict.
func isConflict(text string) bool {
	return strings.HasPrefix(text, "<<<<<<< ") || strings.HasPrefix(text, ">>>>>>> ") || text == "======="
}

// readable refuses what is no baseline of this version.
func readable(data []byte, at func(line, col int, format string, args ...any) *diag.Diagnostic) *diag.Diagnostic {
	var head struct {
		Baseline *int `json:"baseline"`
	}
	err := json.Unmarshal(data, &head)
	line, col := 1, 1
	if err != nil {
		line, col = place(data, errorOffset(err, int64(len(data))))
	}
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return at(line, col, "the file is damaged: %v", err)
	case err != nil || head.Baseline == nil:
		return at(line, col, "the file is no baseline of arena")
	case *head.Baseline != Version:
		d := at(line, col, "the baseline has version %d, and this arena reads version %d", *head.Baseline, Version)
		d.Hint = "use the arena that wrote it, or take the file away and bless a run"
		return d
	}
	return nil
}

// check refuses what Encode does not write.
func (f *File) check(
	lines []string, at func(line, col int, format string, args ...any) *diag.Diagnostic,
) *diag.Diagnostic {
	where := func(i int) int { // the line of a group, even if an editor moved it
		named := fmt.Sprintf("%q", f.Groups[i].Name)
		seen := 0
		for k := range f.Groups[:i] {
			if f.Groups[k].Name == f.Groups[i].Name {
				seen++
			}
		}
		for n, text := range lines {
			if !strings.Contains(text, named) {
				continue
			}
			if seen == 0 {
				return n + 1
			}
			seen--
		}
		return 1
	}
	for i := range f.Groups {
		g := &f.Groups[i]
		switch {
		case g.Name == "" || g.Asked == "" || g.Sum != g.sum():
			return at(where(i), 1, "the line of %q was edited", g.Name)
		case i > 0 && f.Groups[i-1].Name == g.Name:
			return at(where(i), 1, "%q stands here twice, as after a merge", g.Name)
		case i > 0 && f.Groups[i-1].Name > g.Name:
			return at(where(i), 1, "%q comes after %q: the lines are not in their order", g.Name, f.Groups[i-1].Name)
		}
	}
	if f.Count != len(f.Groups) {
		return at(4, 1, "%d groups are said to be here, and there are %d: lines were taken out or added", f.Count,
			len(f.Groups))
	}
	return nil
}

// errorOffset is the offset of an error of the decoder.
func errorOffset(err error, otherwise int64) int64 {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return syntax.Offset
	case errors.As(err, &kind):
		return kind.Offset
	}
	return otherwise
}

// place is the line and the column of an offset.
func place(data []byte, offset int64) (line, col int) {
	before := data[:min(max(offset-1, 0), int64(len(data)))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, len([]rune(string(before[bytes.LastIndexByte(before, '\n')+1:]))) + 1
}
