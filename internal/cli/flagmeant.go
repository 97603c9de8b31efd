package cli

import "slices"

// flagsElsewhere maps our flags to their names in other tools. A name that only looks similar may mean something else:
// --repeat is not --replay.
var flagsElsewhere = map[string][]string{
	"retries":           {"retry", "max-retries", "attempts", "max-attempts"},
	"trials":            {"repeat", "repeats", "runs", "count", "iterations", "samples", "times", "num-trials", "n"},
	"jobs":              {"parallel", "threads", "max-concurrency", "num-workers", "parallelism"},
	"mock-provider":     {"mock", "mocks", "fake", "mocked"},
	"mock-config":       {"mock-file", "mock-replies", "mocks-file"},
	"out":               {"output-dir", "out-dir", "outdir", "results", "results-dir"},
	"provider":          {"model", "models", "llm", "target"},
	"config":            {"config-file", "config-path", "conf"},
	"scenario":          {"filter", "grep", "only", "test", "tests", "suite", "case", "cases", "pattern", "match"},
	"temperature":       {"temp"},
	"max-tokens":        {"max-output-tokens", "max-completion-tokens", "token-limit"},
	"format":            {"reporter", "reporters", "json", "report"},
	"junit-file":        {"junit", "junit-xml", "junitxml", "junit-output", "xml"},
	"markdown-file":     {"markdown", "md", "summary"},
	"html-file":         {"html-report", "report-file"},
	"fail-fast":         {"bail", "exitfirst", "stop-on-failure", "stop-on-first-failure"},
	"max-failures":      {"maxfail", "max-fail", "max-failed"},
	"max-cost":          {"budget", "max-budget", "cost-limit", "max-usd", "max-spend", "cost"},
	"timeout":           {"time-limit", "max-time", "deadline"},
	"record":            {"cassette", "cassettes", "vcr", "record-dir", "record-to", "capture"},
	"replay":            {"playback", "replay-from", "replay-dir"},
	"offline":           {"no-network", "offline-mode", "sandbox"},
	"cache":             {"cache-dir", "cache-path"},
	"quiet":             {"silent", "no-progress"},
	"verbose":           {"debug", "log-level", "verbosity", "trace"},
	"list":              {"dry", "plan", "collect-only", "list-tests"},
	"last-failed":       {"rerun", "failed", "lf", "only-failures", "retry-failed", "filter-failing"},
	"resume":            {"continue", "resume-from", "restart"},
	"judge":             {"grader", "judge-model", "evaluator", "grader-model"},
	"tag":               {"label", "labels", "group", "groups", "mark"},
	"metrics-push":      {"pushgateway"},
	"otlp-endpoint":     {"otel", "otlp", "otel-endpoint", "traces"},
	"exit-zero":         {"no-fail", "allow-failures", "soft-fail"},
	"assert":            {"assertions", "asserts", "checks"},
	"metrics-file":      {"metrics", "prometheus"},
	"estimate":          {"estimate-cost", "price"},
	"record-mode":       {"rerecord", "re-record"},
	"allow-empty":       {"pass-with-no-tests", "no-tests-ok"},
	"strict":            {"werror", "warnings-as-errors", "strict-mode"},
	"lenient":           {"ignore-unknown", "loose"},
	"region":            {"locale"},
	"seed":              {"random-seed", "rng-seed"},
	"sample":            {"sample-size", "subset"},
	"skip-evals":        {"no-evals"},
	"junit-granularity": {"granularity"},
}

// flagElsewhere returns our flag for a name in other tools. known: other tools use the name, though we may have no such
// flag. Then a similar name must not be suggested.
func flagElsewhere(name string, flags []string) (flag string, known bool) {
	for ours, theirs := range flagsElsewhere {
		if !slices.Contains(theirs, name) {
			continue
		}
		if slices.Contains(flags, ours) {
			return ours, true
		}
		return "", true
	}
	return "", false
}
