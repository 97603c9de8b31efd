package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// notGoneOnWith are the flags of the commands that judge which the command that goes on leaves out, with the reason.
var notGoneOnWith = map[string]string{
	"fail-fast": "has ended it", "max-failures": "has ended it", "list": "runs nothing",
	"ci": "screen", "quiet": "screen", "verbose": "screen", "color": "screen", "junit-granularity": "output",
	"events": "of one run", "metrics-file": "of one run", "metrics-push": "of one run", "metrics-listen": "of one run",
	"metrics-linger": "of one run", "metrics-label": "of one run", "metrics-by": "of one run",
	"metrics-namespace": "of one run", "otlp-endpoint": "of one run", "otlp-content": "of one run",
	"replay-speed": "changes no result", "transcript": "an argument",
}

// TestJudgementsGoOnAsTheyWere: the command that goes on with a judgement has every flag of it that decides what is
// judged, by whom, for how much and where it goes.
func TestJudgementsGoOnAsTheyWere(t *testing.T) {
	t.Parallel()
	eval, rejudge := &evalFlags{}, &rejudgeFlags{}
	for name, c := range map[string]struct {
		register func(*pflag.FlagSet)
		flags    *runFlags
		fresh    func() (func(*pflag.FlagSet), *runFlags)
	}{
		"eval": {eval.register, &eval.runFlags, func() (func(*pflag.FlagSet), *runFlags) {
			f := &evalFlags{}
			return f.register, &f.runFlags
		}},
		"rejudge": {rejudge.register, &rejudge.runFlags, func() (func(*pflag.FlagSet), *runFlags) {
			f := &rejudgeFlags{}
			return f.register, &f.runFlags
		}},
	} {
		all := pflag.NewFlagSet(name, pflag.ContinueOnError)
		c.register(all)
		all.VisitAll(func(fl *pflag.Flag) {
			words := []string{"--" + fl.Name + "=" + sample(fl)}
			switch fl.Name { // those that say nothing alone
			case "record-mode":
				words = append(words, "--record=tapes")
			case "replay-missing", "redact":
				words = append(words, "--replay=tapes")
			}
			register, f := c.fresh()
			set := pflag.NewFlagSet(name, pflag.ContinueOnError)
			register(set)
			if err := set.Parse(words); err != nil {
				t.Fatal(err)
			}
			f.given = givenFlags{}
			f.given.note(set, byUser)
			f.words = []string{"arena", name}
			goesOn := slices.ContainsFunc(f.resumeWords(), func(word string) bool {
				return word == "--"+fl.Name || word == words[0]
			})
			if goesOn == (notGoneOnWith[fl.Name] != "") {
				t.Errorf("%s --%s: in the command %v, and the reason to leave it out is %q", name, fl.Name, goesOn,
					notGoneOnWith[fl.Name])
			}
		})
	}
}

// TestRunsWithABrokerGoOnWithIt: the command that goes on names the broker, with all that it takes to reach it, and no
// password.
func TestRunsWithABrokerGoOnWithIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words, want string
		byVariable  []string
	}{
		{"", "", nil},
		{"--workers=nats://a:4222", "--workers nats://a:4222", nil},
		{"--workers=b", "--workers nats://b:4222", nil},
		{"--workers=nats://me:hunter2@a:4222,nats://b:4222", "--workers nats://a:4222,nats://b:4222", nil},
		{"--workers=nats://hunter2@a", "--workers nats://a:4222", nil},
		{"--workers=nats://a:4222", "--workers nats://a:4222", []string{"workers"}},
		{"--workers=nats://me:hunter2@a:4222 --stream=SHOP", "--stream SHOP", []string{"workers"}},
		{"--workers=tls://a:4222 --workers-timeout=3m --stream=SHOP --nats-creds=me.creds --nats-ca=ca.pem " +
			"--nats-cert=c.pem --nats-key=k.pem", "--workers tls://a:4222 --workers-timeout 3m0s --stream SHOP " +
			"--nats-creds me.creds --nats-ca ca.pem --nats-cert c.pem --nats-key k.pem", nil},
		{"--workers= --stream=SHOP", "", nil},
		{"--dispatch=nats://me:hunter2@a --dispatch-wait=5m --dispatch-timeout=9s",
			"--dispatch nats://a:4222 --dispatch-wait 5m0s --dispatch-timeout 9s", nil},
	} {
		f := asRun(t, strings.Fields(c.words)...)
		for _, flag := range c.byVariable {
			f.given[flag] = bySetting
		}
		want := strings.TrimSpace("arena run --resume " + c.want)
		if got := quoted(f.resumeWords()); got != want {
			t.Errorf("%s (%v)\ngoes on with %s\nwant         %s", c.words, c.byVariable, got, want)
		}
	}
}
