package term

import (
	"github.com/arena-evals/arena/internal/report/show"
	"github.com/arena-evals/arena/internal/result"
)

// judged adds the judging behind a verdict; with -v also the result of each round.
func (b *block) judged(p show.Problem) {
	for _, line := range p.JudgeLines() {
		for _, line := range show.Wrap(line, b.width-8, b.p.lines(2)) {
			b.add((&row{}).gap(8).add(dim, line))
		}
	}
	if b.p.opts.Verbosity == 0 {
		return
	}
	all := show.Questions(p.Verdict)
	for i := range all {
		for _, vote := range all[i].Votes {
			if len(all[i].Votes) > 1 || len(vote) > 1 {
				b.vote(vote)
			}
		}
	}
}

const roundWidth = 6 // vote 9, again, judge

// vote adds the rounds of a vote, one below the other.
func (b *block) vote(v show.Vote) {
	const quoted = 2000 // bytes of a reply; the transcript of -vv has all
	indent := 10 + roundWidth + 2
	for i := range v {
		for k, line := range show.Wrap(v.RoundText(i, quoted), b.width-indent, b.p.lines(1)) {
			r := (&row{}).gap(indent)
			if k == 0 {
				r = (&row{}).gap(10).cell(dim, v.RoundName(i), roundWidth).gap(2)
			}
			b.add(r.add(plain, line))
		}
	}
}

// judgingLines hands the questions to judges and their replies to say, for -vv. For -v it hands over the results only.
func judgingLines(verdicts []result.Verdict, verbosity int, say func(who, text string)) {
	for i := range verdicts {
		v := &verdicts[i]
		all := show.Questions(v)
		for k := range all {
			if verbosity < 2 {
				say("judge", show.Line(v.Name())+": "+summary(&all[k], v))
				continue
			}
			say("asked", show.Clean(all[k].System+"\n\n"+all[k].Prompt))
			for _, vote := range all[k].Votes {
				for n, j := range vote {
					if n > 0 {
						say("asked", show.Clean(j.Prompt))
					}
					say("judge", reply(j))
				}
			}
		}
	}
}

func summary(a *show.Question, v *result.Verdict) string {
	said := show.Line(v.Error)
	if said == "" {
		vote := a.Votes[0]
		said = vote.RoundText(len(vote)-1, 200)
	}
	if len(a.Votes) > 1 && v.Score != nil {
		said = show.Score(*v.Score) + "  " + show.Line(v.Explanation)
	}
	return said + "\n" + a.Line()
}

func reply(j *result.Judgement) string {
	if j.Reply == "" {
		return "no reply: " + show.Line(j.Error)
	}
	return show.Clean(j.Reply)
}
