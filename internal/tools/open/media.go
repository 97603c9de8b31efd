package open

import (
	"slices"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/scenario"
)

// AttachCanned returns a canned medium with its bytes at hand, where it has any of its own.
func AttachCanned(store *attach.Store, part *chat.Part) (*chat.Media, error) {
	if m := part.Media; m.Data == "" && (m.Path == "" || !m.Local) {
		return m, nil
	}
	return store.AttachLocal(part.Type, part.Media)
}

// withMedia is a tool whose canned result includes the data of its media. Unreadable media stay unchanged: they are
// reported.
func withMedia(spec *scenario.Tool, store *attach.Store) *scenario.Tool {
	if store == nil || !slices.ContainsFunc(spec.MockParts, IsMedium) {
		return spec
	}
	own := *spec
	own.MockParts = slices.Clone(spec.MockParts)
	for i := range own.MockParts {
		part := &own.MockParts[i]
		if part.Media == nil {
			continue
		}
		if got, _ := AttachCanned(store, part); got != nil { // reportCanned reports it
			part.Media = got
		}
	}
	return &own
}

// IsMedium reports whether a part is no text.
func IsMedium(p chat.Part) bool { return p.Media != nil }
