// Package html writes a run as one self-contained HTML file: an overview that compares the providers, their replies side
// by side, a list of trials to filter and search, and each trial as a chat with its verdicts. The file makes no request
// and runs nothing but its own script. A comparison of two runs is a page without a script.
package html

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Options of Write. The zero value works.
type Options struct {
	// Rerun returns the shell command that runs a trial again; nil: none is offered. A command with control or invisible
	// characters is not offered: pasted into a terminal it could run by itself, or differ from what is seen.
	Rerun func(...*result.Brief) string
}

// Write writes the report of a run. Trials are read one after the other and never held, so the memory it takes
// depends on the number of trials only through a small index. The same run gives the same bytes.
func Write(w io.Writer, run *result.Run, opts Options) error {
	out := bufio.NewWriterSize(w, 64<<10)
	page, err := newPage(run, opts)
	if err != nil {
		return err
	}
	if err := page.head(out); err != nil {
		return fmt.Errorf("write the head of the report: %w", err)
	}
	index, err := writeTrials(out, run, opts)
	if err != nil {
		return err
	}
	if err := writeIndex(out, index); err != nil {
		return fmt.Errorf("write the index of the report: %w", err)
	}
	if err := page.tail(out); err != nil {
		return fmt.Errorf("write the end of the report: %w", err)
	}
	return out.Flush()
}

// writeTrials packs every trial into blocks and returns the index over them.
func writeTrials(out io.Writer, run *result.Run, opts Options) (*index, error) {
	index := newIndexer(run)
	blocks := newPacker(out, "trials")
	for i := range run.Briefs {
		b := &run.Briefs[i]
		raw, err := run.Trials.Raw(i)
		if err != nil {
			return nil, fmt.Errorf("read trial %s: %w", b.ID, err)
		}
		if err := index.add(b, raw); err != nil {
			return nil, fmt.Errorf("read trial %s: %w", b.ID, err)
		}
		if err := blocks.add(i, opts.command(b), raw); err != nil {
			return nil, fmt.Errorf("write trial %s: %w", b.ID, err)
		}
	}
	if err := blocks.close(); err != nil {
		return nil, fmt.Errorf("write the trials: %w", err)
	}
	index.index.Blocks = blocks.firsts
	return index.done(), nil
}

func (o *Options) command(b *result.Brief) string {
	if o.Rerun == nil {
		return ""
	}
	command := o.Rerun(b)
	if strings.ContainsAny(command, "\t\n") || show.Clean(command) != command {
		return ""
	}
	return command
}
