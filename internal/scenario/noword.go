package scenario

import (
	"strconv"
	"strings"
)

// noWords are texts that programs write into cells without a value.
var noWords = map[string]bool{
	"NaN": true, "nan": true, "None": true, "null": true, "NULL": true, "undefined": true, "<NA>": true, "#N/A": true,
	"#REF!": true, "#VALUE!": true, "#NAME?": true, "#DIV/0!": true, "#NUM!": true, "#NULL!": true,
	"[object Object]": true,
}

// noValue is the code of a cell that holds one of noWords.
const noValue = "no-value"

// noWord doubts a text of a check that is filled in with such a cell: a ban of it always passes.
func (v *Values) noWord(text, filled string) []placeholderFault {
	if v.row == nil || !noWords[strings.TrimSpace(filled)] || !aPlaceholder(strings.TrimSpace(text)) {
		return nil
	}
	return []placeholderFault{{
		code: noValue, doubt: true, hint: "if nothing is meant, leave the row out, or write what is expected",
		msg: strings.TrimSpace(text) + " is " + strconv.Quote(strings.TrimSpace(filled)) + " in this row, as programs " +
			"write it where there is no value",
	}}
}
