// Package selection decides which part of a plan is run: what names, patterns and rows somebody asked for, what is
// drawn by chance, and the shares of several machines.
package selection
