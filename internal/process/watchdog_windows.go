package process

// watchdog is not needed on Windows: the jobs of the programs end with this process.
type watchdog struct{ pid int }

func startWatchdog(string) *watchdog { return nil }

func (*watchdog) notify(byte, int) {}

func (*watchdog) writeLine(string) {}

func runWatchdogIfAsked() {}
