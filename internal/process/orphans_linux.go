package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// killWithParent has the program killed when the thread that starts it ends, which is locked until the program is over.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// adoptOrphans makes this process the parent of all below it whose parents are gone. Where the system refuses, they go
// to the first process as ever.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// rounds is how often orphans are looked for: each one that ends may leave others.
const rounds = 100

// killOrphans kills the children of this process that nobody here started, and that belong to none of the live programs
// by their mark. One without a mark is spared until no program is left that it may belong to.
func killOrphans(live map[int]string) {
	marks, programs := map[string]bool{}, 0
	for _, mark := range live {
		if marks[mark] = true; mark != "keeper" {
			programs++
		}
	}
	for range rounds {
		ended := false
		for _, pid := range children() {
			if _, known := live[pid]; known || inOwnGroup(pid) {
				continue
			}
			if mark := markOf(pid); marks[mark] || mark == "" && programs > 0 && !zombie(pid) {
				continue
			}
			err := syscall.Kill(pid, syscall.SIGKILL)
			if err == nil || errors.Is(err, syscall.ESRCH) { // else it is another user's
				ended = wait(pid) || ended
			}
		}
		if !ended {
			return
		}
	}
}

// inOwnGroup reports whether a child is in the group of this process, where programs and what they start never are:
// other code started it.
func inOwnGroup(pid int) bool {
	group, err := syscall.Getpgid(pid)
	return err != nil || group == syscall.Getpgrp()
}

// wait takes the end of a child of this process that was killed.
func wait(pid int) bool {
	for {
		_, err := syscall.Wait4(pid, nil, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil
		}
	}
}

// children are the processes whose parent this one is.
func children() (pids []int) {
	files, _ := filepath.Glob("/proc/self/task/*/children") // the pattern is right
	for _, file := range files {
		text, _ := os.ReadFile(file) // of a thread that has ended: its children are another's now
		for word := range strings.FieldsSeq(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// markOf is the mark in the environment of a process; "" when there is none, or it is over.
func markOf(pid int) string {
	env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if mark, ok := bytes.CutPrefix(entry, []byte(markName+"=")); ok {
			return string(mark)
		}
	}
	return ""
}

// zombie reports whether a process is over and only waits to be asked how it ended.
func zombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte{' '})
	return ok && len(rest) > 0 && rest[0] == 'Z'
}

// killMarked kills all processes whose marks begin with a name, whoever their parents are.
func killMarked(name string) {
	for range rounds {
		found := false
		files, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
		for _, file := range files {
			pid, err := strconv.Atoi(filepath.Base(file))
			if err == nil && strings.HasPrefix(markOf(pid), name+".") {
				found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
			}
		}
		if !found {
			return
		}
	}
}
