// Package jsonout writes results.json, the report for programs, and reads it.
package jsonout

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"

	"github.com/arena-evals/arena/internal/result"
)

//go:embed results.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of results.json.
func Schema() []byte { return bytes.Clone(schema) }

// Write writes the run: its totals first, then a line for each group and for each trial, in plan order. It reads trials
// one at a time.
func Write(w io.Writer, run *result.Run) error {
	out := bufio.NewWriterSize(w, 1<<16)
	head, err := header(run)
	if err != nil {
		return err
	}
	out.Write(head) // a bufio.Writer keeps its first error for Flush
	err = array(out, "groups", len(run.Groups), func(i int) ([]byte, error) { return encode(&run.Groups[i], "") })
	if err != nil {
		return err
	}
	if err := array(out, "runs", run.Briefs.Len(), func(i int) ([]byte, error) { return trial(run, i) }); err != nil {
		return err
	}
	out.WriteString("\n}\n")
	return out.Flush()
}

// trial is the JSON of a trial. It is marked when the verdict of its group does not count it.
func trial(run *result.Run, i int) ([]byte, error) {
	b, err := run.Trials.Raw(i)
	if err != nil {
		return nil, err
	}
	rest, said := bytes.CutPrefix(b, []byte(uncounted)) // set in a report that was read
	switch counts := !run.Briefs.At(i).Uncounted; {
	case counts && said:
		return append([]byte("{"), rest...), nil
	case !counts && !said && len(b) > 0:
		return append([]byte(uncounted), b[1:]...), nil
	}
	return b, nil
}

// uncounted is how such a trial begins.
const uncounted = `{"counted":false,`

// header is the run without its groups and trials, and without the closing brace.
func header(run *result.Run) ([]byte, error) {
	head := *run
	head.Groups = nil
	b, err := encode(&head, "  ")
	if err != nil {
		return nil, fmt.Errorf("encode run: %w", err)
	}
	return bytes.TrimSuffix(b, []byte("\n}")), nil
}

// array writes a member whose value is a list, an element a line.
func array(out *bufio.Writer, name string, n int, element func(i int) ([]byte, error)) error {
	fmt.Fprintf(out, ",\n  %q: [", name)
	for i := range n {
		b, err := element(i)
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", name, i, err)
		}
		separator := ",\n"
		if i == 0 {
			separator = "\n"
		}
		out.WriteString(separator)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	if n > 0 {
		out.WriteString("\n  ")
	}
	return out.WriteByte(']')
}

// encode is json.Marshal without the escapes of <, > and &, as trials are encoded.
func encode(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
