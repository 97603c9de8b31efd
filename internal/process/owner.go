package process

import (
	"os"
	"strconv"
	"strings"
)

// Owner identifies this process among all processes ever on this machine: by the machine and its boot, and by the
// process and its start. Containers are marked with it.
func Owner() string { return place() + "/" + strconv.Itoa(os.Getpid()) + "/" + startOf(os.Getpid()) }

// IsGone reports whether the owner of this name was a process of this machine, since it was started, and has ended. It
// is false for whatever cannot be told.
func IsGone(owner string) bool {
	rest, here := strings.CutPrefix(owner, place()+"/")
	number, start, both := strings.Cut(rest, "/")
	pid, err := strconv.Atoi(number)
	if !here || !both || err != nil || pid <= 1 {
		return false
	}
	return !exists(pid) || startOf(pid) != start
}

// place is the machine, since its last start, and within it the space of process ids.
func place() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // only Linux has it
	space, _ := os.Readlink("/proc/self/ns/pid")              // the same
	return strings.ReplaceAll(name+"."+strings.TrimSpace(string(boot))+"."+space, "/", "-")
}

// startOf is the start time of a process, as the system writes it; "": not known.
func startOf(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	const start = 19 // behind the name of the program, which may hold anything
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) <= start {
		return ""
	}
	return fields[start]
}
