package chat

import "strings"

// CutMark ends the text of a tool's result of which only the beginning is kept, for the model and for recordings.
const CutMark = "…\n[cut at 1 MiB]"

// Kept returns the kept text of a result, and whether the rest was cut off.
func Kept(text string) (kept string, cut bool) { return strings.CutSuffix(text, CutMark) }
