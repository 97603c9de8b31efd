package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// usage prints how a command is called, as cobra does but for the flags.
func usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if c.Runnable() {
		b.WriteString("  " + c.UseLine() + "\n")
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("  " + c.CommandPath() + " [command]\n")
	}
	if c.HasExample() {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	b.WriteString(subcommands(c))
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n" + flagUsages(c.LocalFlags()))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\nUse \"" + c.CommandPath() + " [command] --help\" for more information about a command.\n")
	}
	_, err := c.OutOrStderr().Write([]byte(b.String()))
	return err
}

// subcommands lists the commands of a command in their groups.
func subcommands(c *cobra.Command) string {
	var b strings.Builder
	list := func(title, group string) {
		for _, sub := range c.Commands() {
			if sub.GroupID != group || !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			if title != "" {
				b.WriteString("\n" + title + "\n")
				title = ""
			}
			pad := strings.Repeat(" ", max(0, sub.NamePadding()-len(sub.Name())))
			b.WriteString("  " + sub.Name() + pad + " " + sub.Short + "\n")
		}
	}
	for _, g := range c.Groups() {
		list(g.Title, g.ID)
	}
	if len(c.Groups()) > 0 {
		list("More:", "")
	} else {
		list("Commands:", "")
	}
	return b.String()
}
