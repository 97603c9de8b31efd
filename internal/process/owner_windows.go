package process

// exists reports that it is not known whether a process has ended.
func exists(int) bool { return true }
