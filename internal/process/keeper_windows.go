package process

// keeper is not needed on Windows: the jobs of the programs end with this process.
type keeper struct{ pid int }

func startKeeper(string) *keeper { return nil }

func (*keeper) tell(byte, int) {}

func (*keeper) say(string) {}

func keepIfAsked() {}
