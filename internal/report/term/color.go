package term

import (
	"github.com/fatih/color"
)

// UseColor decides whether to write colour to a stream. env looks up environment variables. FORCE_COLOR comes first: 0
// and false switch colour off, any other value but the empty one switches it on. Then NO_COLOR (unless empty) and
// TERM=dumb switch it off. Without any of them terminals get colour.
func UseColor(env func(name string) string, isTTY bool) bool {
	switch force := env("FORCE_COLOR"); force {
	case "":
	case "0", "false":
		return false
	default:
		return true
	}
	return isTTY && env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// style is how a piece of a line looks. No meaning is in the style alone.
type style uint8

const (
	plain style = iota
	dim
	bold
	green
	red
	yellow
	styles
)

// painter adds the terminal sequences of a style to text.
type painter [styles]*color.Color

// newPainter enables or disables colour explicitly, so that the library's global state does not matter.
func newPainter(on bool) painter {
	p := painter{
		dim: color.New(color.Faint), bold: color.New(color.Bold),
		green: color.New(color.FgGreen), red: color.New(color.FgRed), yellow: color.New(color.FgYellow),
	}
	for _, c := range p {
		switch {
		case c == nil:
		case on:
			c.EnableColor()
		default:
			c.DisableColor()
		}
	}
	return p
}

func (p painter) paint(s string, as style) string {
	if c := p[as]; c != nil && s != "" {
		return c.Sprint(s)
	}
	return s
}
