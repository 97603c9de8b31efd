package providertest

import (
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/providers"
)

// spentUsage is a usage with unique numbers.
var spentUsage = chat.Usage{InputTokens: 5003, OutputTokens: 2002}

const spentText = "It shipped on Monday, it travels by rail, and it will be there soon."

// spentCase is something wrong with a reply for which the server has counted.
type spentCase struct {
	name      string
	alter     func(body string) string
	short     int // bytes that are not sent
	estimated bool
}

// overloaded is the end of an object that is an error as well.
const overloaded = `,"error":{"message":"overloaded"}}`

func within(text, old, with string) string { return strings.ReplaceAll(text, old, with) }

func upTo(text, end string) string {
	before, _, _ := strings.Cut(text, end)
	return before
}

var spentWhole = []spentCase{
	{"cut before its last byte", func(b string) string { return b[:len(b)-1] }, 1, false},
	{"half of the text came", func(b string) string { return upTo(b, "rail") }, 100, true},
	{"in order, and half of it", func(b string) string { return upTo(b, "rail") }, 0, true},
	{"something behind it", func(b string) string { return b + "</html>" }, 0, false},
	{"an error beside the usage", func(b string) string { return b[:len(b)-1] + overloaded }, 0, false},
	{"a part of a token", func(b string) string { return within(within(b, "5003", "5003.0"), "2002", "2001.5") }, 0, true},
	{"numbers as text", func(b string) string { return within(within(b, "5003", `"5003"`), "2002", `"2002"`) }, 0, false},
	{"a field of another type", func(b string) string { return within(b, `"served"`, "[7]") }, 0, false},
}

var spentStreams = []spentCase{
	{"an error beside the usage", func(b string) string {
		at := strings.LastIndex(b, "2002")
		at += strings.Index(b[at:], "}\n\n")
		return b[:at] + overloaded + b[at+1:]
	}, 0, false},
	{"a part of a token", func(b string) string { return within(b, "2002", "2001.5") }, 0, true},
	{"numbers as text", func(b string) string { return within(b, "2002", `"2002"`) }, 0, false},
}

// spent tests that a failed call has the server's counts, or else an estimate, and that a complete reply stays valid if
// the connection is lost.
func (d Dialect) spent(t *testing.T, stream bool) {
	if d.API == nil || d.API.Frame != nil {
		return
	}
	cases := spentWhole
	if stream {
		cases = spentStreams
	}
	script := Script{Text: spentText, Usage: spentUsage}
	for _, c := range cases {
		t.Run("what was spent: "+c.name, func(t *testing.T) {
			t.Parallel()
			script := script
			script.Alter, script.Short = c.alter, c.short
			reply, err := d.Open(t, script).Complete(t.Context(), Request(stream), nil)
			if err == nil {
				t.Fatalf("no error: %+v", reply)
			}
			got, _ := providers.Spent(err)
			want := spentUsage
			want.Estimated = got.Estimated
			switch counted := got == want; {
			case c.estimated && (!got.Estimated || got.InputTokens == 0 || got.OutputTokens == 0),
				!c.estimated && (!counted || got.Estimated):
				t.Errorf("%v: counted %+v of %+v, estimated: %t", err, got, spentUsage, c.estimated)
			}
		})
	}
	if !stream {
		return
	}
	t.Run("reset when it is whole", func(t *testing.T) {
		t.Parallel()
		script := script
		script.Reset, script.Alter = true, func(b string) string {
			end := strings.LastIndex(b, "2002")
			return b[:end+strings.Index(b[end:], "\n\n")+2]
		}
		reply, err := d.Open(t, script).Complete(t.Context(), Request(true), nil)
		if err != nil || reply.Content != spentText || reply.FinishReason != "stop" || reply.Usage != spentUsage {
			t.Errorf("got %+v, %v", reply, err)
		}
	})
}
