package scenario

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/skill"
	"github.com/arena-evals/arena/internal/workflow"
)

// skillSource is a source of skills: a folder, or a skill in the file.
type skillSource struct {
	path, name, description, instructions *node.Node

	skill skill.Skill
}

// skillFields are the keys of a source of skills.
var skillFields = table("a skill", func() rows[skillSource] {
	return rows[skillSource]{
		custom("path", text, func(d *decoder, s *skillSource, v *node.Node) { readSkillPath(d, s, v, "path") }).
			doc("A folder of skills, or the folder of one."),
		custom("dir", text, func(d *decoder, s *skillSource, v *node.Node) { readSkillPath(d, s, v, "dir") }).
			doc("The same as path."),
		custom("name", text, func(d *decoder, s *skillSource, v *node.Node) {
			s.name = v
			s.skill.Name = skill.Name(&d.Reader, v)
		}).doc("The name of a skill that is written here."),
		custom("description", text, func(d *decoder, s *skillSource, v *node.Node) {
			s.description = v
			s.skill.Description = skill.Description(&d.Reader, v)
		}).asIs().doc("When the skill is of use; what models are told of it."),
		custom("instructions", text, func(d *decoder, s *skillSource, v *node.Node) {
			s.instructions = v
			s.skill.Instructions, _ = d.Name(v, "instructions")
		}).asIs().doc("What a model is told that activates the skill."),
		flag("preload", func(s *skillSource) *bool { return &s.skill.Preload }).
			doc("Whether the skill is active from the start."),
	}
})

func readSkillPath(d *decoder, s *skillSource, v *node.Node, key string) {
	if s.path != nil {
		d.Errorf(v, "duplicate-key", "the skills have both path and dir").Hint = "write each folder as an item of its own"
	}
	s.path = v
	d.Name(v, key)
}

// skillBase is the folder to which the paths of skills and the filters of states are relative.
type skillBase struct {
	dir, of string
}

// skills reads a list of sources of skills. A text is a path, or a reference to an installed skill.
func (d *decoder) skills(n *node.Node, base skillBase) (all []*skill.Skill) {
	d.Items(n, "skills", func(_ int, v *node.Node) {
		var s skillSource
		if v.Kind == node.Scalar && !node.IsNull(v) {
			s.path = v
		} else if !skillFields.read(d, v, &s) {
			return
		}
		all = append(all, d.skillsOf(v, &s, base)...)
	})
	return all
}

// skillsOf are the skills of one source.
func (d *decoder) skillsOf(n *node.Node, s *skillSource, base skillBase) []*skill.Skill {
	switch {
	case s.path != nil && (s.name != nil || s.description != nil || s.instructions != nil):
		d.Errorf(s.path, "field-conflict", "a skill is either read from a path or written in place").Hint =
			"take the path out, or name, description and instructions"
	case s.path != nil && strings.HasPrefix(s.path.Value, "@"): // @org/name is installed
		name, _, _ := strings.Cut(filepath.Base(s.path.Value), "@")
		d.need(FeatureInstalledSkills, s.path, Feature{Instead: fmt.Sprintf(
			"skills are read from folders of the project: copy it there, and write its path, such as skills/%s",
			cmp.Or(name, "pdf"))})
	case s.path != nil:
		return d.skillFolder(s.path, base, s.skill.Preload)
	case s.name == nil:
		d.Missing(n, "a skill", "path, or name, description and instructions")
	case s.description == nil:
		d.Missing(n, "a skill written in place", "description")
	case s.instructions == nil:
		d.Missing(n, "a skill written in place", "instructions")
	default:
		s.skill.Pos = d.Pos(s.name)
		return []*skill.Skill{&s.skill}
	}
	return nil
}

// skillFolder reads all skills in a folder and below it. Links are not followed, because they could lead out of it.
func (d *decoder) skillFolder(at *node.Node, base skillBase, preload bool) (all []*skill.Skill) {
	files := d.places.fs
	if config := (skillBase{d.places.config, "config"}); !files.exists(join(base.dir, at.Value)) &&
		files.exists(join(config.dir, at.Value)) {
		base = config
	}
	folder := join(base.dir, at.Value)
	rel, err := files.rel(base.dir, folder)
	switch {
	case err != nil || !filepath.IsLocal(rel):
		d.Errorf(at, "outside", "the folder of skills %q is not below that of the %s", at.Value, base.of).Hint =
			"skills must stay inside the folder of the " + base.of
		return nil
	case !files.exists(folder):
		d.Errorf(at, MissingFile, "there is no folder %q", folder)
		return nil
	case !files.isDir(folder):
		d.Errorf(at, "not-a-folder", "%q is no folder", folder).Hint = "name the folder that holds " + skill.File
		return nil
	}
	root, found := files.access(folder), 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return nil
		case entry.Name() != skill.File:
			d.linkedSkill(at, root, folder, path, entry)
			d.almostSkill(root, folder, path)
			return nil
		}
		found++
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		shown := filepath.Join(folder, below)
		if entry.Type()&fs.ModeSymlink != 0 {
			d.Errorf(at, "link", "%q is a link, and skills are not read through links", shown).Hint = "put the file itself there"
			return nil
		}
		if s := d.skillFrom(at, shown); s != nil {
			s.Dir, s.Preload = filepath.Dir(path), preload
			s.Path = filepath.ToSlash(filepath.Join(rel, filepath.Dir(below)))
			all = append(all, s)
		}
		return nil
	})
	switch {
	case err != nil:
		d.Errorf(at, "unreadable-file", "the folder %q cannot be read: %v", folder, plainfile.WithoutPath(err))
	case found == 0:
		d.Errorf(at, "no-skills", "there is no %s in %q or below it", skill.File, folder)
	}
	return all
}

// linkedSkill reports a link to a folder with skills.
func (d *decoder) linkedSkill(at *node.Node, root, folder, path string, entry fs.DirEntry) {
	if entry.Type()&fs.ModeSymlink == 0 {
		return
	}
	for _, file := range []string{skill.File, filepath.Join("*", skill.File)} {
		// No error: the pattern is well-formed, and what stands in front of it is no pattern.
		found, _ := fs.Glob(os.DirFS(path), filepath.ToSlash(file))
		if len(found) == 0 {
			continue
		}
		if below, err := filepath.Rel(root, path); err == nil {
			d.Errorf(at, "link", "%q is a link to skills, and skills are not read through links",
				filepath.Join(folder, below)).Hint = "put the folder itself there"
		}
		return
	}
}

// almostSkill warns of a file that was probably meant to make its folder a skill.
func (d *decoder) almostSkill(root, folder, path string) {
	name := filepath.Base(path)
	stem, ext, _ := strings.Cut(strings.ToLower(name), ".")
	_, err := os.Lstat(filepath.Join(filepath.Dir(path), skill.File))
	below, errRel := filepath.Rel(root, path)
	if stem != "skill" && stem != "skills" || !slices.Contains([]string{"md", "mdx", "markdown", "txt", ""}, ext) ||
		err == nil || errRel != nil {
		return
	}
	d.Diags.Warnf(diag.Pos{File: filepath.Join(folder, below)}, 0, "no-skill",
		"the file is not read: that of a skill is called %s, and this one %s", skill.File, name).
		Hint = "rename it to " + skill.File + ", or give it a name that is not so like that"
}

// skillFrom reads one SKILL.md; nil when it cannot be read, which is reported.
func (d *decoder) skillFrom(at *node.Node, path string) *skill.Skill {
	data, problem := d.places.fs.take(path)
	if problem != nil {
		d.Errorf(at, problem.code, "%s", problem.msg).Hint = problem.hint
		return nil
	}
	r := &node.Reader{File: path, Diags: d.Diags, Lenient: d.Lenient}
	s := skill.Read(r, data)
	if s == nil {
		return nil
	}
	d.skillTexts(r, s, string(data))
	if dir := filepath.Base(filepath.Dir(path)); dir != s.Name {
		d.Diags.Warnf(s.Pos, 1, "skill-folder", "the skill %q is in a folder called %q", s.Name, dir)
	}
	return s
}

// skillTexts refuses placeholders in a file of a skill: a model gets its texts unchanged.
func (d *decoder) skillTexts(r *node.Reader, s *skill.Skill, file string) {
	for _, text := range []*string{&s.Description, &s.Instructions} {
		literal, open := literalPlaces(*text)
		*text = literal
		for _, place := range open {
			report := r.Foreignf(nil, notFilled, "the skill %q: nothing fills in %s here", s.Name, short(place))
			report.Hint = writeValue
			before, _, _ := strings.Cut(file, place)
			report.Pos = diag.Pos{File: r.File, Line: int32(1 + strings.Count(before, "\n"))}
		}
	}
}

// skills joins the skills of the config and of its packs, and checks that the filters of states match some.
func (b *build) skills() {
	if len(b.skillList) > 0 {
		b.skillsTwice()
		b.p.Skills = skill.NewSet(b.skillList...)
		b.skillTools()
	}
	w := b.p.Workflow
	if w == nil || w.Graph == nil {
		return
	}
	_, installed := b.p.Has(FeatureInstalledSkills)
	b.skillsNowhere(w)
	for _, state := range w.States {
		if b.p.Skills != nil {
			b.skillFilter(state, w.At(state.Name))
			continue
		}
		f, err := skill.NewFilter(state.Skills)
		idle := err != nil || state.Skills != "" && !f.IsNone()
		if idle && !installed && b.l.diags.Errors() == 0 { // else those of the project may be broken
			b.l.diags.Warnf(w.At(state.Name), utf8.RuneCountInString(state.Name), NoEffect,
				"state %q: skills has no effect: the project has no skills", state.Name)
		}
	}
}

// skillsNowhere warns of skills that no state allows: all of them, or a preloaded one. Others may be in a folder that
// several projects share.
func (b *build) skillsNowhere(w *Workflow) {
	if b.p.Skills == nil {
		return
	}
	allowed := func(s *skill.Skill) bool {
		return slices.ContainsFunc(w.States, func(state *workflow.State) bool {
			f, err := skill.NewFilter(state.Skills)
			return err != nil || f.Allows(s)
		})
	}
	some := slices.ContainsFunc(b.p.Skills.All(), allowed)
	for _, s := range b.p.Skills.All() {
		if (!some || s.Preload) && !allowed(s) {
			b.l.diags.Warnf(s.Pos, utf8.RuneCountInString(s.Name), NoEffect,
				"no state of the workflow allows the skill %q: it can never be active", s.Name).
				Hint = "let skills of a state match it, or take it out"
		}
	}
}

// skillsTwice reports skills with the same name, of which one would be left out. A folder that is named twice is one
// skill, and the config may replace skills of its pack.
func (b *build) skillsTwice() {
	first := map[string]*skill.Skill{}
	for i, s := range b.skillList {
		before := first[s.Name]
		switch {
		case before == nil:
			first[s.Name] = s
		case s.Dir != "" && s.Dir == before.Dir:
		case i >= b.ownSkills && slices.Contains(b.skillList[:b.ownSkills], before):
			b.l.diags.Warnf(s.Pos, 1, NoEffect, "the skill %q of the pack is not used: the config has one of this name, at %s",
				s.Name, before.Pos)
		default:
			b.l.diags.Errorf(s.Pos, 1, "duplicate-id", "two skills are called %q: the first is at %s", s.Name, before.Pos).
				Hint = "give each skill its own name"
		}
	}
}

// skillTools warns of tools of skills that the project does not have: they are not offered. The skill may be written
// for another tool.
func (b *build) skillTools() {
	if b.broken[kindTool] {
		return
	}
	known := append(b.p.OwnTools(), b.names().tools...)
	for _, s := range b.p.Skills.All() {
		for _, name := range s.Tools {
			if !slices.Contains(known, name) && !b.mayBeServed(name) {
				b.l.diags.Warnf(s.ToolsPos, utf8.RuneCountInString(name), "unknown-name",
					"the skill %q names the tool %q, which does not exist: it is not offered", s.Name, name).Hint =
					hintNames(name, known)
			}
		}
	}
}

// unreadable reports whether a filter matches a skill that could not be read, which is reported.
func (b *build) unreadable(f skill.Filter) bool {
	return slices.ContainsFunc(b.l.diags.Sorted(), func(d diag.Diagnostic) bool {
		folder, file := filepath.Split(filepath.ToSlash(d.Pos.File))
		if d.Severity != diag.Error || file != skill.File {
			return false
		}
		parts := strings.Split(strings.Trim(folder, "/"), "/")
		for i := range parts { // the filter begins at the folder of the config
			if f.Allows(&skill.Skill{Name: parts[len(parts)-1], Path: strings.Join(parts[i:], "/")}) {
				return true
			}
		}
		return false
	})
}

func (b *build) skillFilter(state *workflow.State, at diag.Pos) {
	width := utf8.RuneCountInString(state.Name)
	f, err := skill.NewFilter(state.Skills)
	if err != nil {
		b.l.diags.Errorf(at, width, "skill-filter", "state %q: skills: %v", state.Name, err)
		return
	}
	if f.IsNone() || len(b.p.Skills.Allowed(f)) > 0 {
		return
	}
	if b.unreadable(f) {
		return
	}
	var paths []string
	for _, s := range b.p.Skills.All() {
		if s.Path == "" {
			paths = append(paths, s.Name)
			continue
		}
		paths = append(paths, s.Path)
	}
	slices.Sort(paths)
	hint := "the skills are " + strings.Join(slices.Compact(paths), ", ") + "; write none for a state without skills"
	b.l.diags.Errorf(at, width, "skill-filter", "state %q: no skill matches %q", state.Name, state.Skills).Hint = hint
}
