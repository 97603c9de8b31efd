package html

import (
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/arena-evals/arena/internal/report/show"
)

// The templates call functions and no methods. With method calls in templates, the linker would keep every exported
// method of the program: 4 MB.

// words returns what all pages say values with.
func words() template.FuncMap {
	return template.FuncMap{
		"visible": show.Clean, "count": show.Count, "plural": show.Plural, "money": show.Money, "seconds": show.Seconds,
		"sign": sign, "tokens": show.TokensOf, "simulated": show.SimulatedPart,
		"instant": func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") },
		"day":     func(t time.Time) string { return t.UTC().Format("2 January 2006, 15:04 UTC") },
	}
}

// parts returns what the page of a run takes from it.
func parts() template.FuncMap {
	return template.FuncMap{
		"csp": (*page).csp, "css": (*page).css, "js": (*page).js, "icon": (*page).icon, "title": (*page).title,
		"headline": (*page).headline, "sides": (*page).sides, "unfinished": (*page).unfinished, "width": (*page).width,
		"concludes": (*page).concludes, "groups": (*page).groups,
		"shares": (*page).shares, "word": share.word, "costNotes": (*page).costNotes,
		"shown": (*page).shown, "folded": (*page).folded, "foldedKinds": (*page).foldedKinds, "leftOut": (*page).leftOut,
		"spread":      func(p *page) *spread { return p.spread },
		"against":     func(p *page) []show.Remark { return show.Against(p.Run, false) },
		"quarantine":  func(p *page) []show.Remark { return show.Quarantines(p.Run) },
		"tokensInAll": func(p *page) int { return p.Summary.Usage.Total() },
	}
}
