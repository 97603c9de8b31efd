package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/providers"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/scenario"
)

// archive finds and keeps the conversations of all recordings.
type archive struct {
	entries []entry
	byName  map[string][]int // ids and scenarios
	apart   bool             // several regions are run: none of them is answered for another

	mu     sync.Mutex
	loaded map[int]*script
	order  []int // of loaded, the oldest first
}

type entry struct {
	recording.Ref
	source Source
	file   int // index of the source
	index  int // in the source
}

// maxLoaded is how many conversations are kept in memory. The calls of a trial need the same one again and again.
const maxLoaded = 256

func newArchive(sources []Source) *archive {
	l := &archive{loaded: map[int]*script{}, byName: map[string][]int{}}
	for k, s := range sources {
		for i, ref := range s.Sessions() {
			at, one := len(l.entries), entry{ref, s, k, i}
			if k > 0 && l.holds(&one) {
				continue
			}
			l.entries = append(l.entries, one)
			l.byName[ref.ID] = append(l.byName[ref.ID], at)
			if ref.Scenario != "" && ref.Scenario != ref.ID {
				l.byName[ref.Scenario] = append(l.byName[ref.Scenario], at)
			}
		}
	}
	return l
}

// holds reports whether another file has the very same conversation: the journal of a run beside its results, or a
// copy.
func (l *archive) holds(e *entry) bool {
	content := ""
	for _, i := range l.named(e.ID) {
		if l.entries[i].file == e.file {
			continue
		}
		if content == "" {
			if content = e.content(); content == "" {
				return false
			}
		}
		if l.entries[i].content() == content {
			return true
		}
	}
	return false
}

// content identifies the conversation by its texts and latencies; "" if it cannot be read.
func (e *entry) content() string {
	session, err := e.source.Load(e.index)
	if err != nil {
		return ""
	}
	content := []any{e.Scenario, e.Provider, e.Model, e.Region}
	for i := range session.Messages {
		content = append(content, &session.Messages[i].Message)
	}
	text, err := json.Marshal(content)
	if err != nil {
		return ""
	}
	return string(text)
}

// checkSession refuses the id of a session that is missing or ambiguous.
func (l *archive) checkSession(r *scenario.Replay) error {
	ids := make([]string, len(l.entries))
	for i := range l.entries {
		ids[i] = l.entries[i].ID
	}
	p := &providers.Misconfigured{Pos: r.SessionPos}
	switch n := len(l.named(r.Session)); n {
	case 1:
		return nil
	case 0:
		p.Msg = fmt.Sprintf("there is no session %q in %s", r.Session, strings.Join(r.Recordings, ", "))
		p.Hint = diag.DidYouMean(r.Session, ids)
		if p.Hint == "" {
			p.Hint = "there is " + listOf(ids)
		}
	default:
		p.Msg = fmt.Sprintf("the recordings hold the session %q %d times", r.Session, n)
		p.Hint = "name only the recording that is meant"
	}
	return p
}

// choose finds the conversation for a call: the one of the settings, else that of the scenario, with its region and the
// trial's number, else the only one, if it has no scenario. No two trials of a scenario get the same conversation,
// because they would not be independent.
func (l *archive) choose(r *scenario.Replay, at *chat.Origin) (int, error) {
	if r.Session != "" {
		if at.Trial > 1 {
			return 0, fmt.Errorf("additional_config.session names one conversation, and this is trial %d of scenario %q; "+
				"take session out, or run one trial", at.Trial, at.Scenario)
		}
		return l.named(r.Session)[0], nil // New has checked it
	}
	own := l.byName[at.Scenario]
	if len(own) == 0 && at.ScenarioAlias != "" {
		own = l.byName[at.ScenarioAlias]
	}
	if own = l.inRegion(own, at.Region); l.apart && len(own) > 0 && l.entries[own[0]].Region != at.Region {
		return 0, fmt.Errorf("scenario %q has no conversation of the region %q in the recording, and that of another region "+
			"would be counted twice; there is %s: record each region, or replay one", at.Scenario, at.Region, l.names(own))
	}
	if len(own) == 0 && len(l.entries) == 1 && l.entries[0].Scenario == "" {
		own = []int{0}
	}
	if len(own) > 1 && l.repeated(own) {
		if i, found := l.trial(own, max(at.Trial, 1)); found {
			return i, nil
		}
		return 0, l.tooFew(own, at)
	}
	switch {
	case len(own) == 1 && at.Trial > 1:
		return 0, l.tooFew(own, at)
	case len(own) == 1:
		return own[0], nil
	case len(own) > 1:
		return 0, fmt.Errorf("scenario %q was recorded %d times, as %s; set additional_config.session to one of them",
			at.Scenario, len(own), l.names(own))
	case len(l.entries) == 0:
		return 0, errors.New("the recording holds no conversation")
	case len(l.entries) == 1:
		return 0, fmt.Errorf("the recorded conversation, %s, is of scenario %q and not of %q; "+
			"set additional_config.session to answer with it all the same", l.names(nil), l.entries[0].Scenario, at.Scenario)
	}
	return 0, fmt.Errorf("none of the %d recorded conversations is of scenario %q; there is %s; "+
		"set additional_config.session", len(l.entries), at.Scenario, l.names(nil))
}

// tooFew is the error of a trial that was not recorded.
func (l *archive) tooFew(own []int, at *chat.Origin) error {
	return fmt.Errorf("scenario %q has %s in the recording, %s, and this is trial %d; record as many trials as are "+
		"replayed", at.Scenario, plural.Of(len(own), "conversation", "conversations"), l.names(own), max(at.Trial, 1))
}

// named are the conversations with this id.
func (l *archive) named(id string) (list []int) {
	for _, i := range l.byName[id] {
		if l.entries[i].ID == id {
			list = append(list, i)
		}
	}
	return list
}

// inRegion returns the conversations of a region, or all if there are none.
func (l *archive) inRegion(list []int, region string) []int {
	other := func(i int) bool { return l.entries[i].Region != region }
	if own := slices.DeleteFunc(slices.Clone(list), other); len(own) > 0 {
		return own
	}
	return list
}

// trial is the n-th repetition. Trials of arena have numbers, whatever their order.
func (l *archive) trial(list []int, n int) (int, bool) {
	numbered := true
	for _, i := range list {
		_, number, found := strings.Cut(l.entries[i].ID, "#")
		number, _, _ = strings.Cut(number, "[") // of the variant
		if number == strconv.Itoa(n) {
			return i, true
		}
		numbered = numbered && found
	}
	if numbered || n > len(list) {
		return 0, false
	}
	return list[n-1], true
}

// repeated reports whether conversations are repetitions of one trial: with one provider and model, in one region.
func (l *archive) repeated(list []int) bool {
	first := &l.entries[list[0]]
	for _, i := range list[1:] {
		if e := &l.entries[i]; e.Provider != first.Provider || e.Model != first.Model || e.Region != first.Region {
			return false
		}
	}
	return true
}

// names lists sessions; nil: all.
func (l *archive) names(list []int) string {
	var ids []string
	for i := range l.entries {
		if list == nil {
			ids = append(ids, l.entries[i].ID)
		}
	}
	for _, i := range list {
		ids = append(ids, l.entries[i].ID)
	}
	return listOf(ids)
}

func listOf(ids []string) string {
	const most = 8
	more := ""
	if len(ids) > most {
		more = fmt.Sprintf(" and %d more", len(ids)-most)
		ids = ids[:most]
	}
	quoted := make([]string, len(ids))
	for i, id := range ids {
		quoted[i] = fmt.Sprintf("%q", id)
	}
	return strings.Join(quoted, ", ") + more
}

// script reads a conversation, or takes it from memory.
func (l *archive) script(i int) (*script, error) {
	l.mu.Lock()
	s := l.loaded[i]
	l.mu.Unlock()
	if s != nil {
		return s, nil
	}
	session, err := l.entries[i].source.Load(l.entries[i].index)
	if err != nil {
		return nil, err
	}
	if err := session.Composed(); err != nil {
		return nil, err
	}
	s = newScript(session)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.loaded[i] == nil {
		l.order = append(l.order, i)
	}
	l.loaded[i] = s
	if len(l.order) > maxLoaded {
		delete(l.loaded, l.order[0])
		l.order = l.order[1:]
	}
	return s, nil
}
