package arena_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync/atomic"

	"github.com/arena-evals/arena"
)

// budget refuses calls of models beyond a number.
type budget struct {
	most int64
	used atomic.Int64
}

func (*budget) Name() string { return "budget" }

func (b *budget) BeforeCall(_ context.Context, req *arena.Request) error {
	if b.used.Add(1) > b.most {
		return fmt.Errorf("%d calls were made", b.most)
	}
	return nil
}

func (*budget) AfterCall(context.Context, *arena.Request, *arena.Reply) error { return nil }

func ExampleProviderHook() {
	res, err := arena.Run(context.Background(), arena.Options{
		Paths: []string{"testdata/facade/hello.yaml"}, Trials: 2, Jobs: 1,
		Hooks: []arena.ProviderHook{&budget{most: 1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range res.Trials {
		fmt.Printf("%s %q\n", t.Status, t.Error)
	}
	// Output:
	// passed ""
	// error "turn 1: hook budget refused the call: 1 calls were made"
}

// oneSentence closes the stream after the first sentence.
type oneSentence struct{}

func (oneSentence) Name() string { return "one sentence" }

func (oneSentence) BeforeCall(context.Context, *arena.Request) error { return nil }

func (oneSentence) AfterCall(context.Context, *arena.Request, *arena.Reply) error { return nil }

func (oneSentence) OnChunk(_ context.Context, _ *arena.Request, chunk arena.Chunk) error {
	if strings.Contains(chunk.SoFar, ".") {
		return arena.ErrStopStream
	}
	return nil
}

func ExampleChunkInterceptor() {
	res, err := arena.Run(context.Background(), arena.Options{
		Paths: []string{"testdata/facade/hello.yaml"},
		Hooks: []arena.ProviderHook{oneSentence{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(res.Trials[0].Turns[0].Assistant, "today?"))
	fmt.Println(res.Trials[0].Notices[0])
	// Output:
	// false
	// hook one sentence closed the stream of a reply
}

// noApologies judges a reply while it is written.
type noApologies struct{}

func (noApologies) Eval(_ context.Context, s *arena.Subject) (arena.Finding, error) {
	if strings.Contains(s.Reply, "sorry") {
		return arena.Fail("it apologises"), nil
	}
	return arena.Pass("no apology"), nil
}

func (noApologies) EvalPartial(text string) (best float64, err error) {
	if strings.Contains(text, "sorry") {
		return 0, nil // whatever follows
	}
	return 1, nil
}

func ExampleStreamChecker() {
	var check arena.StreamChecker = noApologies{}
	for _, text := range []string{"I am", "I am sor", "I am sorry, but"} {
		best, err := check.EvalPartial(text)
		fmt.Println(best, err)
	}
	// Output:
	// 1 <nil>
	// 1 <nil>
	// 0 <nil>
}

func ExampleJudge() {
	var judge arena.Judge = arena.JudgeFunc(
		func(_ context.Context, q *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
			reply := q.Text("reply")
			if reply == "" {
				return arena.JudgeAnswer{}, errors.New("there is no reply to judge")
			}
			if strings.Contains(reply, "please") {
				return arena.JudgeAnswer{Score: 1, Reasoning: "it says please"}, nil
			}
			return arena.JudgeAnswer{Score: 0.3, Reasoning: "it does not say please"}, nil
		})
	res, err := arena.Run(context.Background(), arena.Options{
		Paths: []string{"testdata/facade/polite.yaml"}, Judges: map[string]arena.Judge{"manners": judge},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Trials[0].Turns[0].Assertions[0].Explanation)
	// Output:
	// it does not say please
}
