package junit

import (
	"cmp"
	"encoding/xml"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// maxMessage bounds the message attribute, which lists of failures show, in bytes. The body holds the whole text.
const maxMessage = 600

// count adds a testcase to the numbers of its suite.
func (s *suite) count(c *testcase) {
	s.ms += c.ms
	s.counts.tests++
	switch c.status {
	case result.Passed:
	case result.Undecided:
		if c.allowed {
			s.counts.skipped++
		} else {
			s.counts.failures++
		}
	case result.Failed:
		s.counts.failures++
	case result.Skipped, result.Cancelled:
		s.counts.skipped++
	default: // Errored; and Unset, which never passes
		s.counts.errors++
	}
}

// testcase is one test as a CI system shows it.
type testcase struct {
	classname, name, file string
	line                  int32
	ms                    float64
	status                result.Status
	properties            []property
	excuse                string // why the group cannot make the run red; "": it can
	kind                  string // of the failure; "": assertion
	message               string // one line: why it did not pass
	body                  string
	// output is the conversations of failures. Of a testcase that passed, it is the failures within its threshold, or the
	// judgement.
	output string
	// complete sets message, body and output just before the testcase is written; nil when they are set already.
	rate     string // of a gate: what its trials show; ""
	allowed  bool   // it is undecided, and may be
	complete func(*testcase) error
}

type property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// element is a testcase in XML.
type element struct {
	XMLName    xml.Name    `xml:"testcase"`
	Classname  string      `xml:"classname,attr"`
	Name       string      `xml:"name,attr"`
	File       string      `xml:"file,attr,omitempty"`
	Line       string      `xml:"line,attr,omitempty"`
	Time       string      `xml:"time,attr"`
	Properties *properties `xml:"properties"`
	Failure    *outcome    `xml:"failure"`
	Error      *outcome    `xml:"error"`
	Skipped    *outcome    `xml:"skipped"`
	Output     *text       `xml:"system-out"`
}

type properties struct {
	All []property `xml:"property"`
}

type outcome struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Body    string `xml:",cdata"` // readable without a parser; its end is escaped, other characters cannot be
}

type text struct {
	Body string `xml:",cdata"`
}

// excused makes a testcase that is red, and makes nothing red, a skipped one that says why and what failed.
func (c *testcase) excused() {
	if c.excuse == "" {
		return
	}
	c.properties = append(c.properties, property{"excused", c.excuse})
	if !isRed(c.status) || c.allowed {
		return
	}
	c.status = result.Skipped
	complete := c.complete
	c.complete = func(c *testcase) error {
		var err error
		if complete != nil {
			err = complete(c)
		}
		if why := cmp.Or(c.message, c.rate); why != "" {
			c.message = show.Clip(c.excuse+"; "+why, maxMessage)
		} else {
			c.message = c.excuse
		}
		return err
	}
}

func (c *testcase) element() *element {
	e := &element{
		Classname: c.classname, Name: c.name, File: c.file, Time: seconds(c.ms),
	}
	if c.line > 0 {
		e.Line = strconv.Itoa(int(c.line))
	}
	if len(c.properties) > 0 {
		e.Properties = &properties{c.properties}
	}
	if c.output != "" {
		e.Output = &text{c.output}
	}
	switch c.status {
	case result.Passed:
	case result.Undecided:
		if c.allowed {
			e.Skipped = &outcome{"undecided", c.rate, c.rate}
		} else {
			e.Failure = &outcome{"undecided", show.Clip(c.rate, maxMessage), c.body}
			if strings.TrimSpace(c.body) == "" { // no trial failed
				e.Failure.Body = c.rate
			}
		}
	case result.Failed:
		if c.rate != "" {
			e.Failure = &outcome{"rate", show.Clip(c.rate, maxMessage), c.body}
			break
		}
		e.Failure = &outcome{cmp.Or(c.kind, "assertion"), show.Clip(c.message, maxMessage), c.body}
	case result.Skipped:
		e.Skipped = &outcome{"", c.message, c.message} // some systems show the attribute, some the text
	case result.Cancelled:
		e.Skipped = &outcome{"cancelled", c.message, c.message}
	default: // Errored; and Unset, which never passes
		e.Error = &outcome{"error", show.Clip(c.message, maxMessage), c.body}
	}
	return e
}
