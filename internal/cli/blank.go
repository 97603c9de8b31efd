package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// mayBeBlank are the flags, by command and name, whose value may be blank.
var mayBeBlank = map[string]bool{
	"arena checks try output":               true, // the reply to judge
	"arena mocks generate default-response": true, // the model says nothing
}

// blankToldByRun are the flags of arena run that the command itself reports as blank, together with its other flag
// errors.
var blankToldByRun = map[string]bool{
	"record": true, "replay": true, "redact": true, "scenario": true, "provider": true, "region": true, "tag": true,
	"eval": true, "eval-groups": true, "eval-types": true, "judge": true, "metrics-file": true, "metrics-push": true,
	"rows": true, "metrics-listen": true, "metrics-namespace": true, "events": true, "cache": true,
}

// notBlank refuses arguments and flags that are blank. Most likely a variable of the shell was not set, and the command
// would do something else than the user meant. Blank lists of reasons for a red run are reported elsewhere.
func notBlank(c *cobra.Command, args []string) error {
	if strings.HasPrefix(c.Name(), "__") { // shell completion: the last word may be empty
		return nil
	}
	var errs []error
	c.Flags().Visit(func(f *pflag.Flag) {
		kind := f.Value.Type()
		text := kind == "string" || strings.HasPrefix(kind, "string") && strings.Trim(f.Value.String(), "[]\" ,") == ""
		if !text || strings.Trim(f.Value.String(), "[]\" ,\t\n") != "" || mayBeBlank[c.CommandPath()+" "+f.Name] ||
			f.Name == "fail-on" || toldByCommand(c, f.Name) {
			return
		}
		errs = append(errs, fmt.Errorf("--%s is empty: give it a value, or leave the flag out", f.Name))
	})
	for _, arg := range args {
		if strings.TrimSpace(arg) == "" && c.Runnable() {
			errs = append(errs, errors.New("an argument is empty: is a variable of the shell not set?"))
			break
		}
	}
	return errors.Join(errs...)
}

// toldByCommand reports whether the command itself reports a blank flag.
func toldByCommand(c *cobra.Command, flag string) bool {
	switch c.CommandPath() {
	case "arena run":
		return blankToldByRun[flag]
	case "arena worker":
		return c.Flags().Changed("nats") && (flag == "output" || flag == "judge")
	}
	return false
}
