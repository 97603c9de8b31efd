package checks

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/say"
	"github.com/arena-evals/arena/internal/textsearch"
)

var contentExcludesDef = define[contentExcludesParams](Def{
	Name:     "content_excludes",
	Aliases:  []string{"banned_words", "content_not_includes"},
	Summary:  "No reply contains any of the patterns.",
	Scoring:  "1 when no pattern is found in any reply in scope, else 0.",
	Family:   FamilyContent,
	Surfaces: Everywhere,
	Needs:    NeedsReply,
	Reads:    ReadsReplies,
	Forms:    true,
	OnFire:   Replaces,
	Presets:  map[string]map[string]string{"banned_words": {"match_mode": matchWords}},
	Clean:    Bans,
	Opposite: "to ask for one of the texts use contains_any",
})

// The ways to look for a forbidden text.
const (
	matchSubstring = "substring"
	matchWords     = "word_boundary"
)

type contentExcludesParams struct {
	Patterns []string `param:"patterns,required" alias:"words" is:"banned text" doc:"Texts that must not appear, in whatever spelling reads the same; see the guide to checks."`

	MatchMode string `param:"match_mode" words:"substring,word_boundary" doc:"word_boundary is how banned_words matches."`

	CaseSensitive bool `param:"case_sensitive" default:"false" doc:"Tell upper and lower case apart."`
}

func (p contentExcludesParams) Build(b *binder) Check {
	return &contentExcludes{
		patterns: bans(p.Patterns, !b.turned), wholeWords: p.MatchMode == matchWords, caseSensitive: p.CaseSensitive,
	}
}

// ban is a forbidden text in all its forms, the written one first.
type ban struct {
	text  string
	forms []textPattern
}

func bans(texts []string, banned bool) []ban {
	list := make([]ban, len(texts))
	for i, text := range texts {
		list[i] = ban{text, textPatterns(writtenForms(text), banned)}
	}
	return list
}

var straightQuotes = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`)
})

// writtenForms returns a text unchanged, with straight quotes and with curly quotes, each once: models write either.
func writtenForms(text string) []string {
	const marks = `'"’‘“”`
	if !strings.ContainsAny(text, marks) {
		return []string{text}
	}
	straight := straightQuotes().Replace(text)
	var curly strings.Builder
	var before rune
	for _, r := range straight {
		opens := before == 0 || unicode.IsSpace(before) || strings.ContainsRune("([{-–—", before)
		before = r
		switch {
		case r == '"' && opens:
			r = '“'
		case r == '"':
			r = '”'
		case r == '\'' && opens:
			r = '‘'
		case r == '\'':
			r = '’'
		}
		curly.WriteRune(r)
	}
	forms := []string{text}
	for _, form := range []string{straight, curly.String()} {
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return forms
}

type contentExcludes struct {
	patterns      []ban
	wholeWords    bool
	caseSensitive bool

	once sync.Once           // made only for streams
	sets *[3]*textsearch.Set // of the texts as they are, in plain spelling, and of those without marks of Markdown
}

func (*contentExcludes) boundsRedacted() {}

func (*contentExcludes) selfContained() {}

func (c *contentExcludes) Eval(_ context.Context, s *Subject) (Finding, error) {
	replies := s.Texts()
	violations, found := []Details{}, []string{}
	for r := range replies {
		for i := range c.patterns {
			p := &c.patterns[i]
			if !c.hit(&replies[r], p) {
				continue
			}
			violations = append(violations, Details{"pattern": p.text, "turn": replies[r].Turn})
			found = append(found, say.Quote(p.text)+inTurn(s, replies[r].Turn))
		}
	}
	f := Finding{Score: 1, Explanation: "none of " + plural.Count(len(c.patterns), "pattern") + " found"}
	if len(found) > 0 {
		f.Score, f.Explanation = 0, "found "+say.Listed(found, ", ")
	}
	f.Details = Details{"violations": violations}
	return f, nil
}

func (c *contentExcludes) hit(r *Reply, b *ban) bool {
	return slices.ContainsFunc(b.forms, func(p textPattern) bool { return c.finds(r, &p) })
}

func (c *contentExcludes) finds(r *Reply, p *textPattern) bool {
	if !c.wholeWords {
		return p.in(r, c.caseSensitive)
	}
	return p.fits(r, c.caseSensitive, func(text, word string) bool { return textsearch.Word(text, word) >= 0 })
}

// Stream implements Streamer: once a forbidden text is in a reply, it stays there.
func (c *contentExcludes) Stream() Stream {
	c.once.Do(func() {
		var texts, alike, unmarked []string
		for i := range c.patterns {
			for _, form := range c.patterns[i].forms {
				text := form.folded
				if c.caseSensitive {
					text = form.text
				}
				texts, alike = append(texts, text), append(alike, form.alike(c.caseSensitive))
				if form.unmarked {
					unmarked = append(unmarked, form.alike(c.caseSensitive))
				}
			}
		}
		set := func(texts []string) *textsearch.Set { return textsearch.NewSet(texts, !c.caseSensitive, c.wholeWords) }
		c.sets = &[3]*textsearch.Set{set(texts), set(alike), nil}
		if c.sets[2] = c.sets[1]; len(unmarked) < len(alike) {
			c.sets[2] = set(unmarked)
		}
	})
	return &excludesStream{c.sets[0].Follow(), c.sets[1].FollowPlain(), c.sets[2].FollowUnmarked()}
}

type excludesStream struct {
	search          *textsearch.Search
	alike, unmarked *textsearch.PlainSearch
}

func (s *excludesStream) Write(piece string) float64 {
	found := s.search.Write(piece)
	found = s.alike.Write(piece) || found
	return allOrNothing(!s.unmarked.Write(piece) && !found)
}
