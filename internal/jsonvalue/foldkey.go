package jsonvalue

import "strings"

// FoldKey folds the spellings of a key to one: is_error, isError and IsError to iserror.
func FoldKey(key string) string { return strings.ToLower(strings.ReplaceAll(key, "_", "")) }
