package scenario

import (
	"strings"
	"time"

	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
	"github.com/arena-evals/arena/internal/result"
)

// formats are the values of output.formats.
var formats = words("json", "junit", "html", "markdown")

// defaultsFields are the keys of defaults in an arena config.
var defaultsFields = table("defaults", func() rows[arenaFile] {
	return rows[arenaFile]{
		numPtr("temperature", keys.Number{Low: 0, High: 2}, func(a *arenaFile) **float64 { return &a.Defaults.Temperature }).
			doc("How freely the model chooses, from 0 to 2."),
		numPtr("top_p", unit, func(a *arenaFile) **float64 { return &a.Defaults.TopP }).
			doc("The share of probability from which the model chooses."),
		optionalInteger("max_tokens", counting, func(a *arenaFile) **int { return &a.Defaults.MaxTokens }).
			doc("The most tokens of a reply."),
		seed("seed", func(a *arenaFile) **int64 { return &a.Defaults.Seed }).
			doc("Makes models that support it repeat themselves. The first trial has it, and each further one one more."),
		integer("concurrency", natural, func(a *arenaFile) *int { return &a.Defaults.Concurrency }).
			doc("How many conversations run at once.").preset("6"),
		dur("run_timeout", func(a *arenaFile) *time.Duration { return &a.Defaults.RunTimeout }).
			doc("The longest that a conversation may take, such as 10m.").preset("5m"),
		custom("fail_on", listOf(failOnWords), readFailOn).
			doc("What makes a run end red besides failed assertions and errors, which always do. `error` adds trials that " +
				"broke within gates that passed."),
		trialsField(func(a *arenaFile) **Trials { return &a.Defaults.Trials }).
			doc("How often scenarios are repeated that do not say so: a number, or a map that ends as soon as the trials show " +
				"enough.").preset("1"),
		word("on_failure", onFailure, func(a *arenaFile) *string { return &a.Defaults.OnFailure }).
			doc("Whether a failed check of a turn ends the conversation; one that may fail by its pass_threshold does not.").
			preset("continue"),
		flag("judge_gate", func(a *arenaFile) *bool { return &a.Defaults.JudgeGate }).
			doc("Asks no judge once a check has failed that needs none and must not fail by its pass_threshold."),
		custom("allow_private_hosts", texts, func(d *decoder, a *arenaFile, v *node.Node) {
			a.Defaults.PrivateHosts, _ = d.Strings(v, "allow_private_hosts")
			for i, host := range a.Defaults.PrivateHosts {
				if at := v; strings.ContainsAny(host, "/: *@") {
					if v.Kind == node.List {
						at = v.Content[i]
					}
					d.Errorf(at, "wrong-type", "%q is not a host", host).Hint = "write its name alone, as media.example or 10.0.0.7"
				}
			}
		}).doc("Hosts from which media at addresses are fetched although they are not public."),
		idle[arenaFile]("verbose", boolean, "use -v for more output", "false"),
		label("config_dir", func(a *arenaFile) *string { return &a.configDir }).
			doc("The folder from which paths start that matter while running."),
		object("output", outputFields, func(a *arenaFile) *Output { return &a.Defaults.Output }).
			doc("Which results are written, and where."),
		// The keys below are read if output is absent, as in older files.
		custom("out_dir", text, func(d *decoder, a *arenaFile, v *node.Node) {
			if dir, ok := d.Name(v, "out_dir"); ok && a.Defaults.Output.Dir == "" {
				a.Defaults.Output.Dir = dir
			}
		}).doc("Older form of output.dir."),
		custom("output_formats", listOf(formats), func(d *decoder, a *arenaFile, v *node.Node) {
			if list := d.wordList(v, "output_formats", formats); a.Defaults.Output.Formats == nil {
				a.Defaults.Output.Formats = list
			}
		}).doc("Older form of output.formats."),
		custom("html_report", text, func(d *decoder, a *arenaFile, v *node.Node) {
			if file, ok := d.Name(v, "html_report"); ok && a.Defaults.Output.HTMLFile == "" {
				a.Defaults.Output.HTMLFile = file
			}
		}).doc("Older form of output.html.file."),
		custom("markdown_config", markdownFields, func(d *decoder, a *arenaFile, v *node.Node) {
			var file string
			if markdownFields.read(d, v, &file); a.Defaults.Output.MarkdownFile == "" {
				a.Defaults.Output.MarkdownFile = file
			}
		}).doc("Older form of output.markdown."),
		object("inference", inferenceFields, func(a *arenaFile) *Defaults { return &a.Defaults }).
			doc("The models for checks that need a small one."),
		idle[arenaFile]("monitor", anyMap, "this version does not support audio"),
	}
})

// classifier is a key for the default provider of classifying checks.
func classifier(key, kind, what string) *field[Defaults] {
	return custom(key, text, func(d *decoder, f *Defaults, v *node.Node) {
		if id, ok := d.Name(v, key); ok {
			if f.Classifiers == nil {
				f.Classifiers = map[string]string{}
			}
			f.Classifiers[kind] = id
		}
		d.refer(toProvider, v)
	}).doc("The provider of role inference that classifies " + what + " for checks that name none.")
}

// inferenceFields name the providers of small models.
var inferenceFields = table("inference", func() rows[Defaults] {
	return rows[Defaults]{
		custom("embedder", text, func(d *decoder, f *Defaults, v *node.Node) {
			f.Embedder, _ = d.Name(v, "embedder")
			d.refer(toProvider, v)
		}).doc("The provider of embeddings, for checks that compare meanings."),
		classifier("audio_classifier", "audio", "sounds"), classifier("text_classifier", "text", "texts"),
		classifier("image_classifier", "image", "images"),
		idle[Defaults]("video_classifier", text, "no check of this version uses it"),
	}
})

var failOnWords = words(result.FailOnWords...)

// readFailOn reads additional reasons to fail a run. Failures and errors always do.
func readFailOn(d *decoder, a *arenaFile, v *node.Node) {
	if v.Kind == node.List && len(v.Content) == 0 {
		d.Warnf(v, NoEffect, "fail_on is empty, which changes nothing: %s", result.AlwaysRed).
			Hint = "take the line out; for a report only, pass --exit-zero"
		return
	}
	for _, w := range d.wordList(v, "fail_on", failOnWords) {
		if reason, err := result.FailOnReason(w); err == nil {
			a.Defaults.FailOn = append(a.Defaults.FailOn, reason)
		}
	}
}

var outputFields = table("output", func() rows[Output] {
	return rows[Output]{
		label("dir", func(o *Output) *string { return &o.Dir }).preset("out").doc("The folder of the results."),
		custom("formats", listOf(formats), func(d *decoder, o *Output, v *node.Node) {
			if o.Formats = d.wordList(v, "formats", formats); o.Formats == nil {
				o.Formats = []string{}
			}
		}).doc("The reports to write; all when left out."),
		block[Output]("json", part("json",
			idle[struct{}]("file", text, "the file keeps the name by which other commands know it", "results.json"),
		)).doc("Settings of results.json."),
		outputFile("html", func(o *Output) *string { return &o.HTMLFile }).doc("Settings of the HTML report."),
		outputFile("junit", func(o *Output) *string { return &o.JUnitFile }).doc("Settings of the JUnit report."),
		custom("markdown", markdownFields, func(d *decoder, o *Output, v *node.Node) {
			markdownFields.read(d, v, &o.MarkdownFile)
		}).doc("Settings of the Markdown report."),
		custom("recording", recordingOutput, func(d *decoder, o *Output, v *node.Node) {
			o.Recording.Dir = defaultRecordings
			recordingOutput.read(d, v, &o.Recording)
			if at := node.Get(v, "dir"); at != nil && node.Get(v, "enabled") == nil {
				d.Warnf(at, NoEffect, "dir has no effect: recordings are not written unless enabled is true").Hint =
					"write enabled: true beside it, or enabled: false if that is meant"
			}
		}).doc("Recordings of the conversations, which arena and other tools can read."),
	}
})

// defaultRecordings is the folder of recordings, below that of the results.
const defaultRecordings = "recordings"

var recordingOutput = table("recording", func() rows[RecordingOutput] {
	return rows[RecordingOutput]{
		flag("enabled", func(r *RecordingOutput) *bool { return &r.Enabled }).doc("Whether recordings are written."),
		label("dir", func(r *RecordingOutput) *string { return &r.Dir }).preset("recordings").
			doc("The folder of the recordings, below that of the results."),
	}
})

func outputFile(name string, at func(*Output) *string) *field[Output] {
	fields := part(name, label("file", func(s *string) *string { return s }).
		doc("The file, from the working directory. With -o it is in that folder, under its name."))
	return custom(name, fields, func(d *decoder, o *Output, v *node.Node) { fields.read(d, v, at(o)) })
}

var markdownFields = table("markdown", func() rows[string] {
	return rows[string]{
		label("file", func(s *string) *string { return s }).
			doc("The file, from the working directory. With -o it is in that folder, under its name."),
		idle[string]("include_details", boolean, "the report always has everything", "true"),
		idle[string]("show_overview", boolean, "the report always has everything", "true"),
		idle[string]("show_results_matrix", boolean, "the report always has everything", "true"),
		idle[string]("show_failed_tests", boolean, "the report always has everything", "true"),
		idle[string]("show_cost_summary", boolean, "the report always has everything", "true"),
	}
})
