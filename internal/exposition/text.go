package exposition

import (
	"bytes"
	"io"
	"strconv"
	"strings"
)

// ContentType is that of the text format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Text writes what was gathered in the text format.
func Text(w io.Writer, groups []Group) error {
	var b bytes.Buffer
	for i := range groups {
		g := &groups[i]
		b.WriteString("# HELP " + g.Name + " " + helpEscapes.Replace(validUTF8(g.Help)) + "\n")
		b.WriteString("# TYPE " + g.Name + " " + string(g.Type) + "\n")
		for _, s := range g.Samples {
			s.write(&b)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (s *Sample) write(b *bytes.Buffer) {
	b.WriteString(s.Name)
	for i, l := range s.Labels {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(l.Name + `="` + valueEscapes.Replace(l.Value) + `"`)
	}
	if len(s.Labels) > 0 {
		b.WriteByte('}')
	}
	b.WriteString(" " + number(s.Value) + "\n")
}

// helpEscapes and valueEscapes say what cannot stand in a help text and in the value of a label as it is.
var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	valueEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)

// number is the shortest text that is read as the same number.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
