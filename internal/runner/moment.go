package runner

// Moment is a point of a conversation at which something is judged. The zero value is every one, each in its time.
type Moment struct {
	turn int // from 1; -1: the end; below that a turn before the first, which is none
}

// AfterTurn is when a turn has ended, counted from 0.
func AfterTurn(i int) Moment {
	if i < 0 {
		return Moment{i - 1}
	}
	return Moment{i + 1}
}

// AtEnd is when the session and the conversation have ended.
func AtEnd() Moment { return Moment{-1} }

func (m Moment) after(turn int) bool { return m.turn == 0 || m.turn == turn+1 }
func (m Moment) end() bool           { return m.turn == 0 || m.turn == -1 }

// asked is the turn that a moment is after, counted from 0, which a conversation of so many turns may not have.
func (m Moment) asked(turns int) (turn int, there bool) {
	switch {
	case m.turn < -1:
		return m.turn + 1, false
	case m.turn > 0:
		return m.turn - 1, m.turn <= turns
	}
	return 0, true
}
