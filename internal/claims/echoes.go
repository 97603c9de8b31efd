package claims

import (
	"fmt"
	"strings"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

// echoes is an agent that is to say something else than its user. One that only says back what it was told passes
// checks of words that the user said, and all bans. An agent whose work is to change texts may leave one as it is, so
// that only one that never says anything else is told of.
type echoes struct {
	agent *scenario.Provider
	spoke bool // it said something of its own
	long  bool // it said back what nobody says by chance
	times int  // how often it said back what it was told
}

// longEcho is how many bytes of a reply are said back by no chance, as a greeting is.
const longEcho = 20

// ExpectWords expects that the agents among some providers say something else than what they are told. It may be called
// again for the same ones.
func (t *Tracker) ExpectWords(specs []*scenario.Provider) {
	for _, spec := range specs {
		if _, known := t.echoes[spec.ID]; spec.IsAgent() && !known {
			t.echoes[spec.ID] = &echoes{agent: spec}
			t.agents = append(t.agents, spec.ID)
		}
	}
}

// observeEchoes notes whether the agent of a trial said anything else than what it was told.
func (t *Tracker) observeEchoes(trial *result.Trial) {
	e := t.echoes[trial.Provider]
	if e == nil {
		return
	}
	for i := range trial.Turns {
		turn := &trial.Turns[i]
		asked := strings.Join(strings.Fields(turn.User), " ")
		for k := range turn.Messages {
			m := turn.Messages[k].Said()
			said := strings.Join(strings.Fields(m.Text()), " ")
			switch {
			case m.Role != chat.Assistant || said == "" && len(m.ToolCalls) == 0:
			case said != asked:
				e.spoke = true
			default:
				e.times, e.long = e.times+1, e.long || len(said) >= longEcho
			}
		}
	}
}

// claimEchoes claims that every agent said something else than what it was told.
func (t *Tracker) claimEchoes(claim Maker) {
	for _, id := range t.agents {
		e := t.echoes[id]
		claim("echo", e.agent.Pos, id).Settle(e.spoke, e.long || e.times > 1, diag.Diagnostic{
			Severity: diag.Warning, Pos: e.agent.Pos, Width: 1, Code: "only-echoes",
			Msg: fmt.Sprintf("the agent %s says back what the user said, word for word, in each of its replies: checks read "+
				"what the scenarios say", id),
			Hint: "see that the program or endpoint answers, and is not a stand-in for one",
		})
	}
}
