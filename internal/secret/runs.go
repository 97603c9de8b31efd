package secret

// runs skips places within long runs of backslashes and of white space. Each place is read to the end of its run, so a
// text of only such characters would take quadratic time.
type runs struct {
	set             *Set
	p               []byte
	slashes, blanks span
	seen            int // places of the white space
}

// span is a run that was met last.
type span struct{ from, end int }

const (
	// fully is how many places at the beginning of a run are looked at. At the first one the character before it may
	// be a letter; from the second on, they are all alike.
	fully = 2
	// deepest is how many backslashes are told apart. No writer nests deeper: each one doubles them.
	deepest = 1024
)

// passes reports whether nothing can begin at a place that does not begin at one before it.
func (r *runs) passes(i int) bool {
	if r.p[i] != '\\' {
		return false
	}
	if i >= r.slashes.end {
		r.slashes = span{i, pastSlashes(r.p, i)}
	}
	return i >= r.slashes.from+fully && !(r.set.slashed && r.slashes.end-i <= deepest)
}

// inBlanks reports whether no secret that begins with white space can begin at a place without beginning before it.
func (r *runs) inBlanks(i int) bool {
	if !r.set.blank {
		return false
	}
	if i >= r.blanks.end {
		r.blanks, r.seen = span{i, blanks(r.p, i, false)}, 0
	}
	r.seen++
	return r.seen > fully && i < r.blanks.end
}

// pastSlashes is where a run of backslashes ends.
func pastSlashes(p []byte, at int) int {
	for at < len(p) && p[at] == '\\' {
		at++
	}
	return at
}
