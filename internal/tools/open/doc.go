// Package open makes the tools that the files of a project describe, by the way in which each of them is run.
package open
