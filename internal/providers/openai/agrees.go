package openai

import (
	"encoding/json"
	"strings"

	"github.com/arena-evals/arena/internal/providers"
)

// What a stream and the reply at its end may differ in.
const (
	otherText  = "the text that streamed is not that of the reply"
	otherCalls = "the calls that streamed are not those of the reply"
	otherArgs  = "the arguments that streamed are not those of the call"
)

// disagrees is the error of a stream that says a thing in two ways: nobody knows which one holds.
func (s *responseStream) disagrees(how string) error {
	return s.Fail(providers.BadReply, nil, "%s", how)
}

// argument takes a piece of the arguments of a call.
func (s *responseStream) argument(v *responseEvent) error {
	var piece string
	if len(v.Delta) > 0 {
		if err := s.Document(v.Delta, &piece); err != nil {
			return err
		}
	}
	s.keepArgs(v.Index, s.args[v.Index]+piece)
	return nil
}

// allArgs takes the arguments of a call as the server repeats them behind the pieces.
func (s *responseStream) allArgs(v *responseEvent) error {
	if v.Args == "" {
		return nil
	}
	err := s.sameArgs(v.Index, v.Args)
	s.keepArgs(v.Index, v.Args)
	return err
}

func (s *responseStream) keepArgs(index int, args string) {
	if s.args == nil {
		s.args = map[int]string{}
	}
	s.args[index] = args
}

// sameArgs compares the arguments of a call with what came of them before, if anything did.
func (s *responseStream) sameArgs(index int, args string) error {
	if before := s.args[index]; before != "" && before != args {
		return s.disagrees(otherArgs)
	}
	return nil
}

// agrees compares the items that streamed with those of the reply at the end. Servers may leave the reply empty: then
// it says nothing else. What it has of other kinds and did not stream is told of. Ids are not compared: some servers
// make up new ones.
func (s *responseStream) agrees(streamed []item) error {
	if len(s.last.Output) == 0 {
		return nil
	}
	whole := make([]item, len(s.last.Output))
	for i, raw := range s.last.Output {
		if err := s.Document(raw, &whole[i]); err != nil {
			return err
		}
		switch it := &whole[i]; it.Type {
		case "message":
			s.drop(it)
		case "function_call", "reasoning":
		default:
			s.Dropped(it.Type)
		}
	}
	inStream, atEnd := contentOf(streamed), contentOf(whole)
	switch {
	case inStream.text != atEnd.text:
		return s.disagrees(otherText)
	case inStream.calls != atEnd.calls:
		return s.disagrees(otherCalls)
	}
	return nil
}

// itemsContent is what items say and call, for comparing.
type itemsContent struct{ text, calls string }

// contentOf leaves out calls that are not finished: they may have streamed in part.
func contentOf(items []item) itemsContent {
	var text strings.Builder
	var calls [][2]string
	for i := range items {
		switch it := &items[i]; {
		case it.Type == "message":
			text.WriteString(apart(text.Len() > 0, it.text()))
		case it.Type == "function_call" && it.Status != unfinished:
			calls = append(calls, [2]string{it.Name, it.args()})
		}
	}
	list, _ := json.Marshal(calls) // texts
	return itemsContent{text.String(), string(list)}
}
