package scenario

import (
	"path/filepath"
	"regexp"
	"slices"
)

// unlistedTool is what to do about a tool that a file has which the config does not list; "": there is no such file. It
// looks into the folder of the config, its folder tools, and those of the files that the config lists.
func (b *build) unlistedTool(name string) string {
	if b.in.config == "" || name == "" {
		return ""
	}
	named := regexp.MustCompile(`(?m)\b(?:name|id)"?: *["']?` + regexp.QuoteMeta(name) + `["']?\s*(?:[,}#]|$)`)
	folders := []string{b.places.config, filepath.Join(b.places.config, "tools")}
	for _, j := range b.jobs {
		if dir := filepath.Dir(j.path); j.want == kindTool && !slices.Contains(folders, dir) {
			folders = append(folders, dir)
		}
	}
	for _, dir := range folders {
		for _, file := range b.l.fs.names(dir) {
			path := filepath.Join(dir, file)
			if !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
				continue
			}
			data, problem := b.l.fs.read(path)
			if problem == nil {
				b.l.fs.count.Add(-1) // it is no file of the project
			}
			if problem != nil || !named.Match(data) || b.l.detectKind(path, data) != kindTool {
				continue
			}
			if rel, err := b.l.fs.rel(b.places.config, path); err == nil {
				return filepath.ToSlash(path) + " has it, and the config does not list that: write it below tools: - file: " +
					filepath.ToSlash(rel)
			}
		}
	}
	return ""
}
