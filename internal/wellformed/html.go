// Package wellformed parses texts that must be HTML, XML or SQL, and says what is wrong with them.
package wellformed

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"

	"github.com/arena-evals/arena/internal/say"
)

// HTML counts the elements of an HTML text: known ones that are closed in order, with no text outside of them. A
// browser makes a page of any text; here it must be one already.
func HTML(text string) (int, error) {
	r := htmlReader{}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken: // the end: reading from memory does not fail
			return r.n, r.end()
		case html.TextToken:
			if words := strings.TrimSpace(string(z.Raw())); len(r.open) == 0 && words != "" {
				return 0, fmt.Errorf("text outside of any element: %s", say.Quote(words))
			}
		case html.StartTagToken:
			name, _ := z.TagName()
			if err := r.start(string(name), false); err != nil {
				return 0, err
			}
		case html.SelfClosingTagToken:
			name, _ := z.TagName()
			if err := r.start(string(name), true); err != nil {
				return 0, err
			}
		case html.CommentToken, html.DoctypeToken:
		case html.EndTagToken:
			name, _ := z.TagName()
			if err := r.close(string(name)); err != nil {
				return 0, err
			}
		}
	}
}

// htmlReader keeps the elements that are open.
type htmlReader struct {
	open    []string
	foreign int // how many of them are within SVG or MathML, whose names are their own
	n       int
}

// start takes a start tag. Only SVG and MathML have elements that close themselves: <div/> opens a div.
func (r *htmlReader) start(name string, closed bool) error {
	if r.foreign == 0 && !htmlElements()[name] && !strings.Contains(name, "-") { // custom elements have a hyphen
		return fmt.Errorf("there is no element <%s>", say.Named(name))
	}
	r.n++
	foreign := r.foreign > 0 || name == "svg" || name == "math"
	if voidElements()[name] || closed && foreign {
		return nil
	}
	if openEnded()[name] {
		r.leave(name)
	}
	if len(r.open) == maxDepth {
		return errTooMuch
	}
	if foreign {
		r.foreign++
	}
	r.open = append(r.open, name)
	return nil
}

// leave ends an element whose end tag is optional.
func (r *htmlReader) leave(name string) {
	for at := len(r.open) - 1; at >= 0 && openEnded()[r.open[at]]; at-- {
		if r.open[at] == name {
			r.open = r.open[:at]
			return
		}
	}
}

func (r *htmlReader) close(name string) error {
	if voidElements()[name] {
		return nil
	}
	at := len(r.open) - 1
	for at >= 0 && r.open[at] != name && openEnded()[r.open[at]] {
		at--
	}
	if at < 0 || r.open[at] != name {
		if len(r.open) == 0 {
			return fmt.Errorf("</%s> closes nothing", say.Named(name))
		}
		return fmt.Errorf("</%s> stands where <%s> is open", say.Named(name), say.Named(r.open[len(r.open)-1]))
	}
	r.foreign = max(0, r.foreign-(len(r.open)-at))
	r.open = r.open[:at]
	return nil
}

func (r *htmlReader) end() error {
	for _, name := range slices.Backward(r.open) {
		if !openEnded()[name] {
			return fmt.Errorf("<%s> is not closed", say.Named(name))
		}
	}
	if r.n == 0 {
		return errors.New("there is no element")
	}
	return nil
}

// voidElements have no content and no end.
var voidElements = nameSet("area base br col embed hr img input link meta param source track wbr")

// openEnded may be left without an end tag (https://html.spec.whatwg.org/multipage/syntax.html#optional-tags).
var openEnded = nameSet(`html head body p li dt dd rt rp optgroup option colgroup caption thead tbody tfoot tr td
	th`)

// htmlElements are those of the standard (https://html.spec.whatwg.org/multipage/indices.html#elements-3) and the
// older ones that browsers still show.
var htmlElements = nameSet(`a abbr acronym address area article aside audio b base bdi bdo big blockquote body br
	button canvas caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em embed
	fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img
	input ins kbd label legend li link main map mark marquee math menu meta meter nav noframes noscript object ol optgroup
	option output p param picture pre progress q rp rt ruby s samp script search section select slot small source span
	strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul
	var video wbr`)

// nameSet is the set of words, made when it is needed first.
func nameSet(words string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(words) {
			set[w] = true
		}
		return set
	})
}
