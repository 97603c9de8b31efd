package textsearch

import (
	"strings"
	"unicode/utf8"
)

// The longest parts of what is taken for a tag or a link, in bytes. What is longer stays as it is.
const (
	longestTag    = 512
	longestLinked = 512
)

// untagger takes the tags of HTML and the addresses of links of Markdown out of a text as it comes, so that the words
// on both sides and within are read as they are shown. A tag that begins a line or a block is a blank.
type untagger struct {
	held  strings.Builder // from the < or [ on
	state tagState
	text  string // of a link, when its address comes
}

type tagState uint8

const (
	noTag      tagState = iota
	inTag               // behind <
	inLinked            // behind [
	afterLink           // behind ]
	inAddress           // behind ](
	inLinkName          // behind ][
)

// read takes a character, and returns what is decided.
func (u *untagger) read(r rune) string {
	switch u.state {
	case noTag:
		return u.begin(r)
	case inTag:
		return u.inTag(r)
	case inLinked:
		return u.inLinked(r)
	case afterLink:
		return u.afterLink(r)
	default:
		return u.inAddressOrName(r)
	}
}

func (u *untagger) inAddressOrName(r rune) string {
	u.held.WriteRune(r)
	switch end := u.state.end(); {
	case r == end:
		text := u.text
		u.drop()
		return untagged(text)
	case r == '\n' || u.held.Len() > longestLinked+longestTag:
		return u.release()
	}
	return ""
}

// end is the sign that ends the address or the name of a link.
func (s tagState) end() rune {
	if s == inAddress {
		return ')'
	}
	return ']'
}

func (u *untagger) begin(r rune) string {
	switch r {
	case '<':
		u.state = inTag
	case '[':
		u.state = inLinked
	default:
		return string(r)
	}
	u.held.WriteRune(r)
	return ""
}

func (u *untagger) inTag(r rune) string {
	switch {
	case r == '<':
		return u.release() + u.begin(r)
	case r != '>':
		u.held.WriteRune(r)
		if u.held.Len() > longestTag {
			return u.release()
		}
		return ""
	}
	shown, isTag := tagShown(u.held.String()[1:])
	if !isTag {
		return u.release() + string(r)
	}
	u.drop()
	return shown
}

func (u *untagger) inLinked(r rune) string {
	switch {
	case r == '[':
		return u.release() + u.begin(r)
	case r == ']':
		u.state, u.text = afterLink, u.held.String()[1:]
	case u.held.Len() > longestLinked:
		return u.release() + u.begin(r)
	}
	u.held.WriteRune(r)
	return ""
}

func (u *untagger) afterLink(r rune) string {
	switch r {
	case '(':
		u.state = inAddress
	case '[':
		u.state = inLinkName
	default:
		return u.release() + u.begin(r)
	}
	u.held.WriteRune(r)
	return ""
}

// release returns what was held, which is no link and no tag; tags within it are taken out, but not where an address
// would be.
func (u *untagger) release() string {
	held, inner := u.held.String(), u.text
	if u.state == inTag || u.state == inLinked {
		inner = u.held.String()[1:]
	}
	u.drop()
	return held[:1] + untagged(inner) + held[1+len(inner):]
}

func (u *untagger) drop() {
	u.held.Reset()
	u.state, u.text = noTag, ""
}

// end returns what still waits.
func (u *untagger) end() string {
	if u.state == noTag {
		return ""
	}
	return u.release()
}

// untagged is a text without tags and addresses of links.
func untagged(text string) string {
	if !strings.ContainsAny(text, tagSigns) {
		return text
	}
	var u untagger
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		b.WriteString(u.read(r))
	}
	b.WriteString(u.end())
	return b.String()
}

// tagSigns are the signs that begin tags and links.
const tagSigns = "<["

// tagShown is what readers see of a tag without its brackets: nothing, or a blank for one that begins a line. isTag
// reports whether it is one of HTML.
func tagShown(tag string) (shown string, isTag bool) {
	if strings.HasPrefix(tag, "!--") {
		return "", strings.HasSuffix(tag, "--")
	}
	name := strings.TrimPrefix(tag, "/")
	if at := strings.IndexAny(name, " \t\n/"); at >= 0 {
		name = name[:at]
	}
	switch strings.ToLower(name) {
	case "a", "abbr", "b", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "label", "mark", "q", "s",
		"samp",
		"small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr":
		return "", true
	case "blockquote", "body", "br", "center", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
		"html", "li",
		"ol", "p", "pre", "section", "table", "tbody", "td", "th", "thead", "tr", "ul":
		return " ", true
	}
	return "", false
}

// fold makes one of letters that are the same in another case: "Straße" is "STRASSE" in capitals.
func fold(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.NewReplacer("ß", "ss", "ẞ", "SS", "ς", "σ").Replace(text)
		}
	}
	return text
}
