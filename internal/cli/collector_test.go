package cli_test

import (
	"net/http"
	"os"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/arena-evals/arena/internal/report/otlptest"
)

type collectorKey struct{}

// cmdCollector is the command collector of scripts, an OpenTelemetry collector:
//
//	collector serve           starts it and sets COLLECTOR to its address
//	collector serve 503       the same, and it answers everything with this status
//	collector serve hang      the same, and it never answers
//	collector tree spans.txt  writes the spans that came, under each other
//	collector header Name     prints that header of the first request
//	collector count 3         expects so many requests so far
func cmdCollector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: collector serve [status | hang] | tree file | header name | count n")
	}
	held := ts.Value(collectorKey{}).(**otlptest.Collector)
	if args[0] == "serve" {
		over := make(chan struct{})
		c := otlptest.New(answerOf(ts, args[1:], over))
		*held = c
		ts.Defer(c.Close)
		ts.Defer(func() { close(over) }) // before Close waits for those that hang
		ts.Setenv("COLLECTOR", c.URL)
		return
	}
	c := *held
	if c == nil || len(args) != 2 {
		ts.Fatalf("collector serve comes first; then a command with one argument")
	}
	switch args[0] {
	case "tree":
		for _, problem := range c.Problems() {
			ts.Fatalf("the collector refused a request: %v", problem)
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(c.Tree()), 0o600))
	case "header":
		_, err := ts.Stdout().Write([]byte(c.Requests()[0].Header.Get(args[1]) + "\n"))
		ts.Check(err)
	case "count":
		want, err := strconv.Atoi(args[1])
		ts.Check(err)
		if got := len(c.Requests()); got != want {
			ts.Fatalf("%d requests came, want %d", got, want)
		}
	default:
		ts.Fatalf("unknown command collector %s", args[0])
	}
}

func answerOf(ts *testscript.TestScript, args []string, over <-chan struct{}) func(int, http.ResponseWriter, *http.Request) bool {
	if len(args) == 0 {
		return nil
	}
	if args[0] == "hang" {
		return func(int, http.ResponseWriter, *http.Request) bool {
			<-over
			return true
		}
	}
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	return func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(status)
		return true
	}
}
