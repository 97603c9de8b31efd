package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// Set by the linker in releases, or else taken from build information.
var version, commit, date string

func versionText() string {
	v, rev, when := version, commit, date
	if v == "" {
		if info, ok := debug.ReadBuildInfo(); ok {
			v = info.Main.Version
			for _, s := range info.Settings {
				switch {
				case s.Key == "vcs.revision" && rev == "":
					rev = s.Value
				case s.Key == "vcs.time" && when == "":
					when = s.Value
				}
			}
		}
	}
	if v == "" || v == "(devel)" {
		v = "dev"
	}
	text := v
	if rev != "" {
		text += " " + rev[:min(len(rev), 12)]
	}
	if when != "" {
		text += " " + when
	}
	return text
}

// shortVersion is the version in results.
func shortVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

func newVersionCmd(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(app.Out, "arena %s %s %s/%s\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
