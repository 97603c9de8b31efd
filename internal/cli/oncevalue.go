package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// givenOnce makes every flag refuse a second value that would silently replace the first one. The same value may be
// repeated.
func givenOnce(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch kind := f.Value.Type(); {
		case kind == "stringToString":
			f.DefValue = "" // pflag recognises empty values only for its own types
			f.Value = &onceNamed{Value: f.Value, flag: f.Name, given: map[string]string{}}
		case !takesList(f) && kind != "bool" && kind != "count":
			if f.DefValue == "0s" {
				f.DefValue = ""
			}
			f.Value = &onceValue{Value: f.Value, flag: f.Name}
		}
	})
	for _, sub := range c.Commands() {
		givenOnce(sub)
	}
}

// onceValue is a flag with one value.
type onceValue struct {
	pflag.Value
	flag  string
	first *string
}

func (o *onceValue) Set(value string) error {
	if o.first != nil && *o.first != value {
		return &secondValueError{flag: o.flag, first: *o.first, second: value}
	}
	o.first = &value
	return o.Value.Set(value)
}

// onceNamed is a flag with one value for each name.
type onceNamed struct {
	pflag.Value
	flag  string
	given map[string]string
}

func (o *onceNamed) Set(value string) error {
	name, text, _ := strings.Cut(value, "=")
	if first, given := o.given[name]; given && first != text {
		return &secondValueError{flag: o.flag, first: name + "=" + first, second: value}
	}
	o.given[name] = text
	return o.Value.Set(value)
}

// secondValueError reports two values for one flag.
type secondValueError struct{ flag, first, second string }

func (e *secondValueError) Error() string {
	hint := "leave one of them out"
	switch e.flag {
	case "config":
		return fmt.Sprintf("--config takes one arena config, found %q and %q\nuse a command of its own for each",
			e.first, e.second)
	case "replay":
		hint = "use a command of its own for each"
	}
	return fmt.Sprintf("--%s takes one value, found %q and %q\n%s", e.flag, e.first, e.second, hint)
}
