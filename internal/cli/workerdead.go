package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/arena-evals/arena/internal/diag"
	"github.com/arena-evals/arena/internal/dispatch"
	"github.com/arena-evals/arena/internal/dispatch/nats"
	"github.com/arena-evals/arena/internal/plural"
)

const deadLong = `Dead works on the dead letters of workers: requests for evals that were given up, with the reason.

  arena worker dead list --nats URL               what was given up, and why
  arena worker dead redrive --nats URL 5d0c...    ask for it once more, when the cause is mended
  arena worker dead drop --nats URL --all         forget it

A letter is named by its id or the beginning of it. What is asked for again has all its tries again, and
what of it was measured before is not measured twice.`

func newWorkerDeadCmd(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dead", Short: "Look at requests that were given up, ask for them again, or drop them", Long: deadLong,
		Args: unknownCommand,
		RunE: needsCommand,
	}
	cmd.AddCommand(newDeadListCmd(app),
		newDeadActionCmd(app, "redrive", "Ask for the requests of dead letters again", "redriven", (*nats.Client).Redrive),
		newDeadActionCmd(app, "drop", "Remove dead letters", "dropped", (*nats.Client).Drop))
	return cmd
}

// deadFlags select dead letters of a broker.
type deadFlags struct {
	brokerFlags

	why         []string
	all, asJSON bool
}

func (f *deadFlags) register(cmd *cobra.Command) {
	f.brokerFlags.register(cmd.Flags(), "nats", "`URL` of the broker, such as nats://localhost:4222 (required)")
	cmd.Flags().StringSliceVar(&f.why, "why", nil, "only letters with one of these reasons, a `list`: "+
		strings.Join(dispatch.Reasons()[:4], ", ")+",\n"+strings.Join(dispatch.Reasons()[4:], ", "))
}

// connect checks the flags and connects. It does not wait for a broker that is away: a person waits.
func (f *deadFlags) connect(ctx context.Context, app *App, cmd *cobra.Command) (*nats.Client, error) {
	if err := applySettings(app, cmd); err != nil {
		return nil, err
	}
	if !cmd.Flags().Changed("nats") {
		return nil, errors.New("name the broker with --nats URL, such as --nats nats://localhost:4222")
	}
	if err := errors.Join(f.brokerFlags.complete("nats"), oneOf("why", f.why, dispatch.Reasons()...)); err != nil {
		return nil, err
	}
	client, err := nats.Connect(ctx, f.options("arena worker dead", 10*time.Second, func(string) {}))
	if err != nil {
		return nil, broken(err)
	}
	return client, nil
}

func (f *deadFlags) chosen(l *nats.Letter) bool {
	return len(f.why) == 0 || slices.Contains(f.why, string(l.Why))
}

func newDeadListCmd(app *App) *cobra.Command {
	f := &deadFlags{}
	cmd := &cobra.Command{
		Use: "list", Short: "List dead letters",
		Example: `  arena worker dead list --nats nats://localhost:4222
  arena worker dead list --nats nats://localhost:4222 --why unknown-eval --json`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			client, err := f.connect(c.Context(), app, c)
			if err != nil {
				return err
			}
			defer client.Close()
			return f.list(c.Context(), app, client)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print JSON, the requests included")
	return cmd
}

func (f *deadFlags) list(ctx context.Context, app *App, client *nats.Client) error {
	letters := []nats.Letter{}
	foreign, err := client.EachLetter(ctx, func(l *nats.Letter) error {
		if !f.chosen(l) {
			return nil
		}
		if !f.asJSON { // there may be many, and large ones
			l.Body, l.Bytes = nil, nil
		}
		letters = append(letters, *l)
		return nil
	})
	if err != nil {
		return broken(err)
	}
	if f.asJSON {
		return writeJSON(app, letters)
	}
	w := tabwriter.NewWriter(app.Out, 0, 0, 2, ' ', 0)
	for _, l := range letters {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", diag.Safe(l.ID), diag.Safe(string(l.Why)), strconv.Quote(l.Request),
			l.At.UTC().Format(time.RFC3339), diag.Safe(l.Reason)) // a tabwriter returns its first error from Flush
	}
	text := plural.Count(len(letters), "dead letter") + " in " + client.Names.Dead
	if foreign > 0 {
		text += fmt.Sprintf(", and %s that no worker wrote", plural.Count(foreign, "message"))
	}
	_, _ = fmt.Fprintln(w, text)
	return ifBroken(w.Flush())
}

// newDeadActionCmd makes a command that applies an action to letters, and counts them.
func newDeadActionCmd(
	app *App, name, short, word string, do func(*nats.Client, context.Context, *nats.Letter) error,
) *cobra.Command {
	f := &deadFlags{}
	cmd := &cobra.Command{
		Use: name + " [id...]", Short: short,
		Example: fmt.Sprintf(`  arena worker dead %s --nats nats://localhost:4222 5d0c81
  arena worker dead %s --nats nats://localhost:4222 --all --why unknown-eval`, name, name),
		Args: takes(0, -1),
		RunE: func(c *cobra.Command, ids []string) error {
			if f.all == (len(ids) > 0) {
				return errors.New("name the letters by their ids, or all of them with --all")
			}
			client, err := f.connect(c.Context(), app, c)
			if err != nil {
				return err
			}
			defer client.Close()
			letters, err := f.find(c.Context(), client, ids)
			if err != nil {
				return err
			}
			return act(c.Context(), app, client, letters, word, do)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&f.all, "all", false, "all letters, or all with the reasons of --why")
	return cmd
}

// find returns the letters with the given ids. Each id may be abbreviated, but must match exactly one letter.
func (f *deadFlags) find(ctx context.Context, client *nats.Client, ids []string) ([]nats.Letter, error) {
	var letters []nats.Letter
	hits := make([]int, len(ids))
	_, err := client.EachLetter(ctx, func(l *nats.Letter) error {
		meant := f.all
		for i, id := range ids {
			if id != "" && strings.HasPrefix(l.ID, id) && f.chosen(l) {
				hits[i]++
				meant = true
			}
		}
		if meant && f.chosen(l) {
			letters = append(letters, *l)
		}
		return nil
	})
	if err != nil {
		return nil, broken(err)
	}
	var errs []error
	for i, id := range ids {
		switch {
		case hits[i] == 0:
			errs = append(errs, fmt.Errorf("there is no dead letter %q in %s\n`arena worker dead list` shows them", id,
				client.Names.Dead))
		case hits[i] > 1:
			errs = append(errs, fmt.Errorf("%d dead letters begin with %q: write more of the id", hits[i], id))
		}
	}
	return letters, errors.Join(errs...)
}

// act applies an action to each letter. An error is printed, and the next letter follows.
func act(
	ctx context.Context, app *App, client *nats.Client, letters []nats.Letter, word string,
	do func(*nats.Client, context.Context, *nats.Letter) error,
) error {
	var errs []error
	for i := range letters {
		if err := do(client, ctx, &letters[i]); err != nil {
			errs = append(errs, fmt.Errorf("letter %s: %w", letters[i].ID, err))
		}
	}
	_, err := fmt.Fprintf(app.Out, "%s %s\n", plural.Count(len(letters)-len(errs), "dead letter"), word)
	if err := errors.Join(append(errs, err)...); err != nil {
		return broken(err)
	}
	return nil
}
