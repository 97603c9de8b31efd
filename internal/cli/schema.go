package cli

import (
	"fmt"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/report/jsonout"
)

// schemas are the file formats whose JSON Schema can be printed.
var schemas = map[string]func() ([]byte, error){
	"results": func() ([]byte, error) { return jsonout.Schema(), nil },
}

func schemaNames() []string { return []string{"results"} }

func schemaOf(name string) ([]byte, error) {
	if make, ok := schemas[name]; ok {
		return make()
	}
	err := fmt.Errorf("there is no schema %q", name)
	if near := diag.Nearest(name, schemaNames()); near != "" {
		err = fmt.Errorf("%w\ndid you mean %q?", err, near)
	}
	return nil, err
}
