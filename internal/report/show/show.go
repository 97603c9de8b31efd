// Package show holds what all report formats share: how numbers, times and money are written, how untrusted text is
// cleaned and cut to a width, and how a verdict, a trial and a group of trials are written in one line. It reads
// results and decides nothing.
package show
