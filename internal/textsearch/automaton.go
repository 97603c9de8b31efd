package textsearch

// automaton finds many texts in one pass, with one step for each byte however many texts there are (Aho and Corasick,
// "Efficient string matching", 1975). It is immutable.
type automaton struct {
	class  [256]uint16 // of a byte; 0: it is in none of the texts
	width  int         // classes
	next   []int32     // state × width + class → state; 0 is the start
	length []int32     // state → bytes of the text that ends there; 0: none does
	suffix []int32     // state → the next one whose text ends at the same place; 0: none
}

// newAutomaton builds the automaton of some texts. Empty ones are found nowhere.
func newAutomaton(texts []string) *automaton {
	a := &automaton{}
	for _, text := range texts {
		for i := range len(text) {
			if c := &a.class[text[i]]; *c == 0 {
				a.width++
				*c = uint16(a.width)
			}
		}
	}
	a.width++
	a.grow()
	for _, text := range texts {
		a.insert(text)
	}
	a.link()
	return a
}

// grow adds a state and returns it.
func (a *automaton) grow() int32 {
	a.next = append(a.next, make([]int32, a.width)...)
	a.length, a.suffix = append(a.length, 0), append(a.suffix, 0)
	return int32(len(a.length) - 1)
}

func (a *automaton) insert(text string) {
	state := int32(0)
	for i := range len(text) {
		at := int(state)*a.width + int(a.class[text[i]])
		if a.next[at] == 0 {
			grown := a.grow()
			a.next[at] = grown
		}
		state = a.next[at]
	}
	a.length[state] = int32(len(text))
}

// link sets the transitions for bytes with which no text continues: to the state of the longest suffix that begins a
// text. States are processed by their distance from the start, so that shorter suffixes are complete.
func (a *automaton) link() {
	back := make([]int32, len(a.length)) // state → that of its longest end
	queue := make([]int32, 0, len(a.length))
	for class := range a.width {
		if s := a.next[class]; s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		end := back[state]
		a.suffix[state] = end
		if a.length[end] == 0 {
			a.suffix[state] = a.suffix[end]
		}
		for class := range a.width {
			at := int(state)*a.width + class
			other := a.next[int(end)*a.width+class]
			if s := a.next[at]; s != 0 {
				back[s] = other
				queue = append(queue, s)
				continue
			}
			a.next[at] = other
		}
	}
}

// step reads a byte.
func (a *automaton) step(state int32, b byte) int32 {
	return a.next[int(state)*a.width+int(a.class[b])]
}

// longest is the state of the longest text that ends at a state; 0: none.
func (a *automaton) longest(state int32) int32 {
	if a.length[state] > 0 {
		return state
	}
	return a.suffix[state]
}
