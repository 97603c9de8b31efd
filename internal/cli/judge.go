package cli

import "github.com/spf13/cobra"

func newJudgeCmd(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "judge",
		Short: "Work with the models that grade",
		Long: `Judge holds what there is to do with the models that grade replies. Which judge grades which
check is said in the files, and by --judge of run.`,
		Args: unknownCommand,
		RunE: needsCommand,
	}
	cmd.AddCommand(newCalibrateCmd(app))
	return cmd
}
