package scenario

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// fragmentRef is a text from another file that a prompt includes.
type fragmentRef struct {
	name, path string
	required   bool
	at         *node.Node
}

var fragmentFields = table("a fragment", func() rows[fragmentRef] {
	return rows[fragmentRef]{
		custom("name", text, func(d *decoder, f *fragmentRef, v *node.Node) {
			f.at = v
			f.name, _ = d.Name(v, "name")
		}).must().doc("The placeholder that the text takes."),
		label("path", func(f *fragmentRef) *string { return &f.path }).doc("The file of the text."),
		flag("required", func(f *fragmentRef) *bool { return &f.required }).doc("Whether a missing file is an error."),
	}
})

// fragmentFileFields are the keys of a fragment's file.
var fragmentFileFields = table("a fragment file", func() rows[fragmentBody] {
	return rows[fragmentBody]{
		remark[fragmentBody]("fragment_type", text).doc("What kind of text it is, for people."),
		remark[fragmentBody]("version", text).doc("The version of the text, for people."),
		remark[fragmentBody]("description", text).doc("What the text is for, for people."),
		str("content", func(f *fragmentBody) *string { return &f.content }).must().doc("The text."),
	}
})

type fragmentBody struct{ content string }

// loadFragments reads the fragments of a prompt. Names and paths may contain variables of the prompt. pack holds the
// fragments of a pack.
func (d *decoder) loadFragments(p *promptFile, pack map[string]string) {
	if len(p.fragments) == 0 && len(pack) == 0 {
		return
	}
	p.Fragments = map[string]string{}
	maps.Copy(p.Fragments, pack)
	vars := p.variables()
	for _, f := range p.fragments {
		name, open := Render(f.name, vars)
		path, more := Render(f.path, vars)
		d.named = slices.Concat(d.named, Placeholders(f.name), Placeholders(f.path))
		if open = append(open, more...); len(open) > 0 {
			d.Errorf(f.at, "open-placeholder", "no variable is named {{%s}} in the fragment %q", open[0], f.name).
				Hint = "a fragment can use only the variables of its prompt"
			continue
		}
		d.given = append(d.given, givenVariable{name: name, pos: d.Pos(f.at), prompt: p.Prompt, fragment: true})
		if _, ok := p.Fragments[name]; ok && path == "" {
			continue
		}
		if content, ok := d.packFragments[name]; ok && path == "" {
			p.Fragments[name] = content
			continue
		}
		content, found := d.fragment(f.at, name, path)
		switch {
		case found:
			p.Fragments[name] = content
		case f.required:
			d.Errorf(f.at, "missing-file", "there is no file for the fragment %q", name).Hint = d.fragmentHint(name, path)
		default:
			p.Fragments[name] = ""
			d.Warnf(f.at, "missing-file", "there is no file for the optional fragment %q", name).
				Hint = d.fragmentHint(name, path)
		}
	}
}

func (d *decoder) fragmentHint(name, path string) string {
	return "looked for " + strings.Join(d.fragmentPlaces(name, path), " and ")
}

// fragmentPlaces are the files that may hold a fragment: its path from the file of the prompt or from the config, or
// fragments/<name>.yaml beside either.
func (d *decoder) fragmentPlaces(name, path string) []string {
	dirs := []string{filepath.Dir(d.File)}
	if dirs[0] != filepath.Clean(d.places.config) {
		dirs = append(dirs, d.places.config)
	}
	var all []string
	for _, dir := range dirs {
		if path != "" {
			all = append(all, join(dir, path))
		} else {
			all = append(all, join(dir, filepath.Join("fragments", filepath.Base(name)+".yaml")))
		}
	}
	return all
}

// fragment reads a fragment from the first existing file. found is also true when that file is broken, which is
// reported.
func (d *decoder) fragment(at *node.Node, name, path string) (content string, found bool) {
	for _, file := range d.fragmentPlaces(name, path) {
		if !d.places.fs.exists(file) {
			continue
		}
		data, problem := d.places.fs.take(file)
		if problem != nil {
			d.Errorf(at, problem.code, "%s", problem.msg)
			return "", true
		}
		switch strings.ToLower(filepath.Ext(file)) {
		case ".yaml", ".yml", ".json":
			return d.fragmentBody(file, data), true
		}
		return strings.ToValidUTF8(string(data), "\uFFFD"), true
	}
	return "", false
}

func (d *decoder) fragmentBody(file string, data []byte) string {
	inner := *d
	inner.Reader.File = file
	docs := node.Parse(&inner.Reader, data)
	if len(docs) != 1 {
		d.Diags.Errorf(diag.Pos{File: file, Line: 1, Col: 1}, 1, "wrong-type", "a fragment file holds one document")
		return ""
	}
	var body fragmentBody
	fragmentFileFields.read(&inner, docs[0], &body)
	return body.content
}
