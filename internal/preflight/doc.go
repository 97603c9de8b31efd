// Package preflight finds what in the scenarios of a project cannot work or cannot be intended, before anything is
// planned, started or called.
package preflight
