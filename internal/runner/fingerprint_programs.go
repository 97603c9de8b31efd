package runner

import (
	"path/filepath"
	"strings"

	"github.com/arena-evals/arena/internal/process"
	"github.com/arena-evals/arena/internal/scenario"
)

// programSums are sums of the files of programs, by the words of their command lines. Files that a program reads
// without being named there, such as the modules of an interpreter, are not included.
type programSums map[string]string

// add sums the program itself, also where PATH leads to it, and the files that its arguments name, also as --name=file.
func (p programSums) add(dir, command string, args []string) {
	if file, err := process.Look(dir, command); err == nil {
		p.sum(command, file)
	} else {
		p.sum(command, within(dir, command)) // it may become executable
	}
	for _, word := range args {
		p.sum(word, within(dir, word))
		if name, file, sets := strings.Cut(word, "="); sets && strings.HasPrefix(name, "-") {
			p.sum(word, within(dir, file))
		}
	}
}

// addOwn sums those files of a command line that belong to the project: the program itself and its arguments, where
// they are no absolute paths and not found by PATH. They are the same on every machine that has the project.
func (p programSums) addOwn(dir, command string, args []string) {
	for _, word := range append([]string{command}, args...) {
		if name, file, sets := strings.Cut(word, "="); sets && strings.HasPrefix(name, "-") && !filepath.IsAbs(file) {
			p.sum(word, within(dir, file))
		}
		if !filepath.IsAbs(word) {
			p.sum(word, within(dir, word))
		}
	}
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// sum adds the content of a file to a word. The same word may name several files, each from another folder.
func (p programSums) sum(word, path string) {
	if sum := string(scenario.FileDigest(path)); sum != "" && !strings.Contains(p[word], sum) {
		p[word] += sum
	}
}
