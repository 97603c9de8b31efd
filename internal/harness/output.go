package harness

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/report/html"
	"github.com/arena-evals/arena/internal/report/jsonout"
	"github.com/arena-evals/arena/internal/report/junit"
	"github.com/arena-evals/arena/internal/report/markdown"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/secret"
)

// The files of a results folder.
const (
	JournalName  = "journal.jsonl"
	ResultsName  = "results.json"
	htmlName     = "report.html"
	junitName    = "junit.xml"
	markdownName = "results.md"
	DefaultOut   = "out"
)

// Report is one report to write.
type Report struct {
	Format, Path string
	Write        func(io.Writer, *result.Run) error
	Secrets      *secret.Guard // that no report holds; nil: none are known
	start        func() *regexp.Regexp
}

// Outputs is where a run leaves its results.
type Outputs struct {
	Dir     string
	Resumes string                        // name of the journal there to go on with; "": that of the last run
	Keep    int                           // journals of earlier runs that stay; 0: DefaultKeep
	Rerun   func(...*result.Brief) string // the command that runs a trial again; may be nil
	Secrets *secret.Guard                 // that no report holds; nil: none are known
	Media   string                        // folder of the results beside which the media of the run lie; "": Dir
	reports []Report
	input   string // the file that is read; "" is none
	written []string
}

// Choice is what flags or files say about the output; empty fields are open.
type Choice struct {
	Dir                   string
	Formats               []string // nil: all
	JUnit, HTML, Markdown string   // files
	Granularity           string   // of JUnit
	Rerun                 func(...*result.Brief) string
	Place                 func(file string) string // how JUnit names a scenario's file; nil: as the run does
}

// NewOutputs settles folder and files. results.json is always written; a report whose file is named is written
// whatever the list of formats says.
func NewOutputs(c Choice) *Outputs {
	o := &Outputs{Dir: c.Dir, Rerun: c.Rerun}
	if o.Dir == "" {
		o.Dir = DefaultOut
	}
	wants := func(format, file string) bool {
		if file != "" || c.Formats == nil {
			return true
		}
		return slices.Contains(c.Formats, format)
	}
	add := func(format, file, name string, start func() *regexp.Regexp, write func(io.Writer, *result.Run) error) {
		if !wants(format, file) {
			return
		}
		if file == "" {
			file = filepath.Join(o.Dir, name)
		}
		o.reports = append(o.reports, Report{Format: format, Path: file, Write: write, start: start})
	}
	add("html", c.HTML, htmlName, htmlStart, func(w io.Writer, r *result.Run) error {
		return html.Write(w, r, html.Options{
			Rerun: c.Rerun, Source: localYAML, Media: o.medium, MediaFile: mediaFrom(cmp.Or(c.HTML, o.Dir+"/"), o.Dir),
		})
	})
	add("junit", c.JUnit, junitName, junitStart, func(w io.Writer, r *result.Run) error {
		return junit.Write(w, r, junit.Options{
			Granularity: junit.Granularity(c.Granularity), Rerun: c.Rerun, Place: c.Place,
		})
	})
	add("markdown", c.Markdown, markdownName, markdownStart, func(w io.Writer, r *result.Run) error {
		return markdown.Write(w, r, markdown.Options{Rerun: c.Rerun})
	})
	o.reports = append(o.reports, Report{
		Format: "json", Path: filepath.Join(o.Dir, ResultsName), Write: jsonout.Write, start: resultsStart,
	})
	return o
}

// localYAML reads a file that declares checks. A run that was read may name any file, so that others than YAML, and
// those outside of the working directory, are not read.
func localYAML(file string) ([]byte, error) {
	if ext := filepath.Ext(file); ext != ".yaml" && ext != ".yml" {
		return nil, os.ErrInvalid
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	if info, err := root.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	return root.ReadFile(file)
}

// Prepare makes sure that every file can be written before anything is paid for, and that nothing is lost by it: see
// CheckTargets. The others are written beside the reports.
func (o *Outputs) Prepare(others ...Target) error {
	journal := Target{What: "the journal", Path: filepath.Join(o.Dir, JournalName)}
	errs := []error{journal.folder(), CheckTargets(append(o.targets(), others...), o.reserved())}
	tried := map[string]bool{}
	for _, path := range o.Files() {
		if dir := filepath.Dir(path); !tried[dir] && !Device(path) {
			tried[dir] = true
			errs = append(errs, WritableDir(dir))
		}
	}
	return errors.Join(errs...)
}

// targets are the reports.
func (o *Outputs) targets() []Target {
	all := make([]Target, len(o.reports))
	for i := range o.reports {
		all[i] = o.reports[i].target()
	}
	return all
}

// target is the file of a report.
func (r *Report) target() Target {
	return Target{What: r.name(), Path: r.Path, Ours: r.isOurs}
}

func (r *Report) name() string {
	switch r.Format {
	case "junit":
		return "JUnit"
	case "html":
		return "the HTML report"
	case "markdown":
		return "Markdown"
	}
	return ResultsName
}

// reserved are the files of the folder that no report may be.
func (o *Outputs) reserved() map[string]string {
	all := map[string]string{
		filepath.Join(o.Dir, JournalName): "the journal", filepath.Join(o.Dir, lockName): "the lock of the folder",
	}
	for n := range max(o.Keep, DefaultKeep) {
		all[filepath.Join(o.Dir, previousName(n+1))] = "the journal of an earlier run"
	}
	if o.input != "" {
		all[o.input] = "the run that is read"
	}
	return all
}

// Files are those that a run writes.
func (o *Outputs) Files() []string {
	return append([]string{filepath.Join(o.Dir, JournalName)}, o.Paths()...)
}

// Touches lists every file that a run writes, moves or removes: what stood there before is not there after it.
func (o *Outputs) Touches() []string {
	touched := append(o.leftovers(), filepath.Join(o.Dir, JournalName), filepath.Join(o.Dir, lockName))
	for n := range max(o.Keep, DefaultKeep) {
		touched = append(touched, filepath.Join(o.Dir, previousName(n+1)))
	}
	return touched
}

// leftovers are the reports that a run before may have left: those that this one will write, and in the folder of a
// run also those of other formats, if they are any.
func (o *Outputs) leftovers() []string {
	old := append(o.Paths(), filepath.Join(o.Dir, pointerName))
	if HoldsJournal(o.Dir) {
		every := NewOutputs(Choice{Dir: o.Dir})
		for _, t := range every.targets() {
			if t.check() == nil {
				old = append(old, t.Path)
			}
		}
	}
	return old
}

// WriteAll writes every report; one that fails does not keep the others from being written.
func (o *Outputs) WriteAll(run *result.Run) error {
	var errs []error
	if o.Media != "" {
		errs = append(errs, CollectMedia(run, o.Dir, o.Media))
	}
	o.written = nil
	for _, r := range o.reports {
		r.Secrets = o.Secrets
		if err := r.Save(run); err != nil {
			errs = append(errs, err)
			continue
		}
		o.written = append(o.written, r.Path)
	}
	return errors.Join(errs...)
}

// Save writes the report: it is whole or not there. Its folder is made again where somebody removed it.
func (r *Report) Save(run *result.Run) error {
	if err := plainfile.MakeDir(filepath.Dir(r.Path)); err != nil {
		return fmt.Errorf("write %s: %w", r.Path, plainfile.WithoutPath(err))
	}
	return WriteWhole(r.Path, func(w io.Writer) error {
		clean := r.Secrets.Document(w, r.structure())
		return errors.Join(r.Write(clean, run), clean.Close())
	})
}

// structure is what of the report is arena's own.
func (r *Report) structure() secret.Format {
	switch r.Format {
	case "json":
		return secret.JSON
	case "html", "junit":
		return secret.Markup
	}
	return secret.Plain
}

// Written lists the reports that WriteAll wrote, in the order of the summary: those that failed are not there.
func (o *Outputs) Written() []string { return slices.Clone(o.written) }

// Paths lists the reports that are asked for.
func (o *Outputs) Paths() []string {
	out := make([]string, len(o.reports))
	for i, r := range o.reports {
		out[i] = r.Path
	}
	return out
}

// KeepInput keeps a file, which is read: the results.json that would overwrite it is not written, and no other report
// may go there.
func (o *Outputs) KeepInput(file string) {
	o.input = file
	o.reports = slices.DeleteFunc(o.reports, func(r Report) bool {
		return r.Format == "json" && realPath(r.Path) == realPath(file)
	})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isOurs reports whether a file starts as the report does.
func (r *Report) isOurs(start []byte) bool { return r.start().Match(start) }
