package scenario

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// noteRecordings reports recordings among the files to run that no eval or replay of the suite names. A recording that
// the user names is a warning; one in a folder is a note, since it may be there for arena eval.
func (l *loader) noteRecordings(suite *Suite, builds []*build) {
	used := map[string]bool{}
	for _, p := range suite.Projects {
		for _, e := range p.Evals {
			addClean(used, e.Recordings)
		}
		for _, provider := range p.Providers {
			if provider.Replay != nil {
				addClean(used, provider.Replay.Recordings)
			}
		}
	}
	unused := func(path string) bool { return !used[filepath.Clean(l.fs.access(path))] }
	for _, b := range builds {
		for _, at := range b.recordings {
			if unused(at.File) {
				l.diags.Warnf(at, 1, "file-not-used", "this is a recording, and so not run").Hint = howToJudge(at.File)
			}
		}
	}
	left := slices.DeleteFunc(l.recordings, func(path string) bool { return !unused(path) })
	switch names, more := left, ""; {
	case len(left) == 0:
	case len(left) == 1:
		suite.Notes = append(suite.Notes, left[0]+" is a recording, and so not run; "+howToJudge(left[0]))
	default:
		if len(left) > manyUnlisted {
			names, more = left[:manyUnlisted], fmt.Sprintf(" and %d more", len(left)-manyUnlisted)
		}
		suite.Notes = append(suite.Notes, fmt.Sprintf("%d recordings are not run: %s%s; judge them: %s", len(left),
			strings.Join(names, ", "), more, evalOf(left[0])))
	}
}

// noteConfigs reports configs beside the config.arena.yaml of a folder, which is the only one that is run.
func (l *loader) noteConfigs(suite *Suite) {
	left := slices.DeleteFunc(l.besides, func(path string) bool {
		same := l.sameAs(path)
		return slices.ContainsFunc(suite.Projects, func(p *Project) bool { return same(p.File) })
	})
	slices.Sort(left)
	switch left = slices.Compact(left); len(left) {
	case 0:
	case 1:
		suite.Notes = append(suite.Notes,
			left[0]+" is not run, since "+defaultConfig+" lies beside it; run it: arena run -c "+left[0])
	default:
		suite.Notes = append(suite.Notes, fmt.Sprintf("%d configs are not run, since %s lies beside them: %s; run them: "+
			"arena run %s", len(left), defaultConfig, strings.Join(left, ", "), strings.Join(left, " ")))
	}
}

func addClean(paths map[string]bool, list []string) {
	for _, path := range list {
		paths[filepath.Clean(path)] = true
	}
}

func howToJudge(recording string) string { return "judge it: " + evalOf(recording) }

func evalOf(recording string) string { return "arena eval --assert CHECKS.yaml " + recording }

// otherWay is what to do with a file that the config cannot list there; "": such files are listed nowhere.
func otherWay(k kind, path string) string {
	switch k {
	case kindRecording:
		return howToJudge(path) + "; or name it under recording in a file of kind Eval, and list that below evals"
	case kindFragment:
		return "name it under fragments of the prompt that takes it in"
	case kindRuntime:
		return "write what is below its spec under runtime of the config"
	case kindArena:
		return "run it by itself: arena run -c " + path
	default:
	}
	if key := listedUnder[k]; key != "" {
		return "list it under " + key
	}
	return ""
}

// notByConfig is what to do with a file that was named in the place of a config.
func notByConfig(k kind, path string) string {
	switch k {
	case kindScenario, kindProgram, kindEval, kindPack:
		return "name it without -c: arena run " + path
	case kindArena:
		return ""
	default:
		return otherWay(k, path)
	}
}
