package node

import (
	"regexp"
	"strings"
	"sync"
)

// Mistakes that go unnoticed where a text must not occur: the mistaken text never occurs. They are checked in all such
// places: searched texts, compared values, and regular expressions.

// Foreign finds the notation of another tool or language in a text: icontains:word, file://words.txt, r'word'. Text is
// what follows after "is taken with".
func Foreign(text string) Oddity {
	if m := prefixed().FindStringSubmatch(text); m != nil {
		return Oddity{m[1] + " in front of it, which means nothing here", "write " + m[2] + foreignCheck(m[1])}
	}
	if fileName().MatchString(text) {
		return Oddity{"the name of a file, which is not read", "write what is in the file as entries of the list"}
	}
	if m := wrapped().FindStringSubmatch(text); m != nil {
		return Oddity{"what is written around it", "write " + m[1] + m[2] + m[3]}
	}
	if m := flagged().FindStringSubmatch(text); m != nil {
		return Oddity{m[2] + " behind it", "write " + m[1] + "; in a regular expression (?i) in front ignores case"}
	}
	return Oddity{}
}

// FindPlaceholder finds a text that stands for another one in other tools, and is literal here: file://criteria.md,
// prompts/criteria.md, {criteria}, $CRITERIA, <criteria>, TODO. userMessage: it is a message of a user, which may be a
// file name or nearly empty. sure: it can have no literal meaning.
func FindPlaceholder(text string, userMessage bool) (odd Oddity, sure bool) {
	text = strings.TrimSpace(text)
	switch {
	case fileName().MatchString(text), plainPath().MatchString(text) && (!userMessage || strings.Contains(text, "/")):
		return Oddity{"is the name of a file, which is not read", "write here what is in the file"}, true
	case bracedAlone().MatchString(text):
		return Oddity{"is a name in braces, which nothing fills in", "a variable is written {" + text + "}"}, true
	case dollarAlone().MatchString(text):
		return Oddity{"is the name of a variable, which nothing fills in",
			"a variable is written {{" + strings.Trim(text, "${}") + "}}"}, true
	case openPlace().MatchString(text), !userMessage && placeLeft().MatchString(text):
		return Oddity{"is a place that was to be filled in", "write here what is meant"}, false
	}
	return Oddity{}, false
}

func foreignCheck(prefix string) string {
	switch {
	case strings.HasPrefix(prefix, "re") || strings.HasPrefix(prefix, "p"):
		return "; the check regex takes patterns"
	default:
		return "; what is done with a text is said by the type of the check"
	}
}

var (
	prefixed = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^((?:re|regex|regexp|pattern|glob|(?:not-)?(?:i?contains(?:-any|-all)?|i?equals|` +
			`starts-with|ends-with|regex)|exact|literal):)([^\s/:].*)$`)
	})
	fileName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:file:(?://)?|@|\./|!include +)[\w./-]+\.(?:txt|csv|json|jsonl|ya?ml|md|js|py)$`)
	})
	// prompts/system.md, ./system.txt, system.md.
	plainPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\.{0,2}/)?(?:[\w.-]+/)*[\w-][\w.-]*\.` +
			`(?:txt|md|markdown|json|jsonl|csv|ya?ml|j2|jinja2?|tmpl|tpl|mustache|hbs|prompt)$`)
	})
	dollarAlone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$(?:[A-Za-z_]\w*|\{\w+\})$`) })
	// <your prompt here>, but not <br>; %s.
	openPlace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:<(?i:your |the |add |insert |write )[\w ,.-]*>|` +
			`<(?i:question|criteria|prompt|system_prompt|message|content|text|input|answer|expected)>|` +
			`%s|\{\d*\}|TODO:?|FIXME:?)$`)
	})
	placeLeft = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:\.{3}|…|-+|\?+|tbd|xxx+|none|null|nil|undefined|n/?a|lorem ipsum.*)$`)
	})
	bracedAlone = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{\w+\}$`) })
	// `word`, r'word', r"word", m/word/.
	wrapped = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^(?:`([^`]+)`" + `|[rb]'([^']+)'|[rb]"([^"]+)"|(?:m|qr)/[^/\s]+/[a-z]*)$`)
	})
	// word/i and word/gi, but not miles/h.
	flagged = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([^/\s]{3,})(/(?:g?i|ig?|gi?m|im|gm|iu|giu))$`)
	})
)

// Several returns the entries of a text that looks like several values in one: 4111,4222. It is nil for other texts,
// such as numbers, coordinates and "Berlin, Germany".
func Several(text string) []string {
	if !strings.ContainsAny(text, ",;") || !valueList().MatchString(text) || oneNumber().MatchString(text) {
		return nil
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' })
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	if len(parts) == 2 && capital().MatchString(parts[0]) {
		return nil
	}
	return parts
}

var (
	valueList = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\pL\d_.@+-]+(?: *[,;] *[\pL\d_.@+-]+)*[,;]?$`)
	})
	// 1,000 and 12,50 and 48.137, 11.575.
	oneNumber = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+,\d{1,2}|\d+\.\d+ *[,;] *[+-]?\d+\.\d+)$`)
	})
	capital = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\p{Lu}\pL`) })
)

// DoubtValue finds probable mistakes in a text that a whole value is compared with and must not equal. Text is what
// follows the value.
func DoubtValue(n *Node) Oddity {
	text := n.Value
	switch foreign := Foreign(text); {
	case text != "" && strings.TrimSpace(text) == "":
		return Oddity{"is blank", "write what is meant"}
	case IsBlock(n) && strings.HasSuffix(text, "\n"):
		return Oddity{"is compared with the line end after it", blockHint}
	case foreign != Oddity{}:
		return Oddity{"is compared with " + foreign.Text, foreign.Hint}
	case jsonList().MatchString(text):
		return Oddity{"is a list in quotes, and is compared with its brackets", "write it without quotes: " + text}
	case Several(text) != nil:
		return Oddity{"is compared as one text", "write each value for itself: [" + strings.Join(Several(text), ", ") + "]"}
	case operator().MatchString(text):
		return Oddity{"is compared as it stands, with its sign or not",
			"a value is equal or it is not; write the values themselves"}
	case anyValue().MatchString(text):
		return Oddity{"looks like a pattern, but is compared as it stands",
			"write the whole value; a regular expression is no value here"}
	}
	return Oddity{}
}

// LoneEntry is a list with a single entry in which the commas are missing: [4111 4222]. It is nil for any other list.
func LoneEntry(list *Node) []string {
	if list.Kind != List || len(list.Content) != 1 || !IsPlain(list.Content[0]) || IsBlock(list.Content[0]) {
		return nil
	}
	words := strings.Fields(list.Content[0].Value)
	for _, word := range words {
		if !numbered().MatchString(word) {
			return nil
		}
	}
	if len(words) < 2 {
		return nil
	}
	return words
}

var (
	jsonList = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[\s*\S.*\]$`) })
	operator = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[<>]=?|[!=]=|[≥≤≠]) *[-\w.]*[\w]$|^= *-?\d[\d.]*$|^(?i:not |!) *-?\d[\w.]*$`)
	})
	anyValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\^.*\$|\^?\.[*+]\$?|\^\w.*)$`) })
	numbered = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_-]*\d[\pL\d_-]*$`) })
)
