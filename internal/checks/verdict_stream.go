package checks

// Streamer is a check that can judge the beginning of a reply, when no continuation can change the outcome.
type Streamer interface {
	Check
	// Stream starts on a new reply.
	Stream() Stream
}

// Stream judges one reply while it is written. It belongs to one goroutine. The total time of all calls of Write is
// linear in the length of the text, whatever the pieces.
type Stream interface {
	// Write takes the next piece and returns the highest score that the reply can still get. A piece may end within a
	// character; the rest of the character comes with the next piece.
	Write(piece string) float64
}

// Fallible is a Stream that may be unable to judge. Once Err is not nil, its scores do not count.
type Fallible interface {
	Stream
	Err() error
}

// Following judges a reply while it is written, for a guardrail. It belongs to one goroutine.
type Following struct {
	stream Stream
	need   float64 // the lowest score that passes
	best   float64
}

// Follow starts on a new reply. It returns nil when the check or its thresholds need the whole reply.
func (c *Compiled) Follow() *Following {
	check, ok := c.Check.(Streamer)
	if !ok || c.session || c.When != nil || c.MaxScore != nil && c.MinScore == nil {
		return nil
	}
	need := 1.0
	if c.MinScore != nil {
		need = *c.MinScore
	}
	return &Following{stream: check.Stream(), need: need, best: 1}
}

// Write takes the next piece.
func (f *Following) Write(piece string) { f.best = f.stream.Write(piece) }

// Err returns why the check cannot judge the reply; nil while it can.
func (f *Following) Err() error {
	if s, ok := f.stream.(Fallible); ok {
		return s.Err()
	}
	return nil
}

// Failed reports whether no continuation can pass.
func (f *Following) Failed() bool { return f.best < f.need-slack }

// Best is the highest score that is still possible.
func (f *Following) Best() float64 { return f.best }
