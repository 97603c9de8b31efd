package window

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// items reads a conversation: s, u, a and r are messages of the system, of the user, of the assistant and of a tool, of
// as many tokens as the digit behind them says.
func items(text string) (list []Item) {
	kinds := map[byte]Kind{'s': System, 'u': User, 'a': Other, 'r': Result}
	for i := 0; i+1 < len(text); i += 2 {
		list = append(list, Item{Tokens: int(text[i+1] - '0'), Kind: kinds[text[i]]})
	}
	return list
}

func TestOldest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		room int
		want int
	}{
		{"s9u1a1u1", 3, 1},
		{"s9u1a1u1", 2, 3},         // the reply alone would come first
		{"u1a1r1a1u1a1u1", 3, 4},   // a call and its result go together with the question
		{"u1a1r1a1u1a1u1", 7, 0},   // all
		{"u1a1u9a1r1", 3, 2},       // what is newest does not fit and is sent all the same
		{"u1a1s9u1a1s9u1", 3, 3},   // other system prompts do not count
		{"u9a1u1a1u1", 8, 2},       // an early one that is large ends it
		{"u1a9u1", 5, 2},           // and so does a reply
		{"a1a1", 1, 0},             // nobody asked
		{"u1a1r1u1", 1, 3},         //
		{"s1u1s1a1r1s1a1u1", 9, 1}, //
	} {
		if got := Oldest(items(c.text), c.room); got != c.want {
			t.Errorf("Oldest(%s, %d) = %d, want %d", c.text, c.room, got, c.want)
		}
	}
}

func TestRelevant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		text  string
		alike []float64
		room  int
		last  int
		least float64
		want  []Span
	}{
		{"the similar one stays", "s9u1a1u1a1u1a1u1", []float64{0, .1, .1, .9, .8, .1, .1, 0}, 3, 1, 0,
			[]Span{{3, 5}, {7, 8}}},
		{"the last ones come first", "u1a1u1a1u1", []float64{.9, .9, 0, 0, 0}, 3, 3, 0, []Span{{2, 4}, {4, 5}}},
		{"of the last ones the newest that fit", "u1a1u1a1u1", []float64{0, 0, 0, 0, 0}, 2, 5, 0, []Span{{4, 5}}},
		{"less similar than it must be", "u1a1u1a1u1", []float64{.5, .5, .2, .2, 0}, 9, 1, .4, []Span{{0, 2}, {4, 5}}},
		{"results go with their call", "u1a1r5a1u1a1u1", []float64{.2, 0, .9, .1, .3, .3, 0}, 9, 1, .25,
			[]Span{{4, 6}, {6, 7}}}, // the call that is alike would come first
		{"with its question", "u1a1r5a1u1a1u1", []float64{.6, 0, .9, .1, 0, 0, 0}, 8, 1, .25, []Span{{0, 3}, {6, 7}}},
		{"of equal ones the newer", "u1u1u1u1", []float64{.5, .5, .5, 0}, 2, 1, 0, []Span{{2, 3}, {3, 4}}},
		{"everything behind the newest", "u1a1u5a5r5", []float64{1, 1, 0, 0, 0}, 3, 1, 0, []Span{{2, 5}}},
	} {
		got := Relevant(items(c.text), c.alike, c.room, c.last, c.least)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestWithout(t *testing.T) {
	t.Parallel()
	got := Without(items("s9u1a2u3a4s9u5a6u7"), []Span{{3, 4}, {6, 9}})
	if want := (Left{Messages: 3, Tokens: 7, Since: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := Without(items("u1a1"), []Span{{0, 2}}); got != (Left{Counted: true}) {
		t.Errorf("nothing is left out: %+v", got)
	}
}

// FuzzCut holds each strategy to what all of them promise.
func FuzzCut(f *testing.F) {
	f.Add([]byte("\x00\x11\x22\x13\x01"), uint16(20), uint8(3), uint8(0))
	f.Add([]byte("\x41\x42\x43\x41\x02\x43\x43\x41"), uint16(3), uint8(0), uint8(100))
	f.Fuzz(func(t *testing.T, data []byte, room uint16, last, least uint8) {
		list := make([]Item, len(data))
		alike := make([]float64, len(data))
		for i, b := range data {
			list[i] = Item{Tokens: int(b>>2&15) + 1, Kind: Kind(b & 3)}
			alike[i] = float64(b)/128 - 1
		}
		newest, needs := Newest(list)
		spans := map[string][]Span{
			"oldest":    {{Oldest(list, int(room)), len(list)}},
			"relevance": Relevant(list, alike, int(room), int(last), float64(least)/255),
		}
		for name, sent := range spans {
			size, end, first := 0, 0, true
			inside := make([]bool, len(list))
			for _, s := range sent {
				if s.From < end || s.To < s.From || s.To > len(list) {
					t.Fatalf("%s: %v is out of order", name, sent)
				}
				end = s.To
				for i := s.From; i < s.To; i++ {
					inside[i] = true
					if list[i].Kind == System {
						continue
					}
					if first && list[i].Kind != User && newest > 0 {
						t.Fatalf("%s: %v begins with a message that is not the user's", name, sent)
					}
					first = false
					size += list[i].Tokens
				}
			}
			if size > max(int(room), needs) {
				t.Fatalf("%s: %d tokens are sent, of %d", name, size, room)
			}
			for i := range list {
				switch {
				case i >= newest && !inside[i]:
					t.Fatalf("%s: %v lacks what follows the newest message of the user", name, sent)
				case list[i].Kind == Result && i > 0 && list[i-1].Kind != System && inside[i] != inside[i-1]:
					t.Fatalf("%s: %v parts a call from its result", name, sent)
				}
			}
			if left := Without(list, sent); left.Tokens+size != Size(list) {
				t.Fatalf("%s: %d sent and %d left out are not %d", name, size, left.Tokens, Size(list))
			}
		}
	})
}
