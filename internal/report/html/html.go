// Package html writes a run as one self-contained HTML file: an overview that compares the providers, their replies
// side by side, a list of trials to filter and search, and each trial as a chat with its verdicts. The file makes no
// request and runs nothing but its own script. A comparison of two runs is a page without a script.
package html

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Options of Write. The zero value works.
type Options struct {
	// Rerun returns the shell command that runs a trial again; nil: none is offered. A command with control or invisible
	// characters is not offered: pasted into a terminal it could run by itself, or differ from what is seen.
	Rerun func(...*result.Brief) string
	// Source returns a file with checks, to show the lines of failed ones; nil: no lines are shown. Files have the
	// names in the run, which may be untrusted: Source decides which files may be read.
	Source func(file string) ([]byte, error)
	// Media reads a medium from the results folder, by its hash and type; nil: there is no folder.
	Media func(m *chat.Media) ([]byte, error)
	// MediaFile is the address of its file from the page, relative and with slashes; "" or nil: it has none.
	MediaFile func(m *chat.Media) string
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
	lines := newSources(opts.Source)
	media := newPageMedia(opts)
	index, err := writeTrials(out, run, opts, lines, media)
	if err != nil {
		return err
	}
	if err := media.write(out); err != nil {
		return fmt.Errorf("write the media: %w", err)
	}
	if err := lines.write(out); err != nil {
		return fmt.Errorf("write the lines of the checks: %w", err)
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
func writeTrials(
	out io.Writer, run *result.Run, opts Options, lines *sources, media *pageMedia,
) (*indexer, error) {
	index := newIndexer(run)
	index.sources = lines
	blocks := newPacker(out, "trials")
	for i, b := range run.Briefs.All() {
		raw, err := run.Trials.Raw(i)
		if err != nil {
			return nil, fmt.Errorf("read trial %s: %w", b.ID, err)
		}
		lines.checkRedacted(raw)
		if err := index.add(&b, raw); err != nil {
			return nil, fmt.Errorf("read trial %s: %w", b.ID, err)
		}
		if err := blocks.add(i, opts.command(&b), media.take(raw)); err != nil {
			return nil, fmt.Errorf("write trial %s: %w", b.ID, err)
		}
	}
	if err := blocks.close(); err != nil {
		return nil, fmt.Errorf("write the trials: %w", err)
	}
	index.index.Blocks = blocks.firsts
	index.done()
	return index, nil
}

func (o *Options) command(trials ...*result.Brief) string {
	if o.Rerun == nil {
		return ""
	}
	command := o.Rerun(trials...)
	if strings.ContainsAny(command, "\t\n") || show.Clean(command) != command {
		return ""
	}
	return command
}
