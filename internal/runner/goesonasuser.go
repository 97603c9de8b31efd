package runner

import (
	"regexp"
	"strings"
	"sync"
)

// speakerLine finds a line with which somebody begins to speak in a transcript.
var speakerLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:\*\*|#+ )?(User|Human|USER|HUMAN|Assistant|ASSISTANT|AI|Agent|Bot)` +
		`(?:\*\*)?:(?:\*\*)?[ \t]*(.*)$`)
})

// fieldLine finds a line of a list of fields.
var fieldLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\W*\w[\w ]{0,30}:(?:\s|\*|$)`) })

// goesOnAsUser is the line in which a reply goes on as its user; "": it does not. A model that was not stopped at the
// end of its turn writes the rest of the conversation itself, and checks read that too. A transcript that was asked for
// is announced, or begins with its first line; a line among other fields names a user.
func goesOnAsUser(text string) string {
	if !strings.Contains(text, ":") {
		return ""
	}
	for _, at := range speakerLine().FindAllStringSubmatchIndex(text, -1) {
		who, said := strings.ToLower(text[at[2]:at[3]]), strings.TrimSpace(text[at[4]:at[5]])
		before := strings.TrimSpace(text[:at[0]])
		if who != "user" && who != "human" {
			if before == "" { // a model that names itself
				continue
			}
			return ""
		}
		last := before[strings.LastIndexByte(before, '\n')+1:]
		named := speakerLine().MatchString(last)
		if before == "" || !named && (strings.HasSuffix(before, ":") || fieldLine().MatchString(last)) ||
			strings.Count(before, "```")%2 == 1 {
			return ""
		}
		if !strings.ContainsAny(said, "?!.") && !speaksAgain(text[at[1]:]) {
			return ""
		}
		return strings.TrimSpace(text[at[0]:at[1]])
	}
	return ""
}

// speaksAgain reports whether the agent speaks again in the lines of a text.
func speaksAgain(text string) bool {
	for _, line := range speakerLine().FindAllStringSubmatch(text, -1) {
		if who := strings.ToLower(line[1]); who != "user" && who != "human" {
			return true
		}
	}
	return false
}
