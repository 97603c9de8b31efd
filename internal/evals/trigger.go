// Package evals selects the evals of a prompt, and decides when in a conversation each of them runs. The runner runs
// their checks.
package evals

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/scenario"
)

// Phase is a point of a conversation at which evals fire.
type Phase uint8

// The phases, in the order in which a conversation meets them.
const (
	Never           Phase = iota
	AfterTurn             // the assistant has replied
	AfterStep             // the workflow has moved to another state
	SessionEnd            // the session is over
	ConversationEnd       // the conversation is over; sessions are parts of it
)

// PhaseOf returns the phase in which evals with a trigger run, before sampling.
func PhaseOf(trigger string) Phase {
	switch trigger {
	case scenario.TriggerEveryTurn, scenario.TriggerSampleTurns:
		return AfterTurn
	case scenario.TriggerWorkflowStep:
		return AfterStep
	case scenario.TriggerSessionComplete, scenario.TriggerSampleSessions:
		return SessionEnd
	case scenario.TriggerConversationComplete:
		return ConversationEnd
	}
	return Never
}

// Due reports whether an eval fires in a phase. Sampling depends on the session and the turn only, so that it is the
// same in every run and on every machine. Turns count from 0. At the end of a session the turn is ignored.
func Due(e *scenario.Eval, phase Phase, session string, turn int) bool {
	if !e.Enabled || PhaseOf(e.Trigger) != phase {
		return false
	}
	switch e.Trigger {
	case scenario.TriggerSampleTurns:
		return sampled(session, turn, e.SamplePct)
	case scenario.TriggerSampleSessions:
		return sampled(session, 0, e.SamplePct)
	}
	return true
}

// buckets is the resolution of sampling: hundredths of a percent.
const buckets = 10_000

// Bucket returns the bucket of a turn of a session, by the 64-bit FNV-1a hash of both.
func Bucket(session string, turn int) int {
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendInt([]byte(session), int64(turn), 10)) // never fails
	return int(h.Sum64() % buckets)
}

// SamplingID is the id for sampling a trial. It is the same for the first of several trials and for a single trial,
// whose id has no number.
func SamplingID(id string) string {
	if alone, first := strings.CutSuffix(id, "#1"); first {
		return alone
	}
	return strings.Replace(id, "#1[", "[", 1)
}

// sampled reports whether a turn belongs to the sample of a percentage of all turns.
func sampled(session string, turn int, percentage float64) bool {
	return Bucket(SamplingID(session), turn) < int(percentage*(buckets/100))
}
