package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/chat"
	"github.com/arena-evals/arena/internal/dataset"
	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// Dataset is the rows of a scenario, which runs once for each row.
type Dataset struct {
	*dataset.File

	Pos        diag.Pos
	InputField string // the field with the user's message; "": turns have the messages
	InputPos   diag.Pos

	width   int  // of its name in the file
	sound   bool // it has rows
	samples []*dataset.Row
}

// readDataset reads the name of the file with the rows.
func readDataset(d *decoder, s *Scenario, v *node.Node) {
	name, ok := d.Name(v, "dataset")
	if !ok {
		return
	}
	if s.Dataset == nil {
		s.Dataset = &Dataset{}
	}
	s.Dataset.Pos, s.Dataset.width = d.Pos(v), utf8.RuneCountInString(name)
	switch path := d.datasetPath(v, name); {
	case path == "":
	case !dataset.Known(path):
		d.Errorf(v, "unknown-format", "the name %q does not tell how its rows are written", name).Hint =
			"call it .jsonl, .csv, .tsv, .json or .yaml"
	default:
		fs, open := d.places.fs, dataset.OnDisk(d.places.fs.access(path))
		if fs.inMemory(path) {
			open = dataset.InMemory(fs.memory[fs.show(path)])
		}
		s.Dataset.File = dataset.New(fs.show(path), open)
	}
}

// datasetPath resolves the file of the rows: relative to the scenario, else as other files. It must be in the project.
func (d *decoder) datasetPath(v *node.Node, name string) string {
	fs := d.places.fs
	if filepath.IsAbs(name) || strings.HasPrefix(name, "~") {
		d.Errorf(v, "outside-project", "the dataset %q is not within the project", name).Hint =
			"copy it beside the scenario, and write its path from there"
		return ""
	}
	path := d.besides(name)
	if !fs.exists(path) {
		if found, ok := d.runtimePath(name); ok {
			path = found
		}
	}
	switch {
	case !fs.isWithin(path, d.places.config) && !fs.isWithin(path, filepath.Dir(d.File)):
		d.Errorf(v, "outside-project", "the dataset %q is not within the project", name).Hint =
			"copy it beside the scenario, and write its path from there"
	case fs.isDir(path):
		d.Errorf(v, "is-directory", "%q is a directory, not a file with rows", path)
	case !fs.exists(path):
		why := fs.missing(path)
		if why.hint == "" {
			why.hint = "the path is relative to the folder of this file"
		}
		d.Errorf(v, why.code, "%s", why.msg).Hint = why.hint
	default:
		return path
	}
	return ""
}

// isWithin reports whether a file lies in a folder or below it, links followed.
func (f *files) isWithin(path, dir string) bool {
	if f.inMemory(path) {
		return true
	}
	real := func(path string) string {
		path, err := filepath.Abs(f.access(path))
		if err != nil {
			return ""
		}
		if followed, err := filepath.EvalSymlinks(path); err == nil {
			return followed
		}
		return path
	}
	rel, err := filepath.Rel(real(dir), real(path))
	return err == nil && filepath.IsLocal(rel)
}

func readInputField(d *decoder, s *Scenario, v *node.Node) {
	name, ok := d.Name(v, "input_field")
	if !ok {
		return
	}
	if !isName(name) {
		d.Errorf(v, "wrong-name", "input_field %q cannot stand in a placeholder", name).Hint =
			"rename the field: letters, digits, _ and . only"
		return
	}
	if s.Dataset == nil {
		s.Dataset = &Dataset{}
	}
	s.Dataset.InputField, s.Dataset.InputPos = name, d.Pos(v)
}

// settleDataset checks the combination of keys in a scenario with rows.
func (d *decoder) settleDataset(spec *node.Node, s *Scenario) {
	d.closedTurns(s)
	turns, set := node.Get(spec, "turns"), s.Dataset
	switch {
	case set == nil && turns == nil, set != nil && set.InputField == "" && turns == nil:
		d.Missing(spec, "a scenario", "turns").Hint = "add turns: [{role: user, content: …}]"
	case set == nil:
	case set.Pos.Line == 0:
		d.Errorf(node.Get(spec, "input_field"), "missing-field", "input_field names a field of a dataset, and there is none").
			Hint = "add dataset: with the file that has the rows"
	case set.InputField != "" && turns != nil:
		d.Errorf(node.Get(spec, "input_field"), "unused-field", "input_field is not used: the scenario has turns").Hint =
			"take it out, or the turns; a turn says content: \"{{" + set.InputField + "}}\""
	case set.InputField != "":
		s.Turns = []Turn{{
			Pos: set.InputPos, Said: set.InputPos, Role: "user", Content: "{{" + set.InputField + "}}",
		}}
	}
}

// ForRow returns the scenario with the values of one row filled in.
func (s *Scenario) ForRow(row *dataset.Row) *Scenario {
	own := *s
	own.Row, own.rowLacks, own.mediaFaults, own.mediaDoubts = row, nil, nil, nil
	if own.Metadata != nil {
		own.Metadata, _ = own.filled(own.Metadata, &own.rowLacks).(map[string]any)
	}
	own.fillMedia()
	return &own
}

// filled returns decoded JSON with fields of the row filled into its texts, at any depth. A text that is only a
// placeholder becomes the value of the field, of any type. Missing fields are added to lacks.
func (s *Scenario) filled(v any, lacks *[]string) any {
	switch v := v.(type) {
	case string:
		if aPlaceholder(v) {
			if typed, ok := s.Row.Values[v[2:len(v)-2]]; ok {
				return typed
			}
		}
		text, missing := s.FillText(v)
		*lacks = append(*lacks, missing...)
		return text
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = s.filled(v[i], lacks)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = s.filled(v[name], lacks)
		}
		return out
	}
	return v
}

// RowID is the id of the scenario's row; "": it has none.
func (s *Scenario) RowID() string {
	if s.Row == nil {
		return ""
	}
	return s.Row.ID
}

// FillText fills fields of the row into a text without other placeholders, such as a mock reply.
func (s *Scenario) FillText(text string) (filled string, lacks []string) {
	if s.Row == nil || !strings.Contains(text, "{{") {
		return text, nil
	}
	marks := map[string]string{}
	for _, name := range Placeholders(text) {
		if _, ok := s.Row.Text(name); ok {
			marks[name] = mark(name)
		} else if _, known := slices.BinarySearch(s.Dataset.Fields(), name); known {
			lacks = append(lacks, name)
		}
	}
	out, _ := renderPass(text, marks)
	return unmark(unescape(out), s.Row), lacks
}

// FillCalls fills fields of the row into the arguments of calls.
func (s *Scenario) FillCalls(calls []chat.ToolCall) (filled []chat.ToolCall, lacks []string) {
	filled = slices.Clone(calls)
	for i := range filled {
		if args, ok := s.filled(filled[i].Args, &lacks).(map[string]any); ok && filled[i].Args != nil {
			filled[i].Args = args
		}
	}
	return filled, lacks
}

// mark is a temporary replacement of a field while a text is rendered, so that nothing in the value is taken for a
// placeholder.
func mark(name string) string { return "\x00" + name + "\x00" }

// unmark replaces marks by values.
func unmark(text string, row *dataset.Row) string {
	if !strings.Contains(text, "\x00") {
		return text
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "\x00")
		b.WriteString(before)
		name, behind, closed := strings.Cut(rest, "\x00")
		value, known := row.Text(name)
		switch {
		case !found:
			return b.String()
		case !closed || !known:
			b.WriteString("\x00")
			text = rest
		default:
			b.WriteString(value)
			text = behind
		}
	}
}

// withRow adds the fields of a row to variables.
func (s *Scenario) withRow(vars map[string]string) {
	if s.Row == nil {
		return
	}
	for name := range s.Row.Values {
		vars[name], _ = s.Row.Text(name)
	}
}

// rowShapes adds the shapes of fields that are lists and maps.
func (s *Scenario) rowShapes(all map[string]string) {
	if s.Row == nil {
		return
	}
	for name, v := range s.Row.Values {
		delete(all, name)
		switch v.(type) {
		case []any:
			all[name] = "a list"
		case map[string]any:
			all[name] = "a map"
		}
	}
}

// sampled is the maximum number of rows with which checks are compiled for a test.
const sampled = 20

// dataset reads the rows of a scenario, before anything else uses their fields.
func (b *build) dataset(s *Scenario) {
	set := s.Dataset
	if set == nil || set.File == nil {
		return
	}
	told := b.l.diags
	if read := b.datasets[set.Name]; read != nil { // already read for another scenario
		set.File, told = read, &diag.List{}
	} else {
		if b.datasets == nil {
			b.datasets = map[string]*dataset.File{}
		}
		b.datasets[set.Name] = set.File
	}
	if set.sound = set.Index(told); !set.sound {
		return
	}
	for i := range min(sampled, set.Len()) {
		if row, err := set.Row(i); err == nil && row.Fault == nil {
			set.samples = append(set.samples, row)
		}
	}
	if f := set.InputField; f != "" && !slices.Contains(set.Fields(), f) {
		b.l.diags.Errorf(set.InputPos, len(f), "unknown-name", "no row has a field %q", f).Hint = hintNames(f, set.Fields())
		set.sound = false
	}
}

// Sound reports whether the rows can be used. If not, the problem was reported.
func (s *Dataset) Sound() bool { return s.sound }

// lost reports whether a scenario has unusable rows, so that its placeholders cannot be checked.
func (s *Scenario) lost() bool { return s.Dataset != nil && !s.Dataset.sound }

// sample returns the scenario for a made-up row that has every field of any row.
func (s *Scenario) sample() *Scenario {
	if s.Dataset == nil || s.Row != nil {
		return s
	}
	row := &dataset.Row{Values: map[string]any{}}
	if s.Dataset.sound {
		for _, name := range s.Dataset.Fields() {
			row.Values[name] = "x"
		}
	}
	return s.ForRow(row)
}

// RowSamples are sets of values with which a check is compiled before any row runs: those of the first rows, then
// typical texts and numbers.
func (s *Scenario) RowSamples(prompt *Prompt, region string) (all []*Values) {
	full := s.sample().Row.Values
	add := func(over map[string]any, made bool) {
		values := maps.Clone(full)
		maps.Copy(values, over)
		v := ValuesOf(prompt, s.ForRow(&dataset.Row{Values: values}), region).With(sampleVariants(s)[0])
		v.made = made
		all = append(all, v)
	}
	for _, row := range s.Dataset.samples {
		add(row.Values, false)
	}
	add(nil, true)
	numbers := map[string]any{}
	for name := range full {
		numbers[name] = json.Number("1")
	}
	add(numbers, true)
	return all
}

// RowFaults says why the scenario cannot run for its row: unfilled placeholders and empty messages. The doubts are
// placeholders with empty values, which change the meaning of a text. singles are the values of a turn's perturbations.
func (s *Scenario) RowFaults(
	prompt *Prompt, region string, singles func(turn int) map[string]string,
) (faults, doubts []string) {
	for _, name := range s.rowLacks {
		faults = append(faults, fmt.Sprintf("%s: metadata: the row has no field %q", s.Pos, name))
	}
	faults, doubts = append(faults, s.mediaFaults...), append(doubts, s.mediaDoubts...)
	known := ValuesOf(prompt, s, region)
	add := func(v *Values, at diag.Pos, what, text string) {
		if _, found := v.fill(text, false); len(found) > 0 {
			faults = append(faults, at.String()+": "+what+joinFaults(found))
		}
		doubts = append(doubts, v.doubtsAt(at, what, text, nil)...)
	}
	add(known, s.Pos, "description: ", s.Description)
	add(known, s.Pos, "expected_outcome: ", s.Outcome)
	for i := range s.SeedMemories {
		add(known, s.SeedMemories[i].Pos, "seed_memories: ", s.SeedMemories[i].Content)
	}
	for i := range s.Turns {
		t, v := &s.Turns[i], known.With(singles(i))
		for _, c := range t.More().Chaos {
			add(v, c.Pos, "message: ", c.Message)
		}
		if t.Literal {
			continue
		}
		for _, p := range t.said() {
			if v.saysNothing(p.Text) {
				faults = append(faults, fmt.Sprintf("%s: %s: nothing is left of %q with this row", t.Said, emptySaid(&p), p.Text))
				continue
			}
			add(v, t.Said, "", p.Text)
		}
	}
	return faults, doubts
}

// PromptDoubts returns doubts about the instructions for a model or a simulated user, with the values of the row.
func (s *Scenario) PromptDoubts(p *Project, prompt *Prompt, model, region string) (doubts []string) {
	if prompt != nil {
		doubts = ValuesOf(prompt, s, region).doubtsAt(prompt.TemplatePos, prompt.who(s), SystemTemplate(prompt, model),
			s.given)
	}
	for i := range s.Turns {
		if q := p.PersonaOf(&s.Turns[i]); q != nil {
			doubts = append(doubts, q.values(prompt, s, region).doubtsAt(q.TextPos, q.who(s), q.SystemTemplate, s.given)...)
		}
	}
	return doubts
}

// doubtsAt reports placeholders of a text without a value.
func (v *Values) doubtsAt(at diag.Pos, what, text string, given func(name string) bool) (doubts []string) {
	for _, f := range v.emptied(text, given) {
		doubts = append(doubts, at.String()+": "+what+f.msg+" ("+f.hint+")")
	}
	return doubts
}
