package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/result"
)

// outputFlags say which files a run writes.
type outputFlags struct {
	out              string
	formats          []string
	junitFile        string
	htmlFile         string
	markdownFile     string
	junitGranularity string
	keep             int
	events           string // a file, or stdoutName; "": none
	cache            string

	replies *cache.Store // of the folder named by cache; opened on first use
}

func (f *outputFlags) register(fl *pflag.FlagSet) {
	fl.StringVarP(&f.out, "out", "o", "", "results `folder` (default: the config's output.dir, else out)")
	fl.StringSliceVar(&f.formats, "format", nil, "reports besides results.json, a `list` of junit, html, markdown, json\n"+
		"(default: the config's output.formats, else all)")
	fl.StringVar(&f.junitFile, "junit-file", "", "write JUnit to this `file`")
	fl.StringVar(&f.htmlFile, "html-file", "", "write the HTML report to this `file`")
	fl.StringVar(&f.markdownFile, "markdown-file", "", "write Markdown to this `file`")
	fl.StringVar(&f.junitGranularity, "junit-granularity", "scenario",
		"`unit` of a JUnit test case: scenario, turn or check")

	fl.IntVar(&f.keep, "keep", harness.DefaultKeep, "keep the journals of `n` earlier runs in the results folder")
	fl.StringVar(&f.events, "events", "", "write what happens, as it happens, as JSON lines to this `file`;\n"+
		"- is stdout, and what people read goes to stderr")
	fl.StringVar(&f.cache, "cache", "", "keep the replies of models in this `folder`, and pay only once for\n"+
		"the same call")
}

func (f *outputFlags) validate(g givenFlags) error {
	errs := []error{
		g.atLeast(1, "keep", f.keep),
		oneOf("junit-granularity", []string{f.junitGranularity}, "scenario", "turn", "check"),
		oneOf("format", f.formats, "json", "junit", "html", "markdown"),
		notStdout("junit-file", f.junitFile), notStdout("html-file", f.htmlFile),
		notStdout("markdown-file", f.markdownFile),
	}
	if g.has("events") && strings.TrimSpace(f.events) == "" {
		errs = append(errs, errors.New("--events is empty: name a file, or - for stdout, or leave the flag out"))
	}
	if err := errors.Join(append(errs, usableCache(g, f.cache))...); err != nil {
		return err
	}
	if g.typed("junit-granularity") && len(f.formats) > 0 && f.junitFile == "" && !slices.Contains(f.formats, "junit") {
		return withoutJUnit(f.formats)
	}
	return nil
}

// notStdout refuses - for a report: other tools take it for stdout, not for a file name.
func notStdout(flag, file string) error {
	if file != stdoutName {
		return nil
	}
	return fmt.Errorf("--%s - is no file: name one, or /dev/stdout; for a file that is called so, ./-", flag)
}

func withoutJUnit(formats []string) error {
	return fmt.Errorf("--junit-granularity is about the JUnit report, which --format %s does not write: "+
		"add junit to it, or leave one of the flags out", strings.Join(formats, ","))
}

func (f *outputFlags) toSpec(g givenFlags, s *result.Spec) {
	s.Out, s.Formats, s.Cache = f.out, f.formats, f.cache
	s.JUnitFile, s.HTMLFile, s.MarkdownFile = f.junitFile, f.htmlFile, f.markdownFile
	if g.has("keep") {
		s.Keep = f.keep
	}
}

func (f *outputFlags) recall(g givenFlags, then *result.Spec) {
	recallValue(g, "out", &f.out, then.Out)
	recallList(g, "format", &f.formats, then.Formats)
	recallValue(g, "cache", &f.cache, then.Cache)
	recallValue(g, "junit-file", &f.junitFile, then.JUnitFile)
	recallValue(g, "html-file", &f.htmlFile, then.HTMLFile)
	recallValue(g, "markdown-file", &f.markdownFile, then.MarkdownFile)
	recallValue(g, "keep", &f.keep, then.Keep)
}

// keepsReplies tests whether the cache can be written.
func (f *outputFlags) keepsReplies() error {
	if err := harness.CheckCache(f.store()); err != nil {
		return fmt.Errorf("--cache: %w", err)
	}
	return nil
}

// usableCache says why the folder of --cache cannot be used.
func usableCache(g givenFlags, dir string) error {
	switch {
	case g.has("cache") && strings.TrimSpace(dir) == "":
		return errors.New("--cache is empty: name a folder, or leave the flag out")
	case dir == "":
		return nil
	}
	if err := plainfile.Dangling(dir); err != nil {
		return fmt.Errorf("--cache: %w", err)
	}
	if file := plainfile.InTheWay(dir); file != "" {
		return fmt.Errorf("--cache %s: %s is no folder, so nothing could be kept in it", dir, file)
	}
	return nil
}

// store is the response cache of the run; nil: none.
func (f *outputFlags) store() *cache.Store {
	if f.cache == "" {
		return nil
	}
	if f.replies == nil {
		f.replies = &cache.Store{Dir: f.cache, Now: time.Now}
	}
	return f.replies
}
