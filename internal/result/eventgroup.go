package result

// GroupCompleted says what the trials of a group show that could end early. All of them come when no trial of the run
// can come any more.
type GroupCompleted struct {
	At         `json:"-"`
	File       string     `json:"file,omitempty" doc:"File of the scenario."`
	Region     string     `json:"region" doc:"Region of the conversations."`
	Row        string     `json:"row,omitempty" doc:"Row of the dataset, where each is a group."`
	Status     Status     `json:"status" doc:"What the group comes to: passed, failed, undecided, error, cancelled, skipped."`
	Allowed    bool       `json:"allowed,omitempty" doc:"It is undecided, and that does not make the run red."`
	Reason     GateReason `json:"reason" doc:"Why its trials ended: line, certain, max, baseline, budget, stopped, errors, recording, skipped."`
	Rule       GateRule   `json:"rule" doc:"gate: they conclude whether the rate is above the line; count: each check has to hold in its share."`
	PassRate   float64    `json:"pass_rate,omitempty" doc:"Of a gate: the line."`
	Tolerance  float64    `json:"tolerance,omitempty" doc:"Of a gate: rates down to pass_rate - tolerance may pass too."`
	Confidence float64    `json:"confidence" doc:"Of the claims, and of each end of the bar."`
	Max        int        `json:"max" doc:"The most trials that count."`
	Counted    int        `json:"counted" doc:"Trials that the verdict is about."`
	Passed     int        `json:"passed" doc:"Of these."`
	Failed     int        `json:"failed" doc:"Of these."`
	Broken     int        `json:"broken" doc:"Of these: those without a verdict."`
	Replaced   int        `json:"replaced,omitempty" doc:"Trials that the provider refused, and others replaced."`
	Beyond     int        `json:"beyond,omitempty" doc:"Trials after the decision."`
	Low        float64    `json:"low" doc:"Lower end of the error bar of the rate."`
	High       float64    `json:"high" doc:"Upper end of the error bar."`
	NotNeeded  int        `json:"not_needed,omitempty" doc:"Trials that the verdict did not need."`
}

// Kind implements Event.
func (GroupCompleted) Kind() EventKind { return KindGroupCompleted }

// GroupsCompletedOf returns the events for the groups of a finished run whose trials could end early.
func GroupsCompletedOf(run *Run, at At) []GroupCompleted {
	var all []GroupCompleted
	for i := range run.Groups {
		g := run.Groups[i].Gate
		if g == nil || !g.Early() {
			continue
		}
		group := &run.Groups[i]
		at.Scenario, at.Provider = group.Scenario, group.Provider
		all = append(all, GroupCompleted{
			At: at, File: group.File, Region: group.Region, Row: group.Row, Status: group.Status, Allowed: g.Allowed(),
			Reason: g.Reason, Rule: g.Rule, PassRate: g.PassRate, Tolerance: g.Tolerance, Confidence: g.Confidence,
			Max: g.Max, Counted: g.Counted, Passed: g.Passed, Failed: g.Failed, Broken: g.Broken, Replaced: g.Replaced,
			Beyond: g.Beyond, Low: g.Low, High: g.High, NotNeeded: g.Saved,
		})
	}
	return all
}
