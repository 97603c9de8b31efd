package runner

import (
	"errors"
	"fmt"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/providers"
)

// rowMediaErrors says which media of the row the trial cannot send, as reportMedia and sendable do for media of the
// scenario. A rejudged trial sends nothing.
func (s *session) rowMediaErrors() (faults []string) {
	if s.trial.Finished != nil {
		return nil
	}
	s.trial.Scenario.EachRowMedium(func(part *chat.Part, at diag.Pos) {
		if part.Media.URL == "" && part.Media.Path == "" {
			return // RowFaults reports it
		}
		if err := s.rowMediumFault(part, at); err != nil {
			faults = append(faults, fmt.Sprintf("%s: %s: %v", at, mediumName(part), err))
		}
	})
	return faults
}

func (s *session) rowMediumFault(part *chat.Part, at diag.Pos) error {
	store, settled := s.trial.Project.media, *part.Media
	if part.Media.URL != "" {
		if err := store.Refuses(part.Media.URL); err != nil {
			return err
		}
	} else {
		got, err := store.AttachLocal(part.Type, part.Media)
		switch {
		case errors.Is(err, media.ErrOtherType) && s.trial.Project.lenient && s.trial.Endpoint.Simulated:
			s.warnOnce(fmt.Sprintf("%s: %s is %v; a mock does not look at it", at, mediumName(part), err))
		case errors.Is(err, media.ErrOtherType):
			return fmt.Errorf("it is %w", err)
		case err != nil:
			return err
		}
		settled = *got
	}
	return providers.Takes(s.trial.Endpoint.Client, &chat.Part{Type: part.Type, Media: &settled})
}
