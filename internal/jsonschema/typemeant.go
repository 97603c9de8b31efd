package jsonschema

import (
	"strings"

	"github.com/arena-evals/arena/internal/diag"
)

// types are the words that a schema has for types.
var types = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typesElsewhere maps type names of other languages.
var typesElsewhere = map[string]string{
	"str": "string", "text": "string", "char": "string", "varchar": "string", "uuid": "string",
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer", "uint": "integer",
	"float": "number", "double": "number", "decimal": "number", "float64": "number", "real": "number",
	"bool": "boolean", "dict": "object", "map": "object", "struct": "object", "record": "object", "hash": "object",
	"list": "array", "tuple": "array", "slice": "array", "none": "null", "nil": "null", "undefined": "null",
	"date": "string, format: date", "datetime": "string, format: date-time", "url": "string, format: uri",
	"uri": "string, format: uri", "email": "string, format: email",
}

// TypeMeant is the JSON type for a word that is not one; "": unknown.
func TypeMeant(word string) string {
	word = strings.ToLower(strings.TrimSpace(word))
	if meant := typesElsewhere[word]; meant != "" {
		return "write type: " + meant
	}
	if near := diag.Nearest(word, types); near != "" {
		return "write type: " + near
	}
	return ""
}
