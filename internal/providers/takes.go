package providers

import "github.com/arena-evals/arena/internal/chat"

// Takes says why a provider cannot be sent a part that is a medium; nil: it can, or it does not say. The medium has its
// type and its data, or an address from which that comes later. It looks through the wrappers of this package.
func Takes(p Provider, part *chat.Part) error {
	if t, ok := unwrapTo[interface{ Takes(part *chat.Part) error }](p); ok {
		return t.Takes(part)
	}
	return nil
}
