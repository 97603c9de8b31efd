package result

// Event is something that happened in a run. The stream is ordered, each event is delivered once, to one goroutine.
type Event interface{ event() }

// TrialStarted says that a worker took up a trial.
type TrialStarted struct {
	Index int
	ID    string
}

// TrialDone carries a settled trial. It is on disk before anyone else sees it.
type TrialDone struct {
	Trial *Trial
	Line  []byte // the trial's journal line
}

func (TrialStarted) event() {}
func (TrialDone) event()    {}
