// Package docs holds the guides and the references, for the command that shows them.
package docs

import "embed"

// Guides are the pages of the folder guide, which are read in the order of their names.
//
//go:embed guide/*.md
var Guides embed.FS

// References are the pages beside that folder, but for the one about checks, which arena checks shows.
//
//go:embed architecture.md baseline.md compat.md compositions.md conformance.md dispatch.md events.md glossary.md go.md
//go:embed http-endpoints.md journal.md metrics.md programs.md providers.md recordings.md tools.md traces.md
//go:embed variables.md workers.md
var References embed.FS
