package runner

// Moment is a point of a conversation at which something is judged. The zero value is every one, each in its time.
type Moment struct {
	turn int // from 1; -1: the end
}

// AfterTurn is when a turn has ended, counted from 0.
func AfterTurn(i int) Moment { return Moment{i + 1} }

// AtEnd is when the session and the conversation have ended.
func AtEnd() Moment { return Moment{-1} }

func (m Moment) after(turn int) bool { return m.turn == 0 || m.turn == turn+1 }
func (m Moment) end() bool           { return m.turn <= 0 }
