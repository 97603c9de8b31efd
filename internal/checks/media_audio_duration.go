package checks

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/arena-evals/arena/internal/say"
)

var audioDurationDef = define[audioDurationParams](Def{
	Name:     "audio_duration",
	Summary:  "Every sound of the reply and of tool results lasts as long as it should.",
	Scoring:  "1 when there are sounds, the duration of all is known and fits, else 0.",
	Family:   FamilyMedia,
	Surfaces: OnAssertion | OnEval,
	Needs:    NeedsReply | NeedsMedia,
	Reads:    ReadsMedia,
})

type audioDurationParams struct{ mediaDurations }

func (p audioDurationParams) Build(b *binder) Check { return p.check(b, "audio") }

// mediaDurations are the parameters of the duration checks.
type mediaDurations struct {
	MinSeconds *float64 `param:"min_seconds" min:"0" doc:"Seconds; longer is fine."`
	MaxSeconds *float64 `param:"max_seconds" min:"0" doc:"Seconds; shorter is fine."`
}

func (p mediaDurations) check(b *binder, kind string) Check {
	if p.MinSeconds != nil && p.MaxSeconds != nil && *p.MinSeconds > *p.MaxSeconds {
		b.errorf("min_seconds", "out-of-range", "min_seconds %s is above max_seconds %s, so nothing passes",
			say.Decimal(*p.MinSeconds), say.Decimal(*p.MaxSeconds)).Hint = "swap the two"
	}
	if p.MinSeconds != nil && *p.MinSeconds == 0 && p.MaxSeconds == nil {
		b.noteVacuous("min_seconds", asksNothing, "nothing is shorter")
	}
	return &mediaDuration{p, kind}
}

type mediaDuration struct {
	mediaDurations
	kind string
}

func (c *mediaDuration) asksEach() (of, instead string) { return c.kind, insteadOfBannedMedia }

func (c *mediaDuration) Eval(_ context.Context, s *Subject) (Finding, error) {
	return s.eachMedium(c.kind, "durations", func(v *mediaVerdict, m *medium) {
		seconds, problem, ok := m.seconds()
		if !ok {
			v.judge(m, nil, "", []string{m.unknown("duration")})
			return
		}
		problems := c.problems(seconds)
		if problem != "" {
			problems = append(problems, problem)
		}
		v.judge(m, seconds, inSeconds(seconds), problems)
	})
}

func (c *mediaDuration) problems(seconds float64) []string {
	switch {
	case c.MinSeconds != nil && seconds < *c.MinSeconds-tick:
		return []string{"lasts " + inSeconds(seconds) + ", at least " + inSeconds(*c.MinSeconds) + " needed"}
	case c.MaxSeconds != nil && seconds > *c.MaxSeconds+tick:
		return []string{"lasts " + inSeconds(seconds) + ", at most " + inSeconds(*c.MaxSeconds) + " allowed"}
	}
	return nil
}

// tick is the rounding error that a duration may have at a bound.
const tick = 1e-6

func inSeconds(f float64) string {
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(f, 'f', 6, 64), "0"), ".") + " s"
}

// seconds returns the duration of the bytes, else the declared one; ok is false when it is not known. problem describes
// a difference between the two.
func (m *medium) seconds() (seconds float64, problem string, ok bool) {
	declared := m.Duration
	if !m.info.Timed {
		return declared, "", declared > 0 && !math.IsInf(declared, 0)
	}
	seconds = m.info.Seconds
	if declared > 0 && !sameDuration(declared, seconds) {
		problem = "is declared to last " + inSeconds(declared) + " and its bytes last " + inSeconds(seconds)
	}
	return seconds, problem, true
}

// sameDuration allows for rounding and for padding by encoders: a whole number of seconds equals any duration less than
// a second away.
func sameDuration(declared, seconds float64) bool {
	const added = 0.25
	apart := math.Abs(declared - seconds)
	return apart <= added || declared == math.Trunc(declared) && apart < 1
}
