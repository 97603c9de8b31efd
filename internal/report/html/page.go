package html

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

//go:embed assets
var assets embed.FS

// The parts of the one style sheet and of the one script, in order.
var (
	styles = [...]string{
		"base", "overview", "rates", "analysis", "failures", "list", "datasets", "replies", "trial", "chat", "verdict",
		"judges", "evals",
		"workflow", "steps", "timeline", "narrow", "print",
	}
	scripts = [...]string{
		"dom", "format", "data", "address", "filter", "search", "charts", "matrix", "words", "providers", "datasets",
		"overview",
		"facets", "list", "replies",
		"values", "media", "messages", "judges", "diff", "verdicts", "evals", "workflow", "steps", "timeline", "trial",
		"markdown", "keys", "app",
	}
)

// page is the page without its data blocks. It shows, without the script, the totals and the failures.
type page struct {
	*result.Run
	Script, Style string
	Failures      []failure // the first ones
	Kinds         int       // of failures
	Failing       int       // trials in all of them
	spread        *spread   // nil: nothing is spread
	Rates         *rates    // nil: no group has several trials
	tmpl          *template.Template
}

func newPage(run *result.Run, opts Options) (*page, error) {
	p := &page{Run: run, Rates: ratesOf(run)}
	var err error
	if p.Style, err = join(styles[:], ".css"); err != nil {
		return nil, err
	}
	if p.Script, err = join(scripts[:], ".js"); err != nil {
		return nil, err
	}
	p.Script = "\"use strict\";\n(() => {\n" + p.Script + "})();\n"
	p.tmpl, err = template.New("page.html").Funcs(words()).Funcs(parts()).
		ParseFS(assets, "assets/page.html", "assets/failures.html", "assets/analysis.html", "assets/rates.html")
	if err != nil {
		return nil, err
	}
	return p, errors.Join(p.findFailures(opts), p.findSpread())
}

func join(names []string, ext string) (string, error) {
	var b strings.Builder
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name + ext)
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	return b.String(), nil
}

func (p *page) head(w io.Writer) error { return p.tmpl.ExecuteTemplate(w, "head", p) }
func (p *page) tail(w io.Writer) error { return p.tmpl.ExecuteTemplate(w, "tail", p) }

// csp is the content security policy. It allows our own script and style by their hashes, and images and sound within
// the file, and nothing else.
func (p *page) csp() string {
	return "default-src 'none'; script-src " + hash(p.Script) + "; style-src " + hash(p.Style) +
		"; img-src data: blob:; media-src data: blob:; base-uri 'none'; form-action 'none'"
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// css and js mark our own files as safe.
func (p *page) css() template.CSS { return template.CSS(p.Style) }

// js is the script.
func (p *page) js() template.JS { return template.JS(p.Script) }

// icon is the favicon: a dot in the colour of the status.
func (p *page) icon() template.URL {
	colour := "2da44e"
	switch p.Status {
	case result.Passed:
	case result.Failed:
		colour = "cf222e"
	case result.Errored:
		colour = "bf8700"
	case result.Undecided:
		colour = "0a6675"
	default:
		colour = "8c959f"
	}
	return template.URL("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
		"%3Ccircle cx='8' cy='8' r='6' fill='%23" + colour + "'/%3E%3C/svg%3E")
}

// sides reports whether several providers answered, so that their replies are shown side by side.
func (p *page) sides() bool {
	return p.Briefs.Any(func(b *result.Brief) bool {
		return b.Provider != p.Briefs.At(0).Provider || b.Region != p.Briefs.At(0).Region
	})
}

// unfinished is the number of planned trials that have no result.
func (p *page) unfinished() int { return max(show.Unfinished(p.Run)-p.Summary.Cancelled, 0) }

// width is the length of the bar, in trials; trials without a result leave its end empty.
func (p *page) width() int { return p.Summary.Trials + p.unfinished() }

// concludes reports whether the run is about groups: some may end early.
func (p *page) concludes() bool { return p.Summary.Groups != nil && show.AnyEarly(p.Run) }

// groups lists the groups by status, worst first, each with the start of its part of the bar.
func (p *page) groups() []share {
	c := p.Summary.Groups
	return placed(share{Status: result.Failed, N: c.Failed}, share{Status: result.Errored, N: c.Errors},
		share{Status: result.Undecided, N: c.Undecided}, share{Status: result.Cancelled, N: c.Cancelled},
		share{Status: result.Passed, N: c.Passed}, share{Status: result.Skipped, N: c.Skipped})
}

// shares lists the trials by status, worst first, each with the start of its part of the bar.
func (p *page) shares() []share {
	s := &p.Summary
	return placed([]share{
		{Status: result.Failed, N: s.Failed}, {Status: result.Errored, N: s.Errors},
		{Status: result.Cancelled, N: s.Cancelled}, {Status: result.Passed, N: s.Passed},
		{Status: result.Skipped, N: s.Skipped},
	}...)
}

func placed(all ...share) []share {
	var out []share
	at := 0
	for _, sh := range all {
		if sh.N > 0 {
			sh.At = at
			at += sh.N
			out = append(out, sh)
		}
	}
	return out
}

type share struct {
	Status result.Status
	N, At  int
}

// word names the trials of a share.
func (s share) word() string {
	if s.Status == result.Errored {
		return plural(s.N, "error", "errors")
	}
	return s.Status.String()
}

// headline is the verdict in a few words.
func (p *page) headline() string {
	return strings.Join(append([]string{p.verdict()}, show.RunNotes(p.Run)...), "; ")
}

func (p *page) verdict() string {
	if p.concludes() {
		return show.GroupVerdict(p.Run)
	}
	var parts []string
	add := func(n int, word string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", show.Count(n), word))
		}
	}
	s := &p.Summary
	add(s.Failed-s.Tolerated-s.Known-s.Quarantined, "failed")
	add(s.Tolerated, "tolerated")
	add(s.Known, "known")
	add(s.Quarantined, "failed in quarantine")
	add(s.Errors, plural(s.Errors, "error", "errors"))
	add(s.Cancelled, "cancelled")
	add(p.unfinished(), "not run")
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ") + " of " + show.Plural(p.width(), "trial")
	case s.Trials == 0:
		return "no trials"
	case s.Passed == 0:
		return "all " + show.Count(s.Trials) + " trials skipped" + show.FailOnMark(p.Run, result.FailOnSkipped)
	case s.Skipped > 0:
		return fmt.Sprintf("%s passed, %s skipped", show.Count(s.Passed), show.Count(s.Skipped)) +
			show.FailOnMark(p.Run, result.FailOnSkipped)
	case s.Trials == 1:
		return "the trial passed"
	}
	return "all " + show.Count(s.Trials) + " trials passed"
}
