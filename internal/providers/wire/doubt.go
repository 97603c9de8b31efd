package wire

import "slices"

// Dropped tells of a part of the reply that nobody gets to see: its kind is none that arena knows.
func (c *Call) Dropped(kind string) { c.doubt("has a part that is left out (" + c.Excerpt(kind) + ")") }

// doubt adds to why the reply may not be all that the model said, or not what was counted.
func (c *Call) doubt(what string) {
	if !slices.Contains(c.doubts, what) {
		c.doubts = append(c.doubts, what)
	}
}

// goesOn tells of text, or a call, after the end of the reply.
func (c *Call) goesOn() { c.doubt("goes on after its end") }
