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
	Secrets      *secret.Guard // removed from the report; nil: none are known
	start        func() *regexp.Regexp
}

// Outputs is the results folder of a run, with its reports.
type Outputs struct {
	Dir     string
	Resumes string                        // name of the journal to resume; "": that of the last run
	Keep    int                           // number of earlier journals that are kept; 0: DefaultKeep
	Rerun   func(...*result.Brief) string // the command that runs a trial again; may be nil
	Secrets *secret.Guard                 // removed from the reports; nil: none are known
	Media   string                        // results folder that holds the media of the run; "": Dir
	reports []Report
	input   string // the results that the reports are made from; "": none
	written []string
}

// Choice holds the settings of flags or files for the output. Empty fields are not set.
type Choice struct {
	Dir                   string
	Formats               []string // nil: all
	JUnit, HTML, Markdown string   // files
	Granularity           string   // of JUnit
	Rerun                 func(...*result.Brief) string
	Place                 func(file string) string // path of a scenario's file for JUnit; nil: as in the run
}

// NewOutputs applies defaults to folder and files. results.json is always written. A report with a file is written even
// if its format is not in Formats.
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

// localYAML reads a file that declares checks. Results may name any file, so it reads only YAML files below the working
// directory.
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

// Prepare checks, before anything is paid for, that every file can be written and that no other data is overwritten;
// see CheckTargets. others are written beside the reports.
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

// targets returns the files of the reports.
func (o *Outputs) targets() []Target {
	all := make([]Target, len(o.reports))
	for i := range o.reports {
		all[i] = o.reports[i].target()
	}
	return all
}

// target returns the file of a report.
func (r *Report) target() Target {
	return Target{What: r.name(), Path: r.Path, Recognizes: r.recognizes}
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

// reserved returns the files of the folder that no report may overwrite.
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

// Files lists the files that a run writes.
func (o *Outputs) Files() []string {
	return append([]string{filepath.Join(o.Dir, JournalName)}, o.Paths()...)
}

// TouchedFiles lists every file that a run writes, moves or removes.
func (o *Outputs) TouchedFiles() []string {
	touched := append(o.leftovers(), filepath.Join(o.Dir, JournalName), filepath.Join(o.Dir, lockName))
	for n := range max(o.Keep, DefaultKeep) {
		touched = append(touched, filepath.Join(o.Dir, previousName(n+1)))
	}
	return touched
}

// leftovers lists the reports that an earlier run may have left: the files that this run will write, and reports of
// other formats in the folder.
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

// WriteAll writes all reports. An error in one does not stop the others.
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

// Save writes the report atomically. It creates the folder again if it was removed.
func (r *Report) Save(run *result.Run) error {
	if err := plainfile.MakeDir(filepath.Dir(r.Path)); err != nil {
		return fmt.Errorf("write %s: %w", r.Path, plainfile.WithoutPath(err))
	}
	return WriteAtomic(r.Path, func(w io.Writer) error {
		clean := r.Secrets.Document(w, r.structure())
		return errors.Join(r.Write(clean, run), clean.Close())
	})
}

// structure returns the format of the report, which tells texts from arena's own markup when secrets are removed.
func (r *Report) structure() secret.Format {
	switch r.Format {
	case "json":
		return secret.JSON
	case "html", "junit":
		return secret.Markup
	}
	return secret.Plain
}

// Written lists the reports that WriteAll wrote without an error, in the order of the summary.
func (o *Outputs) Written() []string { return slices.Clone(o.written) }

// Paths lists the files of the reports.
func (o *Outputs) Paths() []string {
	out := make([]string, len(o.reports))
	for i, r := range o.reports {
		out[i] = r.Path
	}
	return out
}

// KeepInput protects a file that is read: results.json is not written if that would overwrite it, and no other report
// may be written there.
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

// recognizes reports whether a file starts like the report.
func (r *Report) recognizes(start []byte) bool { return r.start().Match(start) }
