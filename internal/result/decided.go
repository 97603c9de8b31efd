package result

// decided calls f once for every assertion of the trial, with its turn of the scenario, or -1. An assertion that judged
// several turns that came from one turn of the scenario holds if it held in all of them: its verdict is the first of
// the worst.
func (t *Trial) decided(f func(script, i int, v *Verdict)) {
	for from := 0; from < len(t.Turns); {
		script, to := t.Turns[from].Script(), from+1
		for to < len(t.Turns) && t.Turns[to].Script() == script {
			to++
		}
		for i := 0; ; i++ {
			v := decisive(t.Turns[from:to], i)
			if v == nil {
				break
			}
			f(script, i, v)
		}
		from = to
	}
	for i := range t.Conversation {
		f(-1, i, &t.Conversation[i])
	}
}

// decisive is the worst of the verdicts on one assertion, by its index; nil: there are none.
func decisive(turns []Turn, i int) (worst *Verdict) {
	for k := range turns {
		if i >= len(turns[k].Assertions) {
			continue
		}
		if v := &turns[k].Assertions[i]; worst == nil || worse(worst.Status, v.Status) != worst.Status {
			worst = v
		}
	}
	return worst
}
