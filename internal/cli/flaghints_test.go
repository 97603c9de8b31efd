package cli_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/cli"
)

// What other tools call flags and commands, and arena does not have, is told with what to do here.
func TestWordsOfOtherTools(t *testing.T) {
	t.Parallel()
	for line, says := range map[string]string{
		"run -k refund":          "that is --scenario here",
		"run -n 4":               "that is --trials here",
		"run --no-color":         "write --color never",
		"run --var a=b":          "variables: {NAME: …} in a scenario",
		"run --exclude slow":     "name those that are to run",
		"run --output x.xml":     "--junit-file",
		"run --retries":          "it takes a whole number",
		"validate --provider x":  "that is a flag of arena",
		"serve":                  "there is no server",
		"view":                   `did you mean "arena report"?`,
		"login":                  "there is no account",
		"estimate":               "arena run --estimate",
		"init shop.yaml":         "arena init shop",
		"list flaghints_test.go": "arena list scenarios flaghints_test.go",
	} {
		var errs bytes.Buffer
		status := cli.Main(&cli.App{
			Args: strings.Fields(line), Out: &bytes.Buffer{}, Err: &errs, In: strings.NewReader(""), Env: map[string]string{},
			Width: func() int { return 80 },
		})
		if status != 2 || !strings.Contains(errs.String(), says) {
			t.Errorf("arena %s: status %d, %s", line, status, errs.String())
		}
	}
}
