package show

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/result"
)

// Question is one question to judges, with the votes on it. A combined check may ask several.
type Question struct {
	System, Prompt string
	Votes          []Vote
}

// Vote is the answer of one judge in one or more rounds, the last of which counts. An unreadable reply leads to another
// round.
type Vote []*result.Judgement

// Last is the round that counts.
func (v Vote) Last() *result.Judgement { return v[len(v)-1] }

// Score is the score of the vote as text, or "error" when its reply could not be read.
func (v Vote) Score() string {
	if s := v.Last().Score; s != nil {
		return Score(*s)
	}
	return "error"
}

// Questions groups the judgements of a verdict by question and vote, in the order in which they were recorded.
func Questions(v *result.Verdict) (all []Question) {
	for i := range v.Judgements {
		j := &v.Judgements[i]
		last := len(all) - 1
		switch {
		case last >= 0 && j.Repair:
			votes := all[last].Votes
			votes[len(votes)-1] = append(votes[len(votes)-1], j)
		case last >= 0 && j.Vote > 1 && all[last].Prompt == j.Prompt && all[last].System == j.System:
			all[last].Votes = append(all[last].Votes, Vote{j})
		default:
			all = append(all, Question{j.System, j.Prompt, []Vote{{j}}})
		}
	}
	return all
}

// Line names the votes, the judges and the cost: "votes 0.40 0.80 0.60 (one asked again) · careful (gpt-4o) · 4 calls ·
// 1,234 tokens · $0.0029".
func (a *Question) Line() string {
	var parts, judges []string
	var took result.SideCost
	var usd float64
	priced, again := true, 0
	for _, v := range a.Votes {
		if len(v) > 1 {
			again++
		}
		for _, j := range v {
			took.Calls++
			took.Usage = took.Usage.Add(j.Usage)
			priced = priced && (j.CostUSD != nil || j.Usage.Total() == 0)
			if j.CostUSD != nil {
				usd += *j.CostUSD
				took.SimulatedUSD += j.SimulatedUSD()
			}
			if who := JudgeLabel(j); !slices.Contains(judges, who) {
				judges = append(judges, who)
			}
		}
	}
	if priced {
		took.CostUSD = &usd
	}
	who := strings.Join(judges, ", ")
	switch {
	case len(a.Votes) > 1:
		parts = append(parts, a.voteScores(again), who)
	case again > 0:
		parts = append(parts, "judge "+who, "asked again")
	default:
		parts = append(parts, "judge "+who)
	}
	if took.Calls > 1 {
		parts = append(parts, Plural(took.Calls, "call"))
	}
	if took.Total() > 0 {
		parts = append(parts, TokensOf(&took), cost(took.CostUSD, took.SimulatedUSD))
	}
	return strings.Join(parts, " · ")
}

// voteScores lists the scores of several votes, and says how many judges were asked again.
func (a *Question) voteScores(again int) string {
	words := []string{"votes"}
	for _, v := range a.Votes {
		words = append(words, v.Score())
	}
	switch again {
	case 0:
	case 1:
		words = append(words, "(one asked again)")
	default:
		words = append(words, "("+Count(again)+" asked again)")
	}
	return strings.Join(words, " ")
}

// JudgeLabel names a judge, with its model in parentheses if the names differ.
func JudgeLabel(j *result.Judgement) string {
	name, model := cmp.Or(Line(j.Judge), Line(j.Provider)), Line(j.Model)
	switch {
	case name == "":
		return cmp.Or(model, Unknown)
	case model == "" || model == name:
		return name
	}
	return name + " (" + model + ")"
}

// RoundText is the result of a round in one line: its score and reasoning; or why there is no score, and at most quoted
// bytes of the reply.
func (v Vote) RoundText(round, quoted int) string {
	j := v[round]
	if j.Score != nil {
		return strings.TrimSuffix(Score(*j.Score)+"  "+Line(j.Reasoning), "  ")
	}
	text := "no score: " + cmp.Or(Line(j.Error), "no reason was given")
	if j.Reply != "" && !quotes(j.Error, j.Reply) {
		text += "; replied " + strconv.Quote(Clip(Line(j.Reply), quoted))
	}
	return text
}

// RoundName names a round: "vote 2", or "again" for one that repeats the round before.
func (v Vote) RoundName(round int) string {
	switch j := v[round]; {
	case round > 0:
		return "again"
	case j.Vote > 0:
		return fmt.Sprintf("vote %d", j.Vote)
	}
	return "judge"
}

// maxQuestions bounds the questions of one verdict that are listed.
const maxQuestions = 4

// JudgeLines describes the judging behind the verdict: a line for each question, and the replies that could not be
// read, unless the error quotes them. It is empty for a check that asks no model.
func (p Problem) JudgeLines() []string {
	var lines []string
	all := Questions(p.Verdict)
	for i := range all {
		if i == maxQuestions {
			return append(lines, "… and "+Plural(len(all)-i, "more question"))
		}
		lines = append(lines, all[i].Line())
		for _, v := range all[i].Votes {
			if j := v.Last(); j.Score == nil && j.Reply != "" && !quotes(p.Seen(), j.Reply) {
				lines = append(lines, "replied "+strconv.Quote(Clip(Line(j.Reply), maxSignature)))
			}
		}
	}
	return lines
}

// quotes reports whether a text holds the beginning of a reply, with whatever quoting.
func quotes(text, reply string) bool {
	const beginning = 60 // bytes
	start := lettersAndDigits(Head(reply, beginning))
	return start != "" && strings.Contains(lettersAndDigits(Head(text, 4*maxSignature)), start)
}

// unescaper drops the most frequent escapes of strconv.Quote.
var unescaper = strings.NewReplacer(`\n`, "", `\x1b`, "")

// lettersAndDigits drops white space, punctuation and escapes.
func lettersAndDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, unescaper.Replace(Clean(s)))
}

// cost is Spent with a label, for a line of its own.
func cost(usd *float64, simulated float64) string {
	if usd == nil {
		return "cost " + Unknown
	}
	return Spent(usd, simulated)
}
