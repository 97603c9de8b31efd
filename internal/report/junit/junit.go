// Package junit writes a run as JUnit XML for CI systems. The names of testcases are the same from build to build: they
// hold no id, time, seed or trial number, so that a CI system can show the history of a test.
package junit

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"io"
	"strconv"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// Granularity says what one testcase is.
type Granularity string

// The granularities.
const (
	ByScenario Granularity = "scenario" // a scenario × provider × region; the default
	ByTurn     Granularity = "turn"     // each of its turns, and its conversation
	ByCheck    Granularity = "check"    // each of its checks
)

// Options of a report. The zero value works.
type Options struct {
	Name        string                        // of the root element; "" is arena
	Granularity Granularity                   // "" is ByScenario
	Rerun       func(...*result.Brief) string // the command that runs a trial again; may be nil
	Place       func(file string) string      // how a test case names the file of its scenario; nil: as the run does
}

// Write writes the report. Per scenario it reads only trials that did not pass from the run's source; per turn and per
// check it reads all of them, one at a time, and twice.
func Write(w io.Writer, run *result.Run, o Options) error {
	b, err := newBuilder(run, o)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(xml.Header) // a bufio.Writer keeps its first error for Flush
	d := document{enc: xml.NewEncoder(out), place: o.Place}
	d.enc.Indent("", "  ")
	d.open("testsuites", rootAttrs(b))
	for _, s := range b.suites {
		d.suite(b, s)
	}
	d.close("testsuites")
	if d.err != nil {
		return d.err
	}
	if err := d.enc.Close(); err != nil {
		return err
	}
	out.WriteByte('\n')
	return out.Flush()
}

// document writes elements and keeps the first error.
type document struct {
	enc   *xml.Encoder
	place func(file string) string // nil: unchanged
	err   error
}

// placed is how the document names a file.
func (d *document) placed(file string) string {
	if d.place == nil || file == "" {
		return file
	}
	return show.Line(d.place(file))
}

func (d *document) suite(b *builder, s *suite) {
	attrs := []xml.Attr{attr("name", s.name)}
	if s.file != "" {
		attrs = append(attrs, attr("file", d.placed(s.file)))
	}
	attrs = append(attrs, s.counts.attrs(s.ms)...)
	attrs = append(attrs, attr("timestamp", b.run.Started.UTC().Format("2006-01-02T15:04:05")))
	d.open("testsuite", attrs)
	d.properties(datasets(b.run, s))
	if d.err == nil {
		d.err = b.each(s, func(c *testcase) error {
			d.encode(c)
			return d.err
		})
	}
	d.close("testsuite")
}

func (d *document) encode(c *testcase) {
	if d.err == nil {
		c.file = d.placed(c.file)
		d.err = d.enc.Encode(c.element())
	}
}

func (d *document) open(name string, attrs []xml.Attr) {
	if d.err == nil {
		d.err = d.enc.EncodeToken(xml.StartElement{Name: xml.Name{Local: name}, Attr: attrs})
	}
}

func (d *document) close(name string) {
	if d.err == nil {
		d.err = d.enc.EncodeToken(xml.EndElement{Name: xml.Name{Local: name}})
	}
}

func attr(name, value string) xml.Attr { return xml.Attr{Name: xml.Name{Local: name}, Value: value} }

// rootAttrs are the attributes of the root element.
func rootAttrs(b *builder) []xml.Attr {
	name := cmp.Or(show.Line(b.opts.Name), "arena")
	return append([]xml.Attr{attr("name", name)}, b.totals().attrs(b.run.DurationMS)...)
}

// counts are the numbers of a suite.
type counts struct{ tests, failures, errors, skipped int }

func (c *counts) add(d counts) {
	c.tests += d.tests
	c.failures += d.failures
	c.errors += d.errors
	c.skipped += d.skipped
}

func (c counts) attrs(ms float64) []xml.Attr {
	return []xml.Attr{
		attr("tests", strconv.Itoa(c.tests)), attr("failures", strconv.Itoa(c.failures)),
		attr("errors", strconv.Itoa(c.errors)), attr("skipped", strconv.Itoa(c.skipped)), attr("time", seconds(ms)),
	}
}

// seconds is a duration as JUnit writes it.
func seconds(ms float64) string { return strconv.FormatFloat(ms/1000, 'f', 3, 64) }
