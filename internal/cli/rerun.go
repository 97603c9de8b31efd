package cli

import (
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/result"
)

// rerun returns the command that runs just one trial's scenario again: the user's own command line, with the filters
// narrowed.
func (f *runFlags) rerun(b *result.Brief) string {
	words := []string{"arena", "run"}
	words = append(words, f.paths...)
	str := func(flag, value string) {
		if f.set[flag] {
			words = append(words, "--"+flag, value)
		}
	}
	on := func(flag string) {
		if f.set[flag] {
			words = append(words, "--"+flag)
		}
	}
	str("config", f.config)
	on("mock-provider")
	str("mock-config", f.mockConfig)
	str("temperature", strconv.FormatFloat(f.temperature, 'g', -1, 64))
	str("seed", strconv.FormatInt(f.seed, 10))
	str("max-tokens", strconv.Itoa(f.maxTokens))
	str("trials", strconv.Itoa(f.trials))
	str("timeout", f.timeout.String())
	str("on-failure", f.onFailure)
	on("lenient")
	words = append(words, "--scenario", b.Scenario, "--provider", b.Provider)
	if b.Region != "default" {
		words = append(words, "--region", b.Region)
	}
	for i, w := range words {
		words[i] = shellQuote(w)
	}
	return strings.Join(words, " ")
}

const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,"

// shellQuote makes a word that a POSIX shell reads back as it is.
func shellQuote(w string) string {
	if w != "" && strings.Trim(w, shellSafe) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
