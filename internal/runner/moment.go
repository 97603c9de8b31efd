package runner

// Moment is a point of a conversation at which checks run. The zero value is all points.
type Moment struct {
	turn int // from 1; -1: the end; less than -1: a negative turn, which no conversation has
}

// AfterTurn is the end of turn i, counted from 0.
func AfterTurn(i int) Moment {
	if i < 0 {
		return Moment{i - 1}
	}
	return Moment{i + 1}
}

// AtEnd is the end of the session and of the conversation.
func AtEnd() Moment { return Moment{-1} }

func (m Moment) after(turn int) bool { return m.turn == 0 || m.turn == turn+1 }
func (m Moment) end() bool           { return m.turn == 0 || m.turn == -1 }

// turnOf returns the turn of a moment, counted from 0, and whether a conversation of so many turns has it.
func (m Moment) turnOf(turns int) (turn int, there bool) {
	switch {
	case m.turn < -1:
		return m.turn + 1, false
	case m.turn > 0:
		return m.turn - 1, m.turn <= turns
	}
	return 0, true
}
