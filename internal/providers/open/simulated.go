package open

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/providers/mock"
	"github.com/arena-evals/arena/internal/providers/replay"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// openMock opens canned replies.
func openMock(p *scenario.Provider, o *Options) (providers.Provider, error) {
	file := o.MockFile
	if file == nil {
		file = p.Mock
	}
	return mock.New(mock.Config{
		ID: p.ID, Model: p.Model, Pricing: priceOf(p), File: file, Inline: o.Inline, Lenient: o.Lenient,
	}), nil
}

// openReplay opens the recordings that a replay answers from.
func openReplay(p *scenario.Provider, o *Options) (providers.Provider, error) {
	if p.Replay == nil {
		return nil, &providers.Misconfigured{Pos: p.Pos, Msg: "additional_config.recording is missing"}
	}
	c := replay.Config{
		ID: p.ID, Model: p.Model, Settings: p.Replay, Pricing: priceOf(p), Apart: o.Regions > 1, Strict: o.Strict,
	}
	for _, path := range p.Replay.Recordings {
		file, err := recording.Open(path, recording.Options{})
		if err != nil {
			return nil, &providers.Misconfigured{Pos: p.Replay.Pos, Msg: unusable(err)}
		}
		c.Sources = append(c.Sources, file)
	}
	return replay.New(c)
}

// unusable says why a recording cannot be used: the first problem, and how many more there are.
func unusable(err error) string {
	bad, ok := errors.AsType[*recording.Error](err)
	if !ok {
		return err.Error()
	}
	text := fmt.Sprintf("%s: %s", bad.Problems[0].Pos, bad.Problems[0].Msg)
	if more := len(bad.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// priceOf is the price that files give the model of a provider; nil: none.
func priceOf(p *scenario.Provider) *scenario.Pricing { return cmp.Or(p.Pricing, p.Prices.Of(p.Model)) }
