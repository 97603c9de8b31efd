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

// killWithParent makes the system kill the program when the thread that started it ends. The thread is locked until the
// program has ended.
func killWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }

// adoptOrphans makes this process the parent of its descendants whose parents have ended. Where the system refuses,
// they go to init as usual.
func adoptOrphans() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// rounds is how often orphans are searched for: each orphan that ends may leave others.
const rounds = 100

// killOrphans kills child processes that this process did not start and whose mark is not that of a running program. A
// process without a mark is spared while any program runs that it may belong to. A watchdog is always spared: a program
// that is arena itself leaves it behind to clean up, and it ends by itself.
func killOrphans(live map[int]string) {
	marks, programs := map[string]bool{}, 0
	for _, mark := range live {
		if marks[mark] = true; mark != "keeper" {
			programs++
		}
	}
	listed := orphans
	if programs == 0 {
		listed = children // the search must not wait
	}
	for range rounds {
		ended := false
		for _, pid := range listed() {
			if _, known := live[pid]; known || inOwnGroup(pid) {
				continue
			}
			mark := markOf(pid)
			if marks[mark] || mark == "" && (isWatchdog(pid) || programs > 0 && !zombie(pid)) {
				continue
			}
			err := syscall.Kill(pid, syscall.SIGKILL)
			if err == nil || errors.Is(err, syscall.ESRCH) { // else the process belongs to another user
				ended = wait(pid) || ended
			}
		}
		if !ended {
			return
		}
	}
}

// inOwnGroup reports whether a child is in the group of this process. Programs and their processes never are: other
// code started such a child.
func inOwnGroup(pid int) bool {
	group, err := syscall.Getpgid(pid)
	return err != nil || group == syscall.Getpgrp()
}

// wait collects the exit status of a child that was killed.
func wait(pid int) bool {
	for {
		_, err := syscall.Wait4(pid, nil, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			return err == nil
		}
	}
}

// orphans returns the children of the first thread of this process, among them all that it adopted: the kernel gives
// orphans to the first thread, which in a Go program lives as long as the process.
func orphans() []int { return childrenOf(strconv.Itoa(os.Getpid())) }

// children returns the child processes of this process. With many threads it takes its time.
func children() (pids []int) {
	threads, _ := os.ReadDir("/proc/self/task") // an error means that nothing can be known
	for _, thread := range threads {
		pids = append(pids, childrenOf(thread.Name())...)
	}
	return pids
}

// childrenOf returns the child processes of a thread of this process.
func childrenOf(thread string) (pids []int) {
	text, _ := os.ReadFile("/proc/self/task/" + thread + "/children") // without the thread others list its children now
	for word := range strings.FieldsSeq(string(text)) {
		if pid, err := strconv.Atoi(word); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// markOf returns the mark in the environment of a process; "" when it has none or has ended.
func markOf(pid int) string { return variableOf(pid, markName) }

// isWatchdog reports whether a process is the watchdog of another process.
func isWatchdog(pid int) bool { return variableOf(pid, watchdogVariable) != "" }

// variableOf returns the value that an environment variable had when a process was started; "" when it has none or has
// ended.
func variableOf(pid int, name string) string {
	env, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
			return string(value)
		}
	}
	return ""
}

// zombie reports whether a process has ended and its exit status was not collected.
func zombie(pid int) bool {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	_, rest, ok := bytes.Cut(stat[bytes.LastIndexByte(stat, ')')+1:], []byte{' '})
	return ok && len(rest) > 0 && rest[0] == 'Z'
}

// killMarked kills all processes whose mark has a prefix, whatever their parents are.
func killMarked(name string) {
	for range rounds {
		found := false
		files, _ := filepath.Glob("/proc/[0-9]*") // the pattern is valid
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
