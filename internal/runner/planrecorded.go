package runner

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/arena-evals/arena/internal/checks"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/inventory"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/recording"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
	"github.com/arena-evals/arena/internal/selection"
)

// evalProvider is the provider id of recorded conversations.
const evalProvider = "eval"

// pickEvals returns the selected evals over recordings, each as a scenario, sorted by id.
func (m *matrix) pickEvals(p *scenario.Project) []*scenario.Scenario {
	var out []*scenario.Scenario
	for _, e := range p.Evals {
		byName := m.evals.Keeps(selection.IDAndAlias(&e.Meta)...)
		if s := e.Scenario(); byName && m.tags.Keeps(s.Tags...) {
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, func(a, b *scenario.Scenario) int { return cmp.Compare(a.ID, b.ID) })
	return out
}

// recorded plans one trial for each recorded conversation that an eval or a scenario judges.
func (m *matrix) recorded(p *project, s *scenario.Scenario) []Trial {
	prompt, ok := m.prompt(p.Project, s)
	if !ok {
		return nil
	}
	at, files := diag.Pos{}, m.opts.Recordings // from the command line
	if len(files) == 0 {
		at, files = s.Recorded.RecordingPos, s.Recorded.Recordings
	}
	endpoint := recordedEndpoint()
	var out []Trial
	all := 0
	for _, path := range files {
		found := m.conversations(s, path, at)
		all += len(found)
		before := len(out)
		for _, r := range found {
			of := sessionKey{r.File, r.index}
			if s.Recorded == nil && r.scenario != "" && !s.Is(r.scenario) {
				m.otherSessions[of] = r.scenario
				continue
			}
			m.judgedSessions[of] = true
			out = append(out, Trial{
				Project: p, Scenario: s, Prompt: prompt, Endpoint: endpoint,
				Region: scenario.DefaultRegion, N: 1, Of: 1, Recorded: r,
			})
		}
		if inventory.PromptUndecided(p.Project, s) {
			m.assignPrompts(p.Project, s, filepath.ToSlash(path), at, out[before:])
		} else if s.Recorded != nil {
			m.comparePrompts(p.Project, s, filepath.ToSlash(path), out[before:])
		}
	}
	if all > 0 && len(out) == 0 {
		m.diags.Errorf(s.Pos, 1, "no-conversation", "no recorded conversation is of scenario %q", s.ID)
	}
	m.warnUnrecordedFailures(p.Project, s, out)
	m.warnUnrecordedGuardrails(p.Project, out)
	distinguish(out)
	return out
}

// warnUnrecordedFailures warns of checks that count failed calls, where the recording does not say whether a call
// failed.
func (m *matrix) warnUnrecordedFailures(p *scenario.Project, s *scenario.Scenario, trials []Trial) {
	unrecorded := func(t Trial) bool { return slices.Contains(t.Recorded.missingInfo, recording.InfoToolErrors) }
	first := slices.IndexFunc(trials, unrecorded)
	if first < 0 {
		return
	}
	inventory.EachCheck(p, []*scenario.Scenario{s}, func(c *checks.Compiled) {
		if c.CountsFailures() {
			m.diags.Warnf(c.Pos, diag.Width(c.Type), "not-told",
				"%s: %s does not say whether a tool failed: no call counts as failed", c.Type,
				trials[first].Recorded.File).Hint = "a result can say so with error or is_error"
		}
	})
}

// warnUnrecordedGuardrails warns when guardrails that fire are to make the run red, and the recording does not say
// which fired.
func (m *matrix) warnUnrecordedGuardrails(p *scenario.Project, trials []Trial) {
	if !slices.Contains(slices.Concat(m.opts.FailOn, p.Defaults.FailOn), result.FailOnGuardrail) {
		return
	}
	unrecorded := func(t Trial) bool { return slices.Contains(t.Recorded.missingInfo, recording.InfoGuardrails) }
	if first := slices.IndexFunc(trials, unrecorded); first >= 0 {
		m.diags.Warnf(diag.Pos{File: trials[first].Recorded.File}, 0, "not-told",
			"fail_on guardrail: the recording does not say which guardrails fired").Hint =
			"judge results.json or the journal of a run, or leave guardrail out"
	}
}

// sessionKey identifies a conversation in a file.
type sessionKey struct {
	file  string
	index int
}

// reportOtherSessions warns of recorded conversations that belong to scenarios which were not named.
func (m *matrix) reportOtherSessions() {
	left := map[string]int{}
	for of, scenario := range m.otherSessions {
		if !m.judgedSessions[of] {
			left[scenario]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		m.diags.Warnf(diag.Pos{}, 0, "not-judged",
			"the recordings also hold conversations of scenario %q, which nothing judges: %d", id, left[id]).Hint =
			"name that scenario with --assert as well, or assertions of kind Eval"
	}
}

// recordedEndpoint is the endpoint of recorded conversations. It is never called; their clock is that of the recording.
func recordedEndpoint() *Endpoint {
	return &Endpoint{Spec: &scenario.Provider{Meta: scenario.Meta{ID: evalProvider}}, Simulated: true}
}

// conversations returns the conversations in a file. A file that cannot be read is reported once.
func (m *matrix) conversations(s *scenario.Scenario, path string, at diag.Pos) []*Recorded {
	kind := ""
	if s.Recorded != nil {
		kind = s.Recorded.Type
	}
	file, known := m.opened[path]
	if !known {
		file = m.openRecording(path, kind, at)
		m.opened[path] = file
	}
	if file == nil {
		return nil
	}
	refs := file.Sessions()
	out := make([]*Recorded, 0, len(refs))
	for i, ref := range refs {
		if !m.chosen(&ref) {
			continue
		}
		out = append(out, &Recorded{
			File: filepath.ToSlash(path), Name: cmp.Or(ref.ID, filepath.Base(path)), index: i, scenario: ref.Scenario,
			taskType:    ref.TaskType,
			start:       ref.Start,
			inWorkflow:  ref.InWorkflow,
			missingInfo: ref.MissingInfo,
			declared:    ref.Declared,
			Load:        func() (*recording.Session, error) { return file.Load(i) },
		})
	}
	return out
}

// chosen reports whether a conversation is to be judged. An id that several conversations have selects all of them.
func (m *matrix) chosen(ref *recording.Ref) bool {
	chosen := len(m.opts.Only) == 0 || slices.Contains(m.opts.Only, ref.ID) ||
		ref.Own != "" && slices.Contains(m.opts.Only, ref.Own)
	m.conversationIDs[ref.ID] = chosen
	return chosen
}

// reportOnly refuses ids that match no conversation.
func (m *matrix) reportOnly() {
	var missing []string
	for _, id := range m.opts.Only {
		if !m.conversationIDs[id] && !slices.Contains(missing, id) {
			missing = append(missing, id)
		}
	}
	if m.diags.Errors() > 0 { // a recording may be unreadable
		return
	}
	known := slices.Sorted(maps.Keys(m.conversationIDs))
	for _, id := range missing {
		hint := diag.DidYouMean(id, known)
		if hint == "" && len(known) > 0 {
			hint = "there are: " + strings.Join(known[:min(len(known), 10)], ", ")
			if len(known) > 10 {
				hint += fmt.Sprintf(" and %d more", len(known)-10)
			}
		}
		m.diags.Errorf(diag.Pos{}, 0, "no-conversation", "--only: no recorded conversation has the id %q", id).Hint = hint
	}
}

// openRecording opens a file and reports its notes; nil when it cannot be read.
func (m *matrix) openRecording(path, kind string, at diag.Pos) *recording.File {
	o := recording.Options{Type: kind, SkipUnreadable: m.opts.SkipUnreadable}
	on := path
	if path == StdinName && m.opts.Stdin != "" {
		on, o.Name = m.opts.Stdin, "stdin"
	}
	file, err := recording.Open(on, o)
	if err != nil && m.opts.SkipUnreadable && m.leaveOut(at, path, err) {
		return nil
	}
	if err != nil {
		reportRecording(m.diags, at, path, err)
		return nil
	}
	for _, note := range file.Notes() {
		m.diags.Warnf(at, 1, "recording", "%s: %s", path, note)
	}
	if skipped := file.Skipped(); len(skipped) > 0 {
		m.diags.Warnf(at, 1, "unreadable", "%s: %d of %s could not be read and were left out, at %s: %s", path,
			len(skipped), plural.Count(len(skipped)+len(file.Sessions()), "conversation"), linesOf(skipped), skipped[0].Msg)
	}
	if n := file.Missing(); n > 0 {
		report := m.diags.Errorf
		if m.opts.Lenient {
			report = m.diags.Warnf
		}
		report(at, 1, "incomplete-recording", "%s: the run was stopped: %d of its conversations are missing", path, n).
			Hint = "run the rest first, or judge what there is with --lenient"
	}
	return file
}

// linesOf lists the positions of problems.
func linesOf(problems []diag.Diagnostic) string {
	const most = 20
	list := make([]string, 0, most)
	for _, p := range problems[:min(len(problems), most)] {
		list = append(list, strconv.Itoa(int(p.Pos.Line)))
	}
	lines := strings.Join(list, ", ")
	switch {
	case len(problems) > most:
		return fmt.Sprintf("lines %s and %d more, the first", lines, len(problems)-most)
	case len(problems) > 1:
		return "lines " + lines + ", the first"
	}
	return "line " + lines
}

// leaveOut warns of a file that is skipped, and reports whether it was. If every file is skipped, it is an error.
func (m *matrix) leaveOut(at diag.Pos, path string, err error) bool {
	wrong, ok := errors.AsType[*recording.Error](err)
	if m.unread++; !ok || m.unread == len(m.opts.Recordings) {
		return false
	}
	m.diags.Warnf(at, 1, "unreadable", "%s: it could not be read and was left out as a whole: %s: %s", path,
		wrong.Problems[0].Pos, wrong.Problems[0].Msg)
	return true
}

// reportRecording reports why a recording cannot be read, every problem at its position.
func reportRecording(d *diag.List, at diag.Pos, path string, err error) {
	if wrong, ok := errors.AsType[*recording.Error](err); ok {
		for _, p := range wrong.Problems {
			d.Add(p)
		}
		return
	}
	d.Errorf(at, 1, "bad-recording", "%s: %v", path, err)
}

// distinguish makes the names of conversations unique and valid in ids. A single one needs no name.
func distinguish(trials []Trial) {
	if len(trials) == 1 {
		trials[0].Recorded.Name = ""
		return
	}
	seen := map[string]int{}
	for i := range trials {
		r := trials[i].Recorded
		r.Name = plainName(r.Name)
		if seen[r.Name]++; seen[r.Name] > 1 {
			r.Name = fmt.Sprintf("%s~%d", r.Name, seen[r.Name])
		}
	}
}

// plainName replaces characters that ids must not have.
func plainName(name string) string {
	const limit = 80
	name = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.:@", r) {
			return r
		}
		return '_'
	}, name)
	if runes := []rune(name); len(runes) > limit {
		return string(runes[:limit])
	}
	return name
}
