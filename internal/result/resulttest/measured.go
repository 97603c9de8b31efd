package resulttest

import (
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/result"
)

const packFile = "packs/support.json"

// Measured is a run with evals: most only measure, one has a threshold that a trial misses, one cannot judge, one is
// skipped, and one is an enemy.
func Measured() *result.Run {
	low := turn("Where is my lamp?", agentReply("It was sent on Monday and arrives on Wednesday."))
	low.Assertions = []result.Verdict{passed("contains", toneFile, 9, "1 of 1 patterns found")}
	missed := trial(toneFile, 4, "delivery", "gpt-4o-mini", low, turn("Thank you", agentReply("You are welcome.")))
	missed.Evals = append(evalsOf(0, 0.25), evalsOf(1, 0.75)...)
	missed.Evals = append(missed.Evals, thorough(result.Failed, 0.4))
	met := trial(toneFile, 4, "delivery", "claude-haiku",
		turn("Where is my lamp?", agentReply("On its way; expect it on Wednesday.")))
	met.Evals = append(evalsOf(0, 1), thorough(result.Passed, 0.8))
	return NewRun("support measured", missed, met)
}

// evalsOf are those of one turn.
func evalsOf(turn int, tone float64) []result.EvalResult {
	all := []result.EvalResult{
		eval("tone", "sentiment", 3, "friendly, and a bit short"), eval("greeting", "contains", 8, ""),
		eval("likeness", "cosine_similarity", 13, ""), eval(Poison, Poison, 18, Poison),
	}
	for i := range all {
		all[i].Turn = turn
	}
	all[0].Score, all[3].Score = &tone, new(1.0)
	all[1].Skipped, all[1].SkipReason = true, "no tool was called"
	all[2].Error = "no embedding provider is configured"
	all[3].Message, all[3].Details = Poison, jsonvalue.Object{Poison: Poison, "constructor": nil}
	return all
}

// thorough is an eval of the whole conversation with a threshold.
func thorough(status result.Status, score float64) result.EvalResult {
	e := eval("thorough", "llm_judge", 23, "Names the day, but neither carrier nor number.")
	e.Trigger, e.Turn, e.Status, e.Score, e.MinScore = "on_session_complete", -1, status, &score, new(0.5)
	e.Message = "answers the whole question"
	return e
}

func eval(id, typ string, line int32, explanation string) result.EvalResult {
	return result.EvalResult{
		ID: id, Type: typ, Trigger: "every_turn", Explanation: explanation,
		Position: diag.Pos{File: packFile, Line: line, Col: 7}, DurationMS: 0.2,
	}
}
