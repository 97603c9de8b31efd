package resulttest

import (
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
)

const capitalsFile = "scenarios/capitals.yaml"

// Rows is a run over the rows of two datasets. Of the first, two providers answer twelve rows: some fail, one breaks.
// The second has two trials a row, and a row with the id of an enemy.
func Rows() *result.Run {
	var trials []*result.Trial
	for _, provider := range []string{"gpt-4o-mini", "claude-haiku"} {
		for i := range 12 {
			trials = append(trials, capital(provider, i))
		}
	}
	for i, row := range []string{"steady", Poison} {
		for number := 1; number <= 2; number++ {
			t := rowOf("scenarios/tone.yaml", "tone", "gpt-4o-mini", row, i, i == 0 || number == 1, 0.9)
			t.Trial, t.Trials, t.ID = number, 2, fmt.Sprintf("tone/gpt-4o-mini/default#%d[%s]", number, row)
			trials = append(trials, t)
		}
	}
	return NewRun("capitals", trials...)
}

func capital(provider string, i int) *result.Trial {
	holds := i != 4 && (provider != "claude-haiku" || i%3 != 0)
	t := rowOf(capitalsFile, "capitals", provider, fmt.Sprintf("country-%d", i+1), i, holds, 0.7+float64(i%4)/10)
	if i == 7 && provider == "gpt-4o-mini" {
		t.Error, t.Turns[0].Error = "provider gpt-4o-mini: no reply in 60s (3 attempts)", "no reply in 60s"
		t.Turns[0].Assertions = []result.Verdict{
			broken("contains", capitalsFile, 9, "there is no reply to look at"),
			broken("llm_judge", capitalsFile, 12, "there is no reply to look at"),
		}
	}
	return t
}

// rowOf is the trial of a row, with a check that holds or not, and one with a score.
func rowOf(file, scenario, provider, row string, index int, holds bool, score float64) *result.Trial {
	u := turn(fmt.Sprintf("What is the capital of country %d?", index+1), agentReply("It is the one that you think of."))
	found := passed("contains", file, 9, "1 of 1 pattern found")
	if !holds {
		found = failed("contains", file, 9, 0, "0 of 1 pattern found")
	}
	u.Assertions = []result.Verdict{found, verdict(result.Passed, "llm_judge", file, 12, score, "Short and to the point.")}
	u.Assertions[1].MinScore = new(0.5)
	t := trial(file, 3, scenario, provider, u)
	t.ID += "[" + row + "]"
	at := diag.Pos{File: "data/" + scenario + ".csv", Line: int32(index + 2)}
	t.Row = &result.Row{ID: row, Number: index + 1, Position: at}
	t.DurationMS += 100 * float64(index)
	return t
}
