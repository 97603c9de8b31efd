package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/providers/cache"
	"github.com/arena-evals/arena/internal/report/show"
)

func newCacheCmd(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "Look into the response cache, or empty it",
		Long: `Cache works on the folder in which ` + "`arena run --cache FOLDER`" + ` keeps the replies of models. Without a
folder it takes that of the settings (cache: FOLDER in .arena.yaml, or ARENA_CACHE).`,
		Args: unknownCommand,
		RunE: needsCommand,
	}
	cmd.AddCommand(
		newCacheActionCmd(app, "stats", "Say what the cache holds", showCache),
		newCacheActionCmd(app, "clear", "Remove the replies that the cache holds", clearCache),
	)
	return cmd
}

func newCacheActionCmd(app *App, name, short string, run func(*App, *cache.Store) error) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   name + " [folder]",
		Short: short,
		Args:  takes(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := applySettings(app, c); err != nil {
				return err
			}
			if len(args) == 1 {
				dir = args[0]
			}
			if strings.TrimSpace(dir) == "" {
				return errors.New("there is no cache to look into\nname its folder, or set cache in .arena.yaml")
			}
			info, err := os.Stat(dir)
			if err != nil || !info.IsDir() {
				return fmt.Errorf("the cache %s is no folder that is there", dir)
			}
			return run(app, &cache.Store{Dir: dir})
		},
	}
	cmd.Flags().StringVar(&dir, "cache", "", "the `folder`, where it is not an argument")
	return cmd
}

func showCache(app *App, s *cache.Store) error {
	st, err := s.Stats()
	if err != nil {
		return broken(err)
	}
	cost := show.Money(&st.USD)
	switch {
	case st.Unknown > 0 && st.Unknown == st.Entries:
		cost = "cost unknown"
	case st.Unknown > 0:
		cost += " and " + show.Plural(st.Unknown, "call") + " of unknown cost"
	}
	lines := []string{fmt.Sprintf("%s   %s   %s tokens   %s when they were paid for",
		show.Plural(st.Entries, "cached call"), sized(st.Bytes), show.Count(st.Tokens), cost)}
	for _, name := range slices.Sorted(maps.Keys(st.Models)) {
		lines = append(lines, fmt.Sprintf("  %s   %s", show.Line(name), show.Plural(st.Models[name], "call")))
	}
	if st.Damaged > 0 {
		lines = append(lines, "  damaged, and asked for again when they are needed: "+show.Plural(st.Damaged, "call"))
	}
	if _, err := fmt.Fprintln(app.Out, strings.Join(lines, "\n")); err != nil {
		return broken(err)
	}
	return nil
}

func clearCache(app *App, s *cache.Store) error {
	n, err := s.Clear()
	if err != nil {
		return broken(err)
	}
	if _, err := fmt.Fprintf(app.Out, "%s removed from %s\n", show.Plural(n, "cached call"), s.Dir); err != nil {
		return broken(err)
	}
	return nil
}

func sized(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", bytes)
}
