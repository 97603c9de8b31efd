package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/arena-evals/arena/internal/bundle"
	"github.com/arena-evals/arena/internal/cassette"
	"github.com/arena-evals/arena/internal/harness"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/plural"
	"github.com/arena-evals/arena/internal/scenario"
)

// packProject packs the files that workers need: the folders of the projects, and other files of the command line. It
// leaves out results, hidden files and keys.
func packProject(
	app *App, f *runFlags, suite *scenario.Suite, out *harness.Outputs, deck *cassette.Folder,
) (packed *bundle.Packed, spool *spooled, err error) {
	paths, err := bundlePaths(f, suite)
	if err != nil {
		return nil, nil, err
	}
	left := append(keyFiles(suite), writtenFiles(f, out)...)
	source := bundle.Source{
		Dir: ".", Paths: paths,
		Leave: func(rel string, dir bool) bool {
			if !dir {
				return slices.Contains(left, rel)
			}
			return rel == filepath.ToSlash(filepath.Clean(out.Dir)) ||
				deck != nil && rel == filepath.ToSlash(filepath.Clean(deck.Dir)) || // recordings change during the run
				exists(filepath.Join(filepath.FromSlash(rel), harness.JournalName))
		},
		Refuse: refuseSecrets(app),
	}
	spool = &spooled{}
	if packed, err = spool.pack(&source); err != nil {
		return nil, nil, fmt.Errorf("--workers: %w", errors.Join(err, spool.remove()))
	}
	if err := refuseMissingFiles(suite, packed); err != nil {
		return nil, nil, fmt.Errorf("--workers: %w", errors.Join(err, spool.remove()))
	}
	if len(packed.Keys) > 0 {
		app.remark("not sent to workers, because a private key is in it: %s", strings.Join(packed.Keys, ", "))
	}
	if !f.quiet {
		app.remark("%s, %s packed, go to the broker and to every worker", plural.Count(len(packed.Files), "file"),
			bundle.MiB(packed.Size))
	}
	return packed, spool, nil
}

// refuseMissingFiles refuses a project if the bundle lacks a file that was read.
func refuseMissingFiles(suite *scenario.Suite, packed *bundle.Packed) error {
	sent := map[string]bool{}
	for i := range packed.Files {
		sent[packed.Files[i].Path] = true
	}
	var lacking []string
	for _, name := range suite.Read {
		if name = filepath.ToSlash(name); filepath.IsLocal(name) && !sent[name] && !slices.Contains(lacking, name) {
			lacking = append(lacking, name)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	slices.Sort(lacking)
	return fmt.Errorf("the project reads %s, which no worker gets: what is hidden, holds a key, stands among results or "+
		"is a link that leads out of the project stays here\nhave the files elsewhere", strings.Join(lacking, ", "))
}

// refuseSecrets refuses files that hold a secret.
func refuseSecrets(app *App) func(string, []byte) error {
	secrets := app.secrets.Set()
	return func(_ string, content []byte) error {
		if secrets.In(content) {
			return errors.New("it holds a secret that arena knows, which would go to the broker and to every worker\n" +
				"have it come from a variable, such as ${NAME}, or move the file out of the project")
		}
		return nil
	}
}

// spooled is a bundle in a local folder. It is kept as long as the broker may lose its copy.
type spooled struct{ dir string }

func (s *spooled) pack(source *bundle.Source) (packed *bundle.Packed, err error) {
	if s.dir, err = os.MkdirTemp("", "arena-bundle-*"); err != nil {
		return nil, err
	}
	file, err := os.Create(s.path())
	if err != nil {
		return nil, err
	}
	packed, err = source.Pack(file)
	return packed, errors.Join(err, file.Close())
}

func (s *spooled) path() string { return filepath.Join(s.dir, "bundle") }

func (s *spooled) read() ([]byte, error) { return plainfile.Read(s.path()) }

func (s *spooled) remove() error {
	if s == nil || s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.dir)
}

// bundlePaths are the folders and files to pack, in the working directory.
func bundlePaths(f *runFlags, suite *scenario.Suite) ([]string, error) {
	var paths []string
	for _, p := range suite.Projects {
		paths = append(paths, filepath.Clean(p.Dir))
	}
	for flag, named := range f.spec().Files() {
		if named == "" || slices.Contains([]string{"out", "junit-file", "html-file", "markdown-file"}, flag) {
			continue
		}
		if _, err := os.Stat(named); errors.Is(err, fs.ErrNotExist) {
			continue // a pattern
		}
		paths = append(paths, filepath.Clean(named))
	}
	for _, one := range paths {
		if !filepath.IsLocal(one) {
			return nil, fmt.Errorf("--workers: %s is not below the working directory, and workers get what is\n"+
				"go to a folder that holds the whole project, and name its files from there", one)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	return slices.DeleteFunc(slices.Clone(paths), func(one string) bool { // paths within another path
		return slices.ContainsFunc(paths, func(other string) bool {
			return other != one && (other == "." || strings.HasPrefix(one, other+string(filepath.Separator)))
		})
	}), nil
}

// writtenFiles are the outputs of the run: they are not part of its project.
func writtenFiles(f *runFlags, out *harness.Outputs) (files []string) {
	for _, name := range out.Files() {
		files = append(files, path.Clean(filepath.ToSlash(name)))
	}
	for _, other := range f.otherFiles() {
		files = append(files, path.Clean(filepath.ToSlash(other.Path)))
	}
	return files
}

// keyFiles are the files with keys that providers name.
func keyFiles(suite *scenario.Suite) (files []string) {
	for _, p := range suite.Projects {
		for _, q := range p.Providers {
			if q.KeyFile != "" {
				files = append(files, path.Clean(filepath.ToSlash(q.KeyFile)))
			}
		}
	}
	return files
}
