// Package schemalint finds in JSON Schemas what their authors cannot mean: misspelled keywords, rules that no value can
// follow, and rules that ask nothing.
package schemalint
