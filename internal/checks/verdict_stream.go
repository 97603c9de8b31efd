package checks

// Streamer is a check that can tell from the beginning of a reply what no continuation will change.
type Streamer interface {
	Check
	// Stream starts on a new reply.
	Stream() Stream
}

// Stream follows one reply as it is written. It belongs to one goroutine. What all calls of Write take together grows
// with the length of the text, however the text is cut into pieces.
type Stream interface {
	// Write takes the next piece and returns the highest score that a reply which begins so can still get. A piece may
	// end within a character; what depends on the next character is decided when that is there.
	Write(piece string) float64
}

// Fallible is a Stream that may find itself unable to judge. Once Err is not nil, nothing it says counts.
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

// Follow starts on a new reply. It returns nil when the check, or its thresholds, need the whole of it.
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

// Err is why the check cannot judge what came; nil while it can.
func (f *Following) Err() error {
	if s, ok := f.stream.(Fallible); ok {
		return s.Err()
	}
	return nil
}

// Failed reports whether no continuation passes any more.
func (f *Following) Failed() bool { return f.best < f.need-slack }

// Best is the highest score that is still to be had.
func (f *Following) Best() float64 { return f.best }
