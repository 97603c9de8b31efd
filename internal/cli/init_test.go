package cli

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/arena-evals/arena/internal/cli/template"
)

// TestInitNamesSchemas: every file of the project that has a schema names it, and the schema is one of the files.
func TestInitNamesSchemas(t *testing.T) {
	t.Parallel()
	files, err := template.Project("github")
	if err != nil {
		t.Fatal(err)
	}
	if files, err = withSchemas(files); err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, f := range files {
		if path.Ext(f.Path) != ".yaml" || strings.HasPrefix(f.Path, ".") {
			continue
		}
		line, _, _ := strings.Cut(string(f.Data), "\n")
		at := path.Join(path.Dir(f.Path), strings.TrimPrefix(line, schemaLine))
		i := slices.IndexFunc(files, func(s template.File) bool { return s.Path == at })
		if i < 0 {
			t.Errorf("%s begins with %q, and there is no %s", f.Path, line, at)
			continue
		}
		var schema struct{ Title string }
		if err := json.Unmarshal(files[i].Data, &schema); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		kind := "arena"
		if folder := path.Dir(f.Path); folder != "." {
			kind = strings.TrimSuffix(folder, "s")
		}
		if schema.Title != "arena "+kind {
			t.Errorf("%s names the schema of %q", f.Path, schema.Title)
		}
		named++
	}
	if named < 7 {
		t.Errorf("%d files name a schema", named)
	}
}
