// Package preflight finds what the scenarios of a project cannot do and cannot mean, before anything is planned,
// started or called.
package preflight
