package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// packed finds secrets in Base64, of either alphabet, also within longer data: each has three forms, because its bytes
// may start at three positions in a group. It looks only at one of several bytes, because most texts have no secrets.
type packed struct {
	window int              // bytes of each form that are looked for first
	shift  [1 << 15]uint8   // by three bytes: how far on a form may end its window with them
	forms  map[uint16][]int // whose window ends with the three bytes: indexes of all
	all    []form
	marked bool // a part beside a mark counts
}

// form is a secret in Base64, without the first and last characters, which share bits with other data.
type form struct {
	text         string
	at           int    // of the window
	window       string // in one alphabet
	before, rest bool   // a character before it, or after it, holds bits of the secret as well
}

// The least and the most characters by which a form is looked for. Words of texts do not look like it.
const (
	leastPacked = 7
	mostWindow  = 12
)

// pack returns nil when nothing is long enough.
func pack(texts []string, marked bool) *packed {
	k := &packed{window: mostWindow, forms: map[uint16][]int{}, marked: marked}
	var all []form
	for _, text := range texts {
		for lead := range 3 {
			coded := base64.RawStdEncoding.EncodeToString(append(make([]byte, lead), text...))
			from, to := (8*lead+5)/6, 8*(lead+len(text))/6
			if to-from < leastPacked {
				continue
			}
			all = append(all, form{text: coded[from:to], before: lead > 0, rest: to < len(coded)})
			k.window = min(k.window, to-from)
		}
	}
	if len(all) == 0 {
		return nil
	}
	for _, f := range all {
		at := plainest(f.text, k.window)
		k.look(f, at)
		if last := len(f.text) - k.window; marked && last > at { // the rest may be all that is left behind a mark
			k.look(f, last)
		}
	}
	for i := range k.shift {
		k.shift[i] = uint8(k.window - 2)
	}
	for n, f := range k.all {
		for i := 3; i <= k.window; i++ {
			h := hash3(f.window[i-3], f.window[i-2], f.window[i-1])
			k.shift[h] = min(k.shift[h], uint8(k.window-i))
			if i == k.window {
				k.forms[h] = append(k.forms[h], n)
			}
		}
	}
	return k
}

// look adds a form that is looked for by its part at an offset.
func (k *packed) look(f form, at int) {
	f.at, f.window = at, f.text[at:at+k.window]
	k.all = append(k.all, f)
	if other := otherAlphabet.Replace(f.window); other != f.window {
		f.window = other
		k.all = append(k.all, f)
	}
}

var otherAlphabet = strings.NewReplacer("+", "-", "/", "_")

// plainest is where the part of a form of some size begins that has the fewest characters which texts spell
// differently.
func plainest(text string, size int) (at int) {
	least := size + 1
	for i := 0; i+size <= len(text); i++ {
		part := text[i : i+size]
		if n := strings.Count(part, "+") + strings.Count(part, "/"); n < least {
			at, least = i, n
		}
	}
	return at
}

func hash3(a, b, c byte) uint16 {
	return uint16((uint32(a) | uint32(b)<<8 | uint32(c)<<16) * 0x9E3779B1 >> 17)
}

// next returns the first secret of which the window begins at or after an offset, and before another one. Nothing
// before the first offset is part of it.
func (k *packed) next(p []byte, from, to int) hit {
	last := k.window - 1 // of the window
	for i := from + last; i < len(p) && i-last < to; {
		h := hash3(p[i-2], p[i-1], p[i])
		if by := k.shift[h]; by > 0 {
			i += int(by)
			continue
		}
		for _, n := range k.forms[h] {
			if found := k.all[n].in(p, from, i-last, k.window, k.marked); found.size > 0 {
				return found
			}
		}
		i++
	}
	return hit{}
}

// in matches the form with its window at an offset.
func (f *form) in(p []byte, from, at, window int, marked bool) hit {
	if string(p[at:at+window]) != f.window {
		return hit{}
	}
	start, end, cut := at, at+window, false
	for i := f.at - 1; i >= 0; i-- {
		n := charBefore(p[from:start], f.text[i])
		if n == 0 && marked && bytes.HasSuffix(p[from:start], []byte(Mark)) {
			cut = true
			break
		}
		if n == 0 {
			return hit{}
		}
		start -= n
	}
	for i := f.at + window; i < len(f.text); i++ {
		n := charAt(p, end, f.text[i])
		if n == 0 && marked && markAt(p, end) {
			return hit{at: start, size: end - start, cut: true}
		}
		if n == 0 {
			return hit{}
		}
		end += n
	}
	if f.before && !cut && start > from && isPacked(p[start-1]) {
		start--
	}
	if f.rest && end < len(p) && isPacked(p[end]) {
		end++
	}
	for range 2 { // that fill up a group
		end += charAt(p, end, '=')
	}
	return hit{at: start, size: end - start, cut: cut}
}

// isPacked reports whether a byte is a character of Base64 in either alphabet.
func isPacked(c byte) bool { return isWordByte(c) || strings.IndexByte("+/-_", c) >= 0 }

// spellings are the escapes of those Base64 characters that are not letters or digits.
var spellings = map[byte][]string{
	'+': {"+", "-", "%2B", "%2b", "&#43;", `\u002b`, `\u002B`},
	'/': {"/", "_", "%2F", "%2f", `\/`, `\\/`, "&#47;", `\u002f`, `\u002F`},
	'=': {"=", "%3D", "%3d", `\u003d`, `\u003D`, "&#61;"},
}

// charAt is the length of a character at an offset; 0: another character is there.
func charAt(p []byte, at int, c byte) int {
	if at < len(p) && p[at] == c {
		return 1
	}
	for _, s := range spellings[c] {
		if bytes.HasPrefix(p[min(at, len(p)):], []byte(s)) {
			return len(s)
		}
	}
	return 0
}

// charBefore is the length of a character at the end of a text; 0: another character is there.
func charBefore(p []byte, c byte) (n int) {
	if len(p) > 0 && p[len(p)-1] == c {
		n = 1
	}
	for _, s := range spellings[c] {
		if len(s) > n && bytes.HasSuffix(p, []byte(s)) {
			n = len(s)
		}
	}
	return n
}
