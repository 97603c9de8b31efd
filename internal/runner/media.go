package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/attach"
	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dial"
	"github.com/arena-evals/arena/internal/ellipsis"
	"github.com/arena-evals/arena/internal/media"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/scenario"
)

// attachments is the store from which the trials of a project get their media.
func (m *matrix) attachments(p *scenario.Project) *attach.Store {
	if known := m.stores[p]; known != nil {
		return known
	}
	fetcher := &attach.Fetcher{
		Offline: m.opts.Offline || m.opts.Replayed, Dialer: dial.Public{Allowed: m.reachable(p)},
	}
	m.fetchers = append(m.fetchers, fetcher)
	if m.stores == nil {
		m.stores = map[*scenario.Project]*attach.Store{}
	}
	m.stores[p] = &attach.Store{
		Fetch: fetcher.Fetch, Refuses: func(address string) error { return m.refuses(p, address) },
	}
	return m.stores[p]
}

// errNeedsNetwork is the error of media at addresses with --offline.
var errNeedsNetwork = errors.New("the medium needs the network, and --offline is set")

// refuses says why a medium at an address is not fetched; nil: it may be.
func (m *matrix) refuses(p *scenario.Project, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("it is no address")
	}
	if err := dial.PublicURL(u, m.reachable(p)); err != nil {
		return err
	}
	if m.opts.Offline && !m.opts.Replayed {
		return errNeedsNetwork
	}
	return nil
}

// reachable reports whether media may be fetched from a host, even a private one.
func (m *matrix) reachable(p *scenario.Project) func(host string) bool {
	return func(host string) bool {
		return m.opts.PrivateURLs || slices.ContainsFunc(p.Defaults.PrivateHosts, func(name string) bool {
			return strings.EqualFold(name, host)
		})
	}
}

// reportMedia reports invalid media of a scenario, whatever its providers. Bytes that are not of the declared type are
// reported by sendable.
func (m *matrix) reportMedia(p *project, s *scenario.Scenario) {
	if s.Skip != "" {
		return
	}
	s.EachMedium(func(part *chat.Part, at diag.Pos) {
		if part.Media.URL != "" {
			m.reportAddress(p.Project, part.Media.URL, at)
			return
		}
		_, err := p.media.AttachLocal(part.Type, part.Media)
		if err != nil && !errors.Is(err, media.ErrOtherType) {
			m.unreadableMedium(at, part, mediumName(part), err)
		}
	})
}

// unreadableMedium reports a medium that cannot be read. A missing file was reported with the same text when the files
// were loaded.
func (m *matrix) unreadableMedium(at diag.Pos, part *chat.Part, name string, err error) {
	if errors.Is(err, fs.ErrNotExist) && part.Media.Source != "" {
		m.mediaProblem(at, scenario.MissingFile, scenario.NoMedium(part.Media), "")
		return
	}
	m.mediaProblem(at, "bad-media", fmt.Sprintf("%s: %v", name, err), "")
}

func (m *matrix) reportAddress(p *scenario.Project, address string, at diag.Pos) {
	switch err := m.refuses(p, address); {
	case errors.Is(err, dial.ErrPrivate):
		m.mayBeAllowed(at, "private-address", fmt.Sprintf("the address %s is not fetched: %v", shownAddress(address), err),
			"for a server of your own, name its host under allow_private_hosts, in defaults of the config, or pass "+
				"--allow-private-urls")
	case errors.Is(err, errNeedsNetwork):
		m.mediaProblem(at, "offline", fmt.Sprintf("the medium at %s needs the network, and --offline is set",
			shownAddress(address)), "write file_path, or replay a recording: --replay FOLDER")
	case err != nil:
		m.mediaProblem(at, "bad-address", fmt.Sprintf("the address %s is not fetched: %v", shownAddress(address), err), "")
	}
}

// mediaProblem reports a problem once.
func (m *matrix) mediaProblem(at diag.Pos, code, text, hint string) {
	if !m.reportedMedia[at] {
		m.reportMedium(at)
		m.diags.Errorf(at, 1, code, "%s", text).Hint = hint
	}
}

// mayBeAllowed is mediaProblem for a problem that a flag of the run removes.
func (m *matrix) mayBeAllowed(at diag.Pos, code, text, hint string) {
	if m.onlyValidates && !m.reportedMedia[at] {
		m.reportMedium(at)
		m.diags.Warnf(at, 1, code, "%s", text).Hint = hint
		return
	}
	m.mediaProblem(at, code, text, hint)
}

func (m *matrix) reportMedium(at diag.Pos) {
	if m.reportedMedia == nil {
		m.reportedMedia = map[diag.Pos]bool{}
	}
	m.reportedMedia[at] = true
}

// kindCapabilities are the capabilities that a provider needs for the parts of a message, by their type.
var kindCapabilities = map[string]string{
	"image": "vision", "audio": "audio", "video": "video", "document": "documents",
}

// takesMedia reports media of turns and simulated tools that a provider cannot be sent. It returns true if there are
// none.
func (m *matrix) takesMedia(p *project, s *scenario.Scenario, e *Endpoint) bool {
	turns, tools := m.sendable(p, s, e), m.showable(p, s, e)
	return turns && tools
}

// sendable reports media of a scenario that a provider cannot be sent. It returns true if there are none.
func (m *matrix) sendable(p *project, s *scenario.Scenario, e *Endpoint) bool {
	if s.Skip != "" {
		return true
	}
	ok := true
	sends := fmt.Sprintf("scenario %q sends", s.ID)
	s.EachMedium(func(part *chat.Part, at diag.Pos) {
		ok = m.checkSendable(p, part, at, e, sends) && ok
	})
	s.EachRowMedium(func(part *chat.Part, at diag.Pos) { // media of rows are tested with the rows; see rowMediaErrors
		why, hint := m.incapable(part, e)
		ok = m.checkedPart(part, at, sends, why, hint) && ok
	})
	return ok
}

// lacked is the capability for parts of a type that a provider declares not to have; "": none.
func lacked(spec *scenario.Provider, kind string) string {
	needs := kindCapabilities[kind]
	if spec.Capabilities == nil || slices.Contains(spec.Capabilities, needs) {
		return ""
	}
	return needs
}

// checkSendable reports a part that a provider cannot be sent, and returns whether it can be sent. sends names the
// sender.
func (m *matrix) checkSendable(p *project, part *chat.Part, at diag.Pos, e *Endpoint, sends string) bool {
	why, hint := m.unsendable(p, part, at, e)
	return m.checkedPart(part, at, sends, why, hint)
}

// checkedPart reports why a part cannot be sent; "": it can.
func (m *matrix) checkedPart(part *chat.Part, at diag.Pos, sends, why, hint string) bool {
	if why != "" {
		m.diags.Errorf(at, 1, "unsendable-part", "%s %s, and %s", sends, withArticle(part.Type), why).Hint = hint
	}
	return why == ""
}

// incapable says that a provider declares no support for parts of a type; "": it declares support, or nothing.
func (m *matrix) incapable(part *chat.Part, e *Endpoint) (why, hint string) {
	needs := lacked(e.Spec, part.Type)
	if needs == "" || m.opts.MockProvider {
		return "", ""
	}
	return fmt.Sprintf("the capabilities of provider %s are without %s", e.Spec.ID, needs),
		"add " + needs + " to its capabilities if the model has it, or write required_capabilities: [" + needs +
			"] in the scenario to leave such providers out"
}

// unsendable says why a provider cannot be sent a part; "": it can.
func (m *matrix) unsendable(
	p *project, part *chat.Part, at diag.Pos, e *Endpoint,
) (why, hint string) {
	if why, hint = m.incapable(part, e); why != "" {
		return why, hint
	}
	settled := *part.Media
	if part.Media.URL == "" {
		got, err := p.media.AttachLocal(part.Type, part.Media)
		if errors.Is(err, media.ErrOtherType) {
			switch {
			case e.Simulated && p.lenient:
				m.warnMedium(part, at, err)
				err = nil
			case m.reportedMedia[at] && !p.lenient:
				return "", "" // reported by reportCanned
			default:
				return fmt.Sprintf("%s is %v", mediumName(part), err), rightFile
			}
		}
		if err != nil {
			return "", "" // reported by reportMedia
		}
		settled = *got
	}
	if err := providers.Takes(e.Client, &chat.Part{Type: part.Type, Media: &settled}); err != nil {
		return fmt.Sprintf("provider %s cannot be sent it: %v", e.Spec.ID, err), "choose another provider for it, or " +
			"another form"
	}
	return "", ""
}

// warnMedium warns once of a medium that only a mock can get.
func (m *matrix) warnMedium(part *chat.Part, at diag.Pos, err error) {
	if !m.reportedMedia[at] {
		m.reportMedium(at)
		m.diags.Warnf(at, 1, "bad-media", "%s is %v; a mock does not look at it", mediumName(part), err)
	}
}

// mediumName is the name of a medium in messages.
func mediumName(part *chat.Part) string {
	switch m := part.Media; {
	case m.URL != "":
		return "the " + part.Type + " at " + shownAddress(m.URL)
	case m.Source != "":
		return fmt.Sprintf("the %s %q", part.Type, m.Source)
	}
	return "the " + part.Type + " in data"
}

// shownAddress is an address without parts that may be secret.
func shownAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that cannot be read"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return ellipsis.Runes(u.String(), 200)
}

func withArticle(kind string) string {
	if strings.HasPrefix(kind, "image") || strings.HasPrefix(kind, "audio") {
		return "an " + kind
	}
	return "a " + kind
}

// attach gives the media of a message their bytes. A trial that cannot send all that its author wrote is an error.
func (s *session) attach(ctx context.Context, at turnIndex, m *chat.Message) error {
	n := 0
	for i := range m.Parts {
		part := &m.Parts[i]
		if part.Media == nil {
			continue
		}
		n++
		if part.Media.URL != "" && s.preview != nil {
			continue // media that are only shown are not fetched
		}
		got, err := s.medium(ctx, at, n, part)
		if errors.Is(err, media.ErrOtherType) && s.trial.Project.lenient && s.trial.Endpoint.Simulated {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("%s cannot be sent: %w", mediumName(part), err)
		}
		part.Media = got
	}
	return nil
}

// medium is the n-th medium of a turn with its bytes. Media from addresses go through the cassette.
func (s *session) medium(ctx context.Context, at turnIndex, n int, part *chat.Part) (*chat.Media, error) {
	store := s.trial.Project.media
	if part.Media.URL == "" || s.recorder == nil {
		return store.Attach(ctx, part.Type, part.Media)
	}
	lane := s.lane(fmt.Sprintf("%s, medium %d", turnLabel(at.number), n))
	got, err := lane.Media(ctx, part, func(ctx context.Context) (*chat.Media, error) {
		return store.Attach(ctx, part.Type, part.Media)
	})
	if !s.trial.Simulated() {
		s.clock.advance(lane.Spent())
	}
	return got, err
}
