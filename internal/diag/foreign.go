package diag

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// extensions are those of files that arena reads. Messages do not show lines of other files.
var extensions = []string{
	".yaml", ".yml", ".json", ".jsonl", ".ndjson", ".md", ".markdown", ".txt", ".csv", ".tsv", ".html", ".sql", ".pack",
	".prompt", ".tmpl", ".eval",
}

// foreignStarts are the beginnings of files of other programs: private keys, variables of an environment, INI files,
// and a single word, which may be a password.
var foreignStarts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:-----BEGIN |(?:export\s+)?[A-Za-z_][A-Za-z0-9_.]*\s*=|\[[A-Za-z][^\]{}",:]*\]\s*$|` +
		`machine\s|[^\s:,{}\[\]"'<>!&*%?@|-][^\s:,{}\[\]"']*$|[^:\s]+:[^:\s]*:\d+:\d+:|ssh-|PuTTY-)`)
})

// Foreign reports whether a file is hardly one that arena reads, such as a private key, an .env file or a list of
// passwords that somebody named by mistake. Messages about it show nothing of it.
func Foreign(file string, data []byte) bool {
	name := strings.ToLower(filepath.Base(file))
	if strings.HasPrefix(name, "--") { // a flag, of which whoever typed it knows what it holds
		return false
	}
	if strings.HasPrefix(name, ".env") || !slices.Contains(extensions, filepath.Ext(name)) {
		return true
	}
	for _, line := range Lines(file, data[:min(len(data), startSize)]) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return foreignStarts().MatchString(line)
		}
	}
	return false
}

// startSize is how much of a file is looked at, in bytes.
const startSize = 1 << 14
