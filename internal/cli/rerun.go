package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/selection"
)

// command is the command line of the user without filters, as far as it affects results.
func (f *runFlags) command() []string {
	words := slices.Clone(f.words)
	if f.words[1] != "eval" {
		words = append(words, f.paths...)
	}
	str := func(flag, value string) {
		if f.given.has(flag) {
			words = append(words, "--"+flag, value)
		}
	}
	on := func(flag string, value bool) {
		if value {
			words = append(words, "--"+flag)
		}
	}
	str("assert", strings.Join(f.asserts, ","))
	str("pack", strings.Join(f.packs, ","))
	on("skip-unreadable", f.skipUnreadable)
	str("config", f.config)
	on("mock-provider", f.mock)
	str("mock-config", f.mockConfig)
	str("judge", f.judge)
	if f.given.has("judge-gate") {
		words = append(words, "--judge-gate="+strconv.FormatBool(f.judgeGate))
	}
	str("temperature", strconv.FormatFloat(f.temperature, 'g', -1, 64))
	str("seed", strconv.FormatInt(f.seed, 10))
	str("max-tokens", strconv.Itoa(f.maxTokens))
	str("trials", strconv.Itoa(f.trials))
	str("pass-rate", strconv.FormatFloat(f.passRate, 'g', -1, 64))
	str("tolerance", strconv.FormatFloat(f.tolerance, 'g', -1, 64))
	str("confidence", strconv.FormatFloat(f.confidence, 'g', -1, 64))
	str("stop", f.stop)
	on("allow-undecided", f.allowUndecided)
	str("timeout", f.timeout.String())
	str("on-failure", f.onFailure)
	str("eval-groups", strings.Join(f.filter.Groups, ","))
	str("eval-types", strings.Join(f.filter.Types, ","))
	on("skip-evals", f.filter.Skip)
	str("fail-on", strings.Join(f.failOn, ","))
	on("strict", f.strict)
	on("lenient", f.lenient)
	on("allow-uncertain", f.allowUncertain)
	str("baseline", f.baseline)
	on("known-failures", f.knownFailures)
	on("offline", f.cassettes.offline)
	on("allow-private-urls", f.cassettes.private)
	on("no-traces", f.noTraces)
	on("no-chaos", f.noChaos)
	str("cache", f.cache)
	return words
}

// rerunner returns a function that makes the command to run the scenario and providers of some trials again, with the
// options of command. If these are not known, the command names the file of the trials.
func rerunner(command []string) func(...*result.Brief) string {
	return func(trials ...*result.Brief) string {
		b := trials[0]
		words := slices.Clone(command)
		if len(words) == 0 {
			words = []string{"arena", "run", b.File}
		}
		switch {
		case b.Recording == "":
			words = append(words, "--scenario", b.Scenario)
			words = distinct(words, "--provider", trials, func(b *result.Brief) string { return b.Provider })
			if b.Row != "" {
				words = distinct(words, "--rows", trials, func(b *result.Brief) string { return selection.RowWord(b.Row) })
			}
		case slices.Contains(words[:2], "eval"):
			words = append(words, b.Recording)
		default:
			words = append(words, "--eval", b.Scenario)
		}
		if slices.ContainsFunc(trials, func(b *result.Brief) bool { return b.Region != "default" }) {
			words = distinct(words, "--region", trials, func(b *result.Brief) string { return b.Region })
		}
		return quoted(words)
	}
}

// rejudging is the command that judges a finished run again, without agents.
func rejudging(folder string) string { return quoted([]string{"arena", "rejudge", folder}) }

// distinct adds a flag for each distinct value of the trials.
func distinct(words []string, flag string, trials []*result.Brief, value func(*result.Brief) string) []string {
	var seen []string
	for _, b := range trials {
		if v := value(b); !slices.Contains(seen, v) {
			seen = append(seen, v)
			words = append(words, flag, v)
		}
	}
	return words
}

const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:@%+=,"

// quoted joins words into a command for a shell.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = shellQuote(w)
	}
	return strings.Join(out, " ")
}

// shellQuote quotes a word for a POSIX shell. Text that cannot be shown gets the form $'\x1b'.
func shellQuote(w string) string {
	if w != "" && strings.Trim(w, shellSafe) == "" {
		return w
	}
	if show.Line(w) != w || show.BreakMarkers(w) != w {
		return "$'" + shellEscape(w) + "'"
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// shellEscape writes each byte that is not part of a plain character as \x and its number.
func shellEscape(w string) string {
	var b strings.Builder
	for i := 0; i < len(w); {
		c, n := utf8.DecodeRuneInString(w[i:])
		if plain := unicode.IsPrint(c) && !strings.ContainsRune(` '\#[`, c) && !(c == utf8.RuneError && n == 1); plain {
			b.WriteString(w[i : i+n])
		} else {
			for _, octet := range []byte(w[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, octet)
			}
		}
		i += n
	}
	return b.String()
}
