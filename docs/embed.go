// Package docs holds the guides, for the command that shows them.
package docs

import "embed"

// Guides are the pages of the folder guide, which are read in the order of their names.
//
//go:embed guide/*.md
var Guides embed.FS
