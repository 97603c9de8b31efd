package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

// flagGroup is a headed part of the flags that a help text lists.
type flagGroup struct {
	title string
	flags []string
}

// flagGroups order the flags of help texts, what is used most first. Flags that are in none of them, those of small
// commands, come before all others.
var flagGroups = []flagGroup{
	{"What is run", []string{
		"config", "scenario", "provider", "tag", "trials", "pass-rate", "tolerance", "confidence", "stop",
		"list", "estimate", "last-failed", "resume", "region",
		"rows", "sample", "shard", "shard-by",
		"eval",
	}},
	{"Model", []string{
		"mock-provider", "mock-config", "temperature", "seed", "max-tokens",
	}},
	{"How it is run", []string{
		"jobs", "fail-fast", "max-failures", "max-trials", "max-cost", "timeout", "retries", "on-failure", "cache", "offline",
		"no-traces",
		"no-chaos", "allow-private-urls", "eager",
	}},
	{"Verdict", []string{
		"strict", "fail-on", "baseline", "known-failures", "lenient", "allow-uncertain", "allow-undecided", "allow-empty",
		"exit-zero",
	}},
	{"Judges and evals", []string{
		"judge", "judge-gate", "assert", "pack", "skip-evals", "eval-groups", "eval-types",
	}},
	{"Recordings", []string{
		"only", "skip-unreadable",
		"record", "replay", "record-mode", "replay-missing", "replay-speed", "redact",
	}},
	{"Reports", []string{
		"out", "format", "junit-file", "html-file", "markdown-file", "junit-granularity", "keep",
	}},
	{"Screen", []string{
		"verbose", "quiet", "ci", "color", "help",
	}},
	{"Watching", []string{
		"events", "otlp-endpoint", "otlp-content", "metrics-file", "metrics-listen", "metrics-linger", "metrics-push",
		"metrics-label", "metrics-by", "metrics-namespace",
	}},
	{"Other machines", []string{
		"workers", "workers-timeout", "dispatch", "dispatch-wait", "dispatch-timeout", "stream", "nats-creds", "nats-ca",
		"nats-cert", "nats-key",
	}},
}

// fewFlags is up to how many flags a command needs no headings.
const fewFlags = 15

// flagUsages lists flags for a help text: below headings where there are many.
func flagUsages(all *pflag.FlagSet) string {
	if count(all) <= fewFlags {
		return "Flags:\n" + strings.TrimRight(all.FlagUsages(), "\n") + "\n"
	}
	ordered, headings := inGroups(all)
	var b strings.Builder
	for line := range strings.Lines(ordered.FlagUsages()) {
		if title := headings[flagOf(line)]; title != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(title + ":\n")
		}
		b.WriteString(line)
	}
	return b.String()
}

func count(fl *pflag.FlagSet) (n int) {
	fl.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			n++
		}
	})
	return n
}

// inGroups orders flags as their groups are. headings are those of the flags that begin one.
func inGroups(all *pflag.FlagSet) (ordered *pflag.FlagSet, headings map[string]string) {
	ordered, headings = pflag.NewFlagSet("", pflag.ContinueOnError), map[string]string{}
	ordered.SortFlags = false
	grouped := map[string]bool{}
	for _, g := range flagGroups {
		for _, name := range g.flags {
			grouped[name] = true
		}
	}
	first := "Flags"
	all.VisitAll(func(f *pflag.Flag) {
		if !grouped[f.Name] && !f.Hidden {
			ordered.AddFlag(f)
			if first != "" {
				headings[f.Name], first = first, ""
			}
		}
	})
	for _, g := range flagGroups {
		title := g.title
		for _, name := range g.flags {
			if f := all.Lookup(name); f != nil && !f.Hidden && ordered.Lookup(name) == nil {
				ordered.AddFlag(f)
				if title != "" {
					headings[name], title = title, ""
				}
			}
		}
	}
	return ordered, headings
}

// flagOf is the name of the flag that a line of a usage text begins to describe; "": it goes on with one.
func flagOf(line string) string {
	fields := strings.Fields(line)
	if len(fields) > 1 && len(fields[0]) == 3 && strings.HasSuffix(fields[0], ",") { // -c, --config
		fields = fields[1:]
	}
	if len(fields) == 0 || !strings.HasPrefix(line, "  ") {
		return ""
	}
	name, ok := strings.CutPrefix(fields[0], "--")
	if indent := len(line) - len(strings.TrimLeft(line, " ")); !ok || indent > len("      ") {
		return ""
	}
	return name
}
