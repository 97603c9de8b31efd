// Package schemalint finds mistakes in JSON Schemas: misspelled keywords, rules that no value can satisfy, and rules
// without effect.
package schemalint
