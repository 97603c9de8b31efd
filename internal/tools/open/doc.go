// Package open makes the tools that the files of a project describe, by the way in which each of them runs.
package open
