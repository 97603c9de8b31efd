package recording

// verdicts reads the verdicts of the source: a list, or an object with a list under results.
func (b *builder) verdicts(v value) (list []Verdict) {
	if v.kind() == '{' {
		v = v.get("results")
	}
	for item := range v.items {
		o, ok := b.object(item, "the result of an assertion")
		if !ok {
			return list
		}
		a := Verdict{
			Type: b.text(o.get("type"), "type"), Passed: b.truth(o.get("passed"), "passed"),
			Skipped: b.truth(o.get("skipped"), "skipped"), Message: b.text(o.get("message"), "message"),
			Explanation: b.text(o.get("explanation"), "explanation"), Score: b.float(o.get("score"), "score"),
			Error: b.text(o.get("error"), "error"), Params: raw(o.get("params")),
		}
		if config := o.get("config"); config.kind() == '{' && a.Params == nil {
			a.Params = raw(config.get("params"))
		}
		if details := o.get("details"); details.kind() == '{' {
			b.details(&a, details)
		}
		list = append(list, a)
	}
	return list
}

// details reads explanation, score and error from the details of a verdict, which have no fixed form.
func (b *builder) details(a *Verdict, v value) {
	if s, ok := v.get("explanation").str(); ok && a.Explanation == "" {
		a.Explanation = s
	}
	if f, ok := v.get("score").number(); ok && a.Score == nil {
		a.Score = &f
	}
	if s, ok := v.get("error").str(); ok && a.Error == "" {
		a.Error = s
	}
}

func (b *builder) evals(v value) (list []Eval) {
	for item := range v.items {
		o, ok := b.object(item, "the result of an eval")
		if !ok {
			return list
		}
		list = append(list, b.eval(o))
	}
	return list
}

func (b *builder) eval(o object) Eval {
	return Eval{
		ID: b.text(o.get("evalid"), "eval_id"), Type: b.text(o.get("type"), "type"),
		Score: b.float(o.get("score"), "score"), Explanation: b.text(o.get("explanation"), "explanation"),
		Error: b.text(o.get("error"), "error"), Skipped: b.truth(o.get("skipped"), "skipped"),
	}
}
