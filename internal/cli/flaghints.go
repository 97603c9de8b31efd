package cli

import "slices"

// flagHints are what to do in place of a flag of other tools that arena has under no name.
var flagHints = []struct {
	names []string
	hint  string
}{
	{[]string{"var", "vars", "variable", "variables", "set", "param", "params", "input"},
		"values stand in files: variables: {NAME: …} in a scenario, vars: {NAME: …} in prompt_configs, or a dataset"},
	{[]string{"exclude", "ignore", "skip", "deselect", "invert", "filter-out", "not"},
		"name those that are to run: --scenario 'a*,b' or --tag; skip: REASON in a scenario leaves it out"},
	{[]string{"prompt", "prompts", "system", "system-prompt"},
		"a prompt is a file that the config names below prompt_configs"},
	{[]string{"watch"}, "arena runs once; --last-failed runs only what failed before"},
	{[]string{"env", "env-file", "dotenv"}, "variables stand in .env beside the config, or are set in the shell"},
	{[]string{"no-cache"}, "nothing is cached without --cache"},
	{[]string{"limit", "head", "max-examples", "max-samples"},
		"--scenario and --rows pick what is run, and --trials 1 runs it once"},
	{[]string{"delay", "rpm", "rps", "rate-limit", "throttle"},
		"write rate_limit: {rps: 1} into the file of the provider"},
	{[]string{"share", "remote", "upload", "update", "publish", "login"},
		"nothing is sent anywhere: out/report.html is one file that can be passed on"},
	{[]string{"no-color", "no-colour", "nocolor", "plain"}, "write --color never"},
	{[]string{"api-key", "apikey", "key", "token", "openai-api-key"},
		"keys come from the environment or .env, such as OPENAI_API_KEY"},
	{[]string{"base-url", "endpoint", "url", "host", "api-base"}, "base_url stands in the file of the provider"},
	{[]string{"threshold", "min-score", "score"}, "min_score stands beside the type of a check; --pass-rate is for " +
		"repeated trials"},
	{[]string{"write", "fix", "force", "yes", "interactive"}, "there is no such flag, and nothing is asked"},
	{[]string{"dataset", "data", "data-file", "csv"}, "rows stand in a file that the scenario names: dataset: rows.csv"},
	{[]string{"judges", "metric", "scorer", "scorers"}, "checks and judges stand in the files; --judge NAME takes " +
		"another judge"},
	{[]string{"output", "output-path"},
		"that is --out here, a folder; one file is written by --junit-file, --html-file or --markdown-file"},
}

// shortHints are the flags for which other tools have a single letter.
var shortHints = map[string]string{
	"k": "scenario", "g": "scenario", "n": "trials", "r": "trials", "x": "fail-fast", "m": "provider", "p": "provider",
	"w": "jobs", "f": "config", "t": "tag", "d": "config", "l": "list", "y": "list",
}

// flagHint is what to do in place of a flag that there is not; "" where nobody knows.
func flagHint(name string) string {
	for _, h := range flagHints {
		if slices.Contains(h.names, name) {
			return h.hint
		}
	}
	return ""
}
