package scenario

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/joho/godotenv"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
)

var variable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)(:-([^}]*))?\}`)
})

// Unset is a variable that a text uses and that is not set. The text is then "", so that it is never sent incomplete.
// The code that needs the text reports it, because some runs do not need it.
type Unset struct {
	Name string
	Pos  diag.Pos // of the text
}

// Report reports the variable; of names the setting that needs it, or is "".
func (u Unset) Report(of string, d *diag.List) {
	if of != "" {
		of += ": "
	}
	d.Errorf(u.Pos, 1, "unset-variable", "%sthe environment has no %s", of, u.Name).Hint = u.Advice()
}

// Advice says what to do.
func (u Unset) Advice() string {
	return "set it, write it into .env, or give a default: ${" + u.Name + ":-…}"
}

// expand puts variables into a text. When one is not set, the text is empty.
func (d *decoder) expand(n *node.Node, s string, missing *[]Unset) string {
	out := Expand(s, d.getenv)
	for _, name := range out.Unset {
		*missing = append(*missing, Unset{name, d.Pos(n)})
	}
	if len(out.Unset) > 0 {
		return ""
	}
	return out.Text
}

// Expanded is a text after expansion of environment variables.
type Expanded struct {
	Text   string
	Values []string // values from the environment, which may be secrets
	Unset  []string // names of variables that are not set
}

// Expand replaces ${NAME} and ${NAME:-default} in a text by environment variables.
func Expand(s string, getenv func(name string) (string, bool)) (out Expanded) {
	out.Text = variable().ReplaceAllStringFunc(s, func(m string) string {
		parts := variable().FindStringSubmatch(m)
		value, set := getenv(parts[1])
		switch {
		case parts[2] != "" && value == "": // as in a shell, :- also replaces an empty value
			return parts[3]
		case !set:
			out.Unset = append(out.Unset, parts[1])
		default:
			out.Values = append(out.Values, value)
		}
		return value
	})
	return out
}

// withDotenv adds the variables of a .env file in dir to the environment, which has precedence. No message shows its
// content.
func (l *loader) withDotenv(dir string) (getenv func(string) (string, bool), vars map[string]string) {
	file := join(dir, ".env")
	if !l.fs.exists(file) {
		return l.getenv, nil
	}
	data, problem := l.fs.read(file)
	if problem != nil {
		l.diags.Errorf(diag.Pos{File: file}, 0, problem.code, "%s", problem.msg)
		return l.getenv, nil
	}
	vars, err := godotenv.UnmarshalBytes(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if err != nil {
		pos := diag.Pos{File: file, Line: strayLine(data)}
		l.diags.Errorf(pos, 0, "dotenv-syntax", "this line is not NAME=value").Hint = "comments start with #"
		return l.getenv, nil
	}
	return func(name string) (string, bool) {
		if v, ok := l.getenv(name); ok {
			return v, true
		}
		v, ok := vars[name]
		return v, ok
	}, vars
}

// strayLine guesses the line that is not an assignment. The message of the library may contain secrets, so it is not
// used.
func strayLine(data []byte) int32 {
	assignment := regexp.MustCompile(`^\s*(export\s+)?[\w.]+\s*[=:]`)
	for i, line := range strings.Split(string(data), "\n") {
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "#") && !assignment.MatchString(line) {
			return int32(i + 1)
		}
	}
	return 1
}
