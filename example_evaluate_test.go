package arena_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/arena-evals/arena"
)

func ExampleEvaluate() {
	got, err := arena.Evaluate(context.Background(), arena.EvaluatorOptions{
		Options: arena.Options{Paths: []string{"testdata/facade/tone.pack.json"}, EvalGroups: []string{"fast-running"}},
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

// A service keeps one evaluator, tells it of every turn, and serves what it measured to Prometheus.
func ExampleEvaluator() {
	evaluator, err := arena.NewEvaluator(arena.EvaluatorOptions{
		Options:   arena.Options{Paths: []string{"testdata/facade/tone.pack.json"}},
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
		Options: arena.Options{Paths: []string{"testdata/facade/tone.pack.json"}},
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
