package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/plainfile"
	"github.com/arena-evals/arena/internal/result"
	"github.com/arena-evals/arena/internal/scenario"
)

const settingsFile = ".arena.yaml"

// envPrefix is the prefix of variables that set flags: ARENA_MAX_TOKENS is --max-tokens.
const envPrefix = "ARENA_"

// applySettings sets the flags that the command line does not set: from ARENA_* variables, then from .arena.yaml in the
// working directory. settable lists what they may set; everything else is refused. Code below the command line never
// sees the name of a setting.
func applySettings(app *App, cmd *cobra.Command) error {
	known := flagNames(cmd.Root())
	file, err := readSettings(cmd.Root(), known)
	if err != nil {
		return err
	}
	if err := refuseUnknownVariables(app, cmd, known); err != nil {
		return err
	}
	warnEmptySettings(app, cmd)
	app.origins = map[string]*origin{}
	errs := refuseVariables(app, cmd, known)
	file.refuseKeys(cmd)
	values, names := variables(app, known)
	errs = append(errs, file.combineStrictest(values)...)
	v := viper.New()
	for name, value := range file.values {
		v.SetDefault(name, value)
	}
	for name, value := range values {
		v.Set(name, value)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name == failOn && !isNotASetting(f) {
			addReasons(f, v.GetString(failOn))
		}
		if f.Changed || f.Name == "help" || isNotASetting(f) || !v.IsSet(f.Name) {
			return
		}
		value := v.GetString(f.Name)
		if ok, _ := mayBeSet(cmd, f.Name); ok {
			app.setOrigin(f.Name, names[f.Name], value, file)
		}
		if cmd.Flags().Set(f.Name, value) == nil {
			return
		}
		if name := names[f.Name]; name != "" {
			errs = append(errs, badValue(name, f, value))
		} else {
			file.reader.Errorf(file.nodes[f.Name], "wrong-type", "%v", badValue(f.Name, f, value))
		}
	})
	errs = append(errs, unfilledPaths(cmd)...)
	return errors.Join(append(errs, file.complain(app))...)
}

// setOrigin records the source of the value of a flag: a variable, or "" for the file.
func (a *App) setOrigin(flag, variable, value string, file *settings) {
	if variable != "" {
		a.origins[flag] = &origin{variable: variable, value: node.Str(value)}
		return
	}
	a.origins[flag] = &origin{key: file.keys[flag].Value, value: file.nodes[flag], reader: file.reader}
}

// settings is the content of .arena.yaml, by flag name. Lists are joined by commas, as in flags.
type settings struct {
	reader      *node.Reader
	keys, nodes map[string]*node.Node // the keys as written, and their values
	values      map[string]string
}

// readSettings reads .arena.yaml. It returns no settings if there is no file.
func readSettings(root *cobra.Command, known []string) (*settings, error) {
	s := &settings{
		reader: &node.Reader{File: settingsFile, Diags: &diag.List{}},
		keys:   map[string]*node.Node{}, nodes: map[string]*node.Node{}, values: map[string]string{},
	}
	for _, other := range []string{".arena.yml", ".arena.json"} {
		if _, err := os.Lstat(other); err == nil {
			return nil, fmt.Errorf("%s is not read: the settings stand in %s\nrename it", other, settingsFile)
		}
	}
	data, err := plainfile.Read(settingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	for i, doc := range node.Parse(s.reader, data) {
		if i > 0 {
			s.reader.Errorf(doc, "second-document", "the settings are one document").Hint = "take out the line ---"
			break
		}
		const what = "the settings (they have the names of flags)"
		s.reader.Each(doc, what, func(key string, k, v *node.Node) {
			if !slices.Contains(known, key) {
				s.reader.Unknown(k, what, settable)
				return
			}
			name := canonical(key)
			if f := anyFlag(root, name); f != nil && !takesList(f) && (v.Kind != node.Scalar || node.IsNull(v)) {
				s.reader.WrongType(v, key, taken(f))
			} else if words, ok := s.reader.Strings(v, key); ok {
				s.keys[name], s.nodes[name], s.values[name] = k, v, strings.Join(words, ",")
			}
		})
	}
	return s, nil
}

// anyFlag finds a settable flag in any command; nil: none has it.
func anyFlag(root *cobra.Command, name string) (found *pflag.Flag) {
	eachFlag(root, func(_ *cobra.Command, f *pflag.Flag) {
		if f.Name == name && !isNotASetting(f) {
			found = f
		}
	})
	return found
}

// complain prints mistakes in the file.
func (s *settings) complain(app *App) error {
	if s.reader.Diags.Errors() == 0 {
		return nil
	}
	app.showDiags(app.Err, s.reader.Diags.Sorted(), 1, app.useColor("auto", app.ErrTTY), "nothing was run")
	return exit(result.ExitUsage)
}

// variables are the settings in the environment, and the names of their variables, by flag name. An empty variable
// counts as unset.
func variables(app *App, known []string) (values, names map[string]string) {
	values, names = map[string]string{}, map[string]string{}
	for _, flag := range known {
		name := variable(flag)
		if value := app.Env[name]; value != "" {
			values[canonical(flag)], names[canonical(flag)] = value, name
		}
	}
	return values, names
}

// variable is the name of the variable for a flag.
func variable(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// unreadSettings warns of settings beside a project that are ignored: those of a folder other than the working
// directory, and those in .env, which only fills in ${NAME} in files.
func unreadSettings(suite *scenario.Suite, d *diag.List) {
	for _, p := range suite.Projects {
		dir := filepath.Dir(p.File)
		for _, name := range slices.Sorted(maps.Keys(p.Dotenv)) {
			if strings.HasPrefix(name, envPrefix) && !foreign(name) {
				d.Warnf(diag.Pos{File: filepath.Join(dir, ".env")}, 0, "unread-settings",
					"%s sets nothing here: .env fills in ${NAME} in the files, and holds no settings", name).Hint =
					"set it in the environment, or write its key into " + settingsFile
			}
		}
		if p.File == "" || sameFile(dir, ".") {
			continue
		}
		if file := filepath.Join(dir, settingsFile); exists(file) {
			d.Warnf(diag.Pos{File: file}, 0, "unread-settings",
				"these settings are not used: those of the working directory are").Hint = "run arena in " + dir
		}
	}
}

// flagNames lists the flags of every command, with their aliases.
func flagNames(root *cobra.Command) []string {
	names := slices.Collect(maps.Keys(flagAliases))
	eachFlag(root, func(_ *cobra.Command, f *pflag.Flag) { names = append(names, f.Name) })
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return name == "help" })
}
