package arena_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/arena-evals/arena"
)

func Example() {
	res, err := arena.Run(context.Background(), arena.Options{Paths: []string{"testdata/facade/hello.yaml"}})
	if err != nil {
		log.Fatal(err) // every mistake in the files, with its line
	}
	for _, t := range res.Trials {
		fmt.Println(t.ID, t.Status)
	}
	fmt.Println("exit code", res.ExitCode)
	// Output:
	// hello/mock/default passed
	// exit code 0
}

func ExampleRun() {
	res, err := arena.Run(context.Background(), arena.Options{
		Paths: []string{"testdata/facade/polite.yaml"},
		Judges: map[string]arena.Judge{"strict": arena.JudgeFunc(
			func(context.Context, *arena.JudgeQuestion) (arena.JudgeAnswer, error) {
				return arena.JudgeAnswer{Score: 0.2, Reasoning: "it is curt"}, nil
			})},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Status)
	fmt.Println(res.Trials[0].Turns[0].Assertions[0].Explanation)
	// Output:
	// failed
	// it is curt
}

// Scenarios that a program makes need no files: they are told as texts with names, in YAML or JSON.
func ExampleOptions_files() {
	files := map[string][]byte{}
	for _, article := range []string{"teapot", "kettle"} {
		scenario, err := json.Marshal(map[string]any{
			"id": "price-of-" + article,
			"turns": []any{map[string]any{
				"role": "user", "content": "What is the price of the " + article + "?", "mock": "It is 49 EUR.",
				"assertions": []any{map[string]any{"type": "contains", "params": map[string]any{"patterns": []string{"EUR"}}}},
			}},
		})
		if err != nil {
			log.Fatal(err)
		}
		files[article+".json"] = scenario
	}
	res, err := arena.Run(context.Background(), arena.Options{Files: files, Mock: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range res.Trials {
		fmt.Println(t.ID, t.Status)
	}
	// Output:
	// price-of-kettle/mock/default passed
	// price-of-teapot/mock/default passed
}

func ExampleLoad() {
	suite, err := arena.Load(arena.Options{Paths: []string{"testdata/facade/hello.yaml"}, Trials: 3})
	if err != nil {
		log.Fatal(err)
	}
	defer suite.Close()
	for _, t := range suite.Trials() {
		fmt.Println(t.ID)
	}
	res, err := suite.Run(context.Background(), "hello/mock/default#2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(res.Trials), res.Status)
	// Output:
	// hello/mock/default#1
	// hello/mock/default#2
	// hello/mock/default#3
	// 1 passed
}

// The parameters of a check are the fields of a struct. What a file gives is held against them while it is loaded.
func ExampleRegister() {
	type params struct {
		Words []string `param:"words,required" doc:"Any of these will do."`
		Least int      `param:"least" default:"1" min:"1" doc:"How many must be there."`
	}
	var registry arena.Registry
	info := arena.CheckInfo{Name: "greets", Summary: "The reply greets."}
	err := arena.Register(&registry, info, func(p params) (arena.Check, error) {
		return arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
			found := 0
			for _, word := range p.Words {
				found += strings.Count(s.Reply, word)
			}
			if found < p.Least {
				return arena.Fail("no greeting"), nil
			}
			return arena.Pass("a greeting"), nil
		}), nil
	})
	fmt.Println(err)

	// A name that is taken is refused.
	info.Name = "contains"
	fmt.Println(arena.Register(&registry, info, func(params) (arena.Check, error) { return nil, nil }))
	// Output:
	// <nil>
	// arena: check "contains": the name "contains" is taken: it is a check of arena; choose another one
}

func ExampleCheckFunc() {
	check := arena.CheckFunc(func(_ context.Context, s *arena.Subject) (arena.Finding, error) {
		if len(s.Tools) == 0 {
			return arena.Finding{}, fmt.Errorf("no tool was called: %w", arena.ErrNotApplicable)
		}
		return arena.Finding{Score: 1 / float64(len(s.Tools)), Explanation: "the fewer the better"}, nil
	})
	f, err := check.Eval(context.Background(), &arena.Subject{Tools: make([]arena.ToolUse, 2)})
	fmt.Println(f.Score, err)
	_, err = check.Eval(context.Background(), &arena.Subject{})
	fmt.Println(errors.Is(err, arena.ErrNotApplicable))
	// Output:
	// 0.5 <nil>
	// true
}

// A value that cannot be meant is shown with its place in the file.
func ExampleParamError() {
	type params struct {
		Zone string `param:"zone" default:"UTC"`
	}
	var registry arena.Registry
	info := arena.CheckInfo{Name: "on_time", Summary: "The reply names a time."}
	err := arena.Register(&registry, info, func(p params) (arena.Check, error) {
		if _, err := time.LoadLocation(p.Zone); err != nil {
			return nil, &arena.ParamError{Param: "zone", Err: err}
		}
		return arena.CheckFunc(func(context.Context, *arena.Subject) (arena.Finding, error) {
			return arena.Pass(""), nil
		}), nil
	})
	fmt.Println(err)
	// Output:
	// <nil>
}

func ExampleTrial_Failure() {
	res, err := arena.Run(context.Background(), arena.Options{
		Paths: []string{"testdata/facade/hello.yaml"},
		Hooks: []arena.ProviderHook{whisper{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.ToSlash(res.Trials[0].Failure()))
	// Output:
	// turn 1
	//   user: Hello
	//   agent: Hm.
	// testdata/facade/hello.yaml:9: turn 1: contains
	//     0 of 1 pattern found: missing "morning"
}

// whisper changes every reply.
type whisper struct{}

func (whisper) Name() string { return "whisper" }

func (whisper) BeforeCall(context.Context, *arena.Request) error { return nil }

func (whisper) AfterCall(_ context.Context, _ *arena.Request, reply *arena.Reply) error {
	reply.Text = "Hm."
	return nil
}

func ExampleOptions_events() {
	_, err := arena.Run(context.Background(), arena.Options{
		Paths: []string{"testdata/facade/hello.yaml"},
		OnEvent: func(e arena.Event) {
			switch e.Kind {
			case arena.EventVerdict:
				fmt.Println("turn", e.Turn, "is judged")
			case arena.EventTrialCompleted:
				fmt.Println(e.Done.ID, e.Done.Status)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// turn 0 is judged
	// hello/mock/default passed
}

func ExampleEvaluate() {
	got, err := arena.Evaluate(context.Background(), arena.EvaluatorOptions{
		Paths: []string{"testdata/facade/tone.pack.json"}, EvalGroups: []string{"fast-running"},
	}, arena.Conversation{Session: "7f3a", Messages: []arena.Message{
		{Role: arena.User, Text: "Where is my teapot?"},
		{Role: arena.Assistant, Text: "It comes tomorrow, thank you for waiting."},
	}})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range got.Evals {
		fmt.Println(e.ID, *e.Score)
	}
	fmt.Println(got.Status)
	// Output:
	// thanks 1
	// brief 1
	// passed
}

// A composition answered, and evals look at what its steps gave.
func ExampleEvaluate_steps() {
	got, err := arena.Evaluate(context.Background(), arena.EvaluatorOptions{
		Paths: []string{"testdata/facade/composed.yaml"},
	}, arena.Conversation{
		Messages: []arena.Message{
			{Role: arena.User, Text: "Where is my money?"}, {Role: arena.Assistant, Text: "Paid."},
		},
		Steps: map[int]arena.Composed{0: {Name: "two", Steps: []arena.Step{
			{ID: "kind", Kind: "prompt", Attempts: 1, Output: map[string]any{"of": "money"}},
			{ID: "answer", Kind: "prompt", Attempts: 1, Output: "Paid."},
		}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Evals[0].ID, *got.Evals[0].Score)
	// Output: kind 1
}

// A service keeps one evaluator, tells it of every turn, and serves what it measured to Prometheus.
func ExampleEvaluator() {
	evaluator, err := arena.NewEvaluator(arena.EvaluatorOptions{
		Paths:     []string{"testdata/facade/tone.pack.json"},
		Namespace: "shop",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer evaluator.Close()

	talk := []arena.Message{{Role: arena.User, Text: "Hello"}, {Role: arena.Assistant, Text: "What?"}}
	got, err := evaluator.Evaluate(context.Background(), arena.Conversation{
		Session: "7f3a", Messages: talk, At: arena.AfterTurn(0),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Evals[0].ID, got.Evals[0].Explanation)

	page := httptest.NewRecorder()
	evaluator.Metrics().ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for line := range strings.Lines(page.Body.String()) {
		if strings.HasPrefix(line, "shop_eval_thanks") {
			fmt.Print(line)
		}
	}
	// Output:
	// thanks 0 of 1 pattern found: missing "thank you"
	// shop_eval_thanks 0
}

func ExampleAtEnd() {
	got, err := arena.Evaluate(context.Background(), arena.EvaluatorOptions{
		Paths: []string{"testdata/facade/tone.pack.json"},
	}, arena.Conversation{At: arena.AtEnd(), Messages: []arena.Message{
		{Role: arena.User, Text: "Hello"}, {Role: arena.Assistant, Text: strings.Repeat("very ", 40)},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(got.Evals[0].ID, got.Evals[0].Status, got.Status)
	// Output:
	// brief failed failed
}

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
