package result

import (
	"slices"

	"github.com/arena-evals/arena/internal/chat"
)

// EachMedium visits the media of all messages of the trial.
func (t *Trial) EachMedium(visit func(*chat.Part)) {
	t.eachParts(func(parts *[]chat.Part) {
		for i := range *parts {
			if (*parts)[i].Media != nil {
				visit(&(*parts)[i])
			}
		}
	})
}

// MapMedia replaces the media of the trial. It copies lists of parts, which may be shared.
func (t *Trial) MapMedia(of func(*chat.Part) *chat.Media) {
	t.eachParts(func(parts *[]chat.Part) {
		own := false
		for i := range *parts {
			part := &(*parts)[i]
			if part.Media == nil {
				continue
			}
			got := of(part)
			if got == part.Media {
				continue
			}
			if !own {
				*parts, own = slices.Clone(*parts), true
			}
			(*parts)[i].Media = got
		}
	})
}

func (t *Trial) eachParts(visit func(*[]chat.Part)) {
	message := func(m *chat.Message) {
		visit(&m.Parts)
		if m.ToolResult != nil {
			visit(&m.ToolResult.Parts)
		}
		if m.Original != nil {
			visit(&m.Original.Parts)
		}
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		for k := range turn.Messages {
			message(&turn.Messages[k])
		}
		if turn.Composition == nil {
			continue
		}
		for k := range turn.Composition.Steps {
			for m := range turn.Composition.Steps[k].Said {
				message(m)
			}
		}
	}
}
