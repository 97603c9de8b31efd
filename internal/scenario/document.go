package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

// document is one YAML or JSON document of a file: its kind, its name, and the map that holds the values.
type document struct {
	kind kind
	meta Meta
	file string
	root *node.Node
	spec *node.Node // the values
	bare bool       // there is no envelope
}

var apiVersions = []string{"promptkit.altairalabs.ai/v1alpha1", "promptkit.dev/v1"}

// envelope is the outer map of a document.
type envelope struct {
	version, kind, meta, spec *node.Node
}

var envelopeFields = table("the file", func() rows[envelope] {
	return rows[envelope]{
		custom("apiVersion", words(apiVersions...), func(_ *decoder, e *envelope, v *node.Node) { e.version = v }).
			doc("The version of the format."),
		custom("kind", words(envelopeKinds...), func(_ *decoder, e *envelope, v *node.Node) { e.kind = v }).
			doc("What the file describes."),
		custom("metadata", metaFields, func(_ *decoder, e *envelope, v *node.Node) { e.meta = v }).orNull().
			doc("The name of the resource, and labels."),
		custom("spec", closer, func(_ *decoder, e *envelope, v *node.Node) { e.spec = v }).must().doc("The values."),
		remark[envelope]("$schema", text).doc(schemaKeyDoc),
	}
}).strays(underSpec)

var metaFields = table("metadata", func() rows[Meta] {
	return rows[Meta]{
		label("name", func(m *Meta) *string { return &m.ID }).
			doc("The id by which other files, filters and reports name it."),
		remark[Meta]("namespace", text).doc("Where the resource lives in a cluster; arena does nothing with it."),
		custom("labels", textMap, func(d *decoder, m *Meta, v *node.Node) {
			m.Labels = d.plainMap(v, "labels", underSpec)
		}).orNull().doc("Names and values that are copied into the results."),
		custom("annotations", textMap, func(d *decoder, _ *Meta, v *node.Node) {
			d.plainMap(v, "annotations", underSpec)
		}).orNull().doc("Names and values for people and other tools; the results do not have them."),
	}
}).strays(underSpec)

// underSpec is the hint for a key beside spec that belongs into it.
func underSpec(key string) string {
	if specKey(key) {
		return fmt.Sprintf("%q belongs under spec", key)
	}
	return ""
}

// documents reads the documents of a file. want is the kind that the reference to the file requires; "": any. A
// document of unknown kind is read as want, so that its mistakes are found.
func (d *decoder) documents(data []byte, want kind) []document {
	var docs []document
	roots := node.Parse(&d.Reader, data)
	d.split = len(roots)
	for _, root := range roots {
		if doc, ok := d.document(root, want); ok {
			docs = append(docs, doc)
		}
	}
	return docs
}

// listHint says what is missing in a file that is only a list of checks or of turns; "" for other files.
func listHint(root *node.Node) string {
	if root.Kind != node.List || len(root.Content) == 0 {
		return ""
	}
	switch first := root.Content[0]; {
	case node.Get(first, "role") != nil:
		return "write turns: above the list, and the id of the scenario above that"
	case node.Get(first, "type") != nil:
		return "write assertions: above the list, for arena eval --assert; what a scenario checks stands in its turns"
	}
	return ""
}

func (d *decoder) document(root *node.Node, want kind) (document, bool) {
	doc := document{file: d.File, root: root, spec: root, kind: want}
	if root.Kind != node.Map {
		d.WrongType(root, "the file", "a map").Hint = listHint(root)
		return doc, false
	}
	if node.Get(root, "kind") != nil || node.Get(root, "apiVersion") != nil || node.Get(root, "spec") != nil {
		return d.enveloped(doc, want)
	}
	doc.spec, doc.bare = without(root, "$schema"), true
	switch found := recognise(root); {
	case found == kindPersona && want == kindPrompt && node.Get(root, "system_prompt") != nil: // other tools use this key
	case found != "":
		doc.kind = found
	}
	if doc.kind == kindPromptfoo {
		d.Errorf(root, "other-tool", "this is a config of promptfoo, which arena does not read: none of its tests would run").
			Hint = "write each test as a scenario, with its prompt and vars in turns and its assert as assertions, and each " +
			"provider as a provider file (arena init writes examples); or keep the file in another folder"
		return doc, false
	}
	if doc.kind == "" || doc.kind == kindForeign {
		d.unrecognised(root)
		return doc, false
	}
	d.name(&doc, nil)
	return doc, true
}

func (d *decoder) enveloped(doc document, want kind) (document, bool) {
	var e envelope
	envelopeFields.read(d, doc.root, &e)
	if e.version != nil {
		d.version(e.version)
	}
	doc.spec = e.spec
	switch {
	case e.kind != nil:
		name, ok := d.OneOf(e.kind, "kind", envelopeKinds...)
		if !ok {
			return doc, false
		}
		doc.kind = kind(name)
	default:
		doc.kind = want
		missing := d.Missing(doc.root, "the file", "kind")
		if guess := recognise(e.spec); e.spec != nil && guess != "" && guess != kindForeign {
			doc.kind = guess
			missing.Hint = "add: kind: " + string(guess)
		}
	}
	if e.spec == nil || doc.kind == "" {
		return doc, false
	}
	if e.meta != nil {
		metaFields.read(d, e.meta, &doc.meta)
	}
	d.name(&doc, node.Get(e.meta, "name"))
	return doc, true
}

func (d *decoder) version(n *node.Node) {
	if slices.Contains(apiVersions, n.Value) {
		return
	}
	d.Foreignf(n, "unknown-version", "unknown apiVersion %q", n.Value).Hint = "write " + apiVersions[0]
}

// name sets id and position of a document: metadata.name, else id or name of its values, else the file name.
func (d *decoder) name(doc *document, at *node.Node) {
	doc.meta.Pos = d.Pos(doc.root)
	if at != nil && doc.meta.ID != "" {
		doc.meta.Pos = d.Pos(at)
	}
	own := node.Get(doc.spec, "id")
	if doc.kind == kindTool || own == nil && doc.bare {
		own = node.Get(doc.spec, "name")
	}
	id := ""
	if own != nil && own.Kind == node.Scalar && !node.IsNull(own) {
		id = strings.TrimSpace(own.Value)
	}
	switch {
	case doc.meta.ID == "" && id != "":
		doc.meta.ID, doc.meta.Pos = id, d.Pos(own)
	case doc.meta.ID == "":
		doc.meta.ID = fileID(d.File)
	case id != "" && id != doc.meta.ID && doc.kind != kindArena:
		doc.meta.Alias = id
		told := d.Warnf(own, "two-names", "%s is also named %q by metadata.name, which wins", quoted(id), doc.meta.ID)
		if doc.kind == kindProvider {
			told.Owner = doc.meta.Pos
		}
	}
}

// fileID is a file name without extensions: scenarios/refund.scenario.yaml is refund.
func fileID(file string) string {
	base := filepath.Base(file)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	for _, end := range []string{
		".scenario", ".provider", ".prompt", ".tool", ".persona", ".eval", ".arena", ".pack", ".runtime", ".recording",
	} {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// splitHint is the hint for a document that lacks a key which another document of the file may have.
func (d *decoder) splitHint() string {
	return fmt.Sprintf("the file holds %d documents, divided by a line ---; remove that line if they are one", d.split)
}

func (d *decoder) unrecognised(root *node.Node) {
	const looked = "kind and spec, or turns, system_template, type and model, input_schema, goals, recording, scenarios"
	report := d.Errorf(nil, "unknown-document", "nothing in this file says what it is; looked for %s", looked)
	report.Pos = d.Pos(root)
	names := signNames()
	for _, key := range node.Keys(root) {
		where := placementHint(key)
		if key == "conversation_assertions" {
			where = "to judge recordings, write kind: Eval and list the checks as assertions below spec; " +
				"in a scenario it goes beside turns"
		}
		if where != "" {
			report.Hint = fmt.Sprintf("%q: %s", key, where)
			return
		}
		if hint := diag.DidYouMean(key, names); hint != "" {
			report.Hint = fmt.Sprintf("%q: %s", key, hint)
			return
		}
	}
	if d.split > 1 {
		report.Hint = d.splitHint()
		return
	}
	report.Hint = "a file of another tool? name the files to load instead of their folder"
}

// plainMap reads a map of texts. belongs may return a hint for keys that belong elsewhere.
func (d *decoder) plainMap(n *node.Node, what string, belongs func(key string) string) map[string]string {
	m := map[string]string{}
	d.Each(n, what, func(key string, k, v *node.Node) {
		switch {
		case v.Kind != node.Scalar:
			report := d.Errorf(v, "wrong-type", "%s.%s must be text", what, key)
			if belongs != nil && belongs(key) != "" {
				report.Pos, report.Width, report.Hint = d.Pos(k), len(key), belongs(key)
			}
		case !node.IsNull(v):
			m[key] = v.Value
		}
	})
	return m
}

// without returns a copy of a map without one key.
func without(n *node.Node, key string) *node.Node {
	if node.Get(n, key) == nil {
		return n
	}
	rest := *n
	rest.Content = make([]*node.Node, 0, len(n.Content))
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			rest.Content = append(rest.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &rest
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }
