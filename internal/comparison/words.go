package comparison

import (
	"slices"
	"strings"
	"unicode"
)

// Piece is a part of two texts: what both have, what the first one alone has, or what the second one alone has.
type Piece struct {
	Kind Kind
	Text string
}

// Kind says which of the texts has a piece.
type Kind uint8

// The kinds.
const (
	Both Kind = iota
	Removed
	Added
)

// mostCells bounds the work of a comparison: the product of the numbers of words that differ. Beyond it, all of them
// are taken for others.
const mostCells = 4_000_000

// Words compares two texts word by word. The pieces that are not Added make up the first text, those that are not
// Removed the second. It finds a longest common subsequence of words.
func Words(was, now string) []Piece {
	a, b := split(was), split(now)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var d pieces
	d.add(Both, strings.Join(a[:head], ""))
	d.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	d.add(Both, strings.Join(a[len(a)-tail:], ""))
	return d.done()
}

// pieces collects pieces, removed ones before added ones.
type pieces struct {
	out            []Piece
	removed, added strings.Builder
}

func (d *pieces) add(k Kind, words ...string) {
	for _, w := range words {
		if w == "" {
			continue
		}
		switch k {
		case Removed:
			d.removed.WriteString(w)
		case Added:
			d.added.WriteString(w)
		default:
			d.flush()
			if n := len(d.out); n > 0 && d.out[n-1].Kind == Both {
				d.out[n-1].Text += w
			} else {
				d.out = append(d.out, Piece{Both, w})
			}
		}
	}
}

func (d *pieces) flush() {
	if d.removed.Len() > 0 {
		d.out = append(d.out, Piece{Removed, d.removed.String()})
		d.removed.Reset()
	}
	if d.added.Len() > 0 {
		d.out = append(d.out, Piece{Added, d.added.String()})
		d.added.Reset()
	}
}

func (d *pieces) done() []Piece {
	d.flush()
	return d.out
}

// middle compares words whose first and last ones differ.
func (d *pieces) middle(a, b []string) {
	if len(a)*len(b) > mostCells {
		d.add(Removed, a...)
		d.add(Added, b...)
		return
	}
	// common[i][j] is the length of the longest common subsequence of a[i:] and b[j:].
	width := len(b) + 1
	common := make([]int32, (len(a)+1)*width)
	for i, one := range slices.Backward(a) {
		for j, other := range slices.Backward(b) {
			if one == other {
				common[i*width+j] = common[(i+1)*width+j+1] + 1
			} else {
				common[i*width+j] = max(common[(i+1)*width+j], common[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			d.add(Both, a[i])
			i, j = i+1, j+1
		case common[(i+1)*width+j] >= common[i*width+j+1]:
			d.add(Removed, a[i])
			i++
		default:
			d.add(Added, b[j])
			j++
		}
	}
	d.add(Removed, a[i:]...)
	d.add(Added, b[j:]...)
}

// split cuts a text into words, spaces and other characters, without loss.
func split(text string) (words []string) {
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		switch {
		case end < 0:
			end = len(text)
		case end == 0:
			end = len(text)
			for i := range text {
				if i > 0 {
					end = i
					break
				}
			}
		}
		words = append(words, text[:end])
		text = text[end:]
	}
	return words
}
