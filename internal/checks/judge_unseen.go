package checks

import (
	"regexp"
	"sync"
)

// unseenMedia is the kind of a medium in the messages in scope that the author's criteria speak of; "": none. A judge
// gets the words alone.
func (g *grader) unseenMedia(s *Subject) string {
	if g.Own == "" && g.Rubric == "" {
		return ""
	}
	text := g.Own + "\n" + g.Rubric
	start := max(0, s.Start-1) // the message of the user is in scope, too
	for i := range s.Messages[start:] {
		for _, p := range s.Messages[start+i].Parts {
			if p.Media == nil {
				continue
			}
			if named := mediaWords()[p.Type]; named != nil && named.MatchString(text) {
				return p.Type
			}
		}
	}
	return ""
}

// mediaWords find words for kinds of media in criteria.
var mediaWords = sync.OnceValue(func() map[string]*regexp.Regexp {
	words := func(list string) *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[^\pL])(?:` + list + `)(?:$|[^\pL])`)
	}
	return map[string]*regexp.Regexp{
		"image": words(`images?|pictures?|photos?|photographs?|screenshots?|drawings?|logos?|bild(?:er|s)?|fotos?|` +
			`imágen(?:es)?|` +
			`imagen|immagin[ei]|dessins?`),
		"audio": words(`audio|sounds?|recordings?|pronunciation|aufnahmen?`),
		"video": words(`videos?|clips?|films?|footage|vidéos?|vídeos?`),
	}
})
