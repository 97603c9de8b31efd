//go:build !linux

package process

// On these systems processes that leave the group of a program are not found. On Windows no process can leave a job.

func adoptOrphans() {}

func killOrphans(map[int]string) {}
