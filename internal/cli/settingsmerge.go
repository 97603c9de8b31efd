package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// Settings that make more runs red add up: a variable or a flag never removes what the file in the repository asks for.

const failOn = "fail-on"

// combineStrictest adds the reasons of the file to those of variables. It refuses variables that make the run less
// strict.
func (s *settings) combineStrictest(variables map[string]string) (errs []error) {
	file := s.values[failOn]
	if given := variables[failOn]; file != "" && given != "" {
		variables[failOn] = strings.Join(union(strings.Split(file, ","), strings.Split(given, ",")), ",")
	}
	if isTrue(s.values["strict"]) {
		if given, is := variables["strict"]; is && !isTrue(given) {
			errs = append(errs, fmt.Errorf("%s=%s takes away what %s asks for, strict: true, and nobody would see it\n"+
				"unset the variable; for one run type --strict=false", variable("strict"), given, settingsFile))
		}
	}
	return errs
}

// addReasons adds the reasons of settings to those of a typed flag. An empty typed flag removes all.
func addReasons(f *pflag.Flag, settings string) {
	list, is := f.Value.(pflag.SliceValue)
	if typed := listOf(list, is); len(typed) > 0 && settings != "" {
		_ = list.Replace(union(typed, strings.Split(settings, ","))) // it accepts any words
	}
}

func listOf(list pflag.SliceValue, is bool) []string {
	if !is {
		return nil
	}
	return list.GetSlice()
}

// union appends the missing items of more to list.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, one := range more {
		if one = strings.TrimSpace(one); !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

func isTrue(text string) bool {
	is, err := strconv.ParseBool(text)
	return err == nil && is
}
