package scenario

import (
	"unicode/utf8"

	"github.com/arena-evals/arena/internal/jsonvalue"
	"github.com/arena-evals/arena/internal/keys"
	"github.com/arena-evals/arena/internal/node"
)

// promptFile is a prompt as written in a file.
type promptFile struct {
	*Prompt
	fragments []fragmentRef
}

// promptFields are the keys of kind PromptConfig.
var promptFields = table("a prompt", func() rows[promptFile] {
	return rows[promptFile]{
		ownName[promptFile]("id"),
		label("task_type", func(p *promptFile) *string { return &p.TaskType }).
			doc("The name by which scenarios ask for the prompt."),
		str("version", func(p *promptFile) *string { return &p.Version }).doc("The version, for people and for packs."),
		str("description", func(p *promptFile) *string { return &p.Description }).doc("What the prompt is for."),
		custom("system_template", text, readSystemTemplate).must().doc("The system prompt; may hold {{placeholders}}."),
		custom("variables", listOf(variableFields), readVariables).doc("The placeholders, with defaults."),
		custom("allowed_tools", texts, readAllowedTools("allowed_tools")).
			doc("The tools that the model is offered; a trailing * stands for any end."),
		custom("validators", listOf(validatorFields), readValidators).doc("Guardrails on what users and models say."),
		objects("fragments", fragmentFields, func(p *promptFile) *[]fragmentRef { return &p.fragments }).
			doc("Texts from other files that the template takes in."),
		custom("model_overrides", mapOf(overrideFields), readOverrides).doc("Other texts for certain models."),
		toolPolicy(func(p *promptFile, limits *ToolPolicy) { p.ToolPolicy = limits }).doc("Limits for tool calls."),
		custom("parameters", parameterFields, readParameters).doc("Parameters of the model calls."),
		custom("output_schema", schemaShape{}, func(d *decoder, p *promptFile, v *node.Node) {
			p.OutputSchema = d.outputSchema(v)
		}).doc("JSON Schema of the replies, where the scenario has none."),
		evalList("evals", func(p *promptFile) *[]*Eval { return &p.Evals }).doc("Checks that measure quality."),
		remark[promptFile]("template_engine", templateEngineFields).doc("How placeholders are written; arena knows one way."),
		idle[promptFile]("media", anyMap, "what it allows is not enforced; no message is refused"),
		remark[promptFile]("tested_models", listOf(anyMap)).doc("The models with which the prompt was tested, for people."),
		remark[promptFile]("metadata", anyMap).doc("Further facts about the prompt, for people and other tools."),
		remark[promptFile]("compilation", anyMap).doc("How the prompt was made, for people and other tools."),
		gone[promptFile]("tools", `a prompt names its tools with "allowed_tools"`, "rename the key"),
	}
}).strays(promptWords)

// promptWords is the name of another tool's key in a prompt.
func promptWords(key string) string {
	switch snake(key) {
	case "system_prompt", "system_message", "system_text", "instructions":
		return `the text of a prompt is called "system_template"`
	case "name":
		return `a prompt has an "id", and a "task_type" by which scenarios ask for it`
	}
	return ""
}

var templateEngineFields = table("template_engine", func() rows[struct{}] {
	return rows[struct{}]{
		remark[struct{}]("version", text).must().doc("The version of the template language, for other tools."),
		idle[struct{}]("syntax", text, "placeholders are {{name}} everywhere", "{{variable}}", "{{name}}").must(),
		remark[struct{}]("features", texts).doc("What of the template language is used, for other tools."),
	}
})

// parameterFields are the call parameters of prompts and of their overrides.
var parameterFields = table("parameters", func() rows[Parameters] {
	penalty := keys.Number{Low: -2, High: 2}
	return rows[Parameters]{
		numPtr("temperature", keys.Number{Low: 0, High: 2}, func(p *Parameters) **float64 { return &p.Temperature }).
			doc("How freely the model chooses, from 0 to 2."),
		optionalInteger("max_tokens", counting, func(p *Parameters) **int { return &p.MaxTokens }).
			doc("The most tokens of a reply."),
		numPtr("top_p", unit, func(p *Parameters) **float64 { return &p.TopP }).
			doc("The share of probability from which the model chooses."),
		custom("top_k", counting, func(d *decoder, p *Parameters, v *node.Node) {
			if node.IsNull(v) {
				return // the model decides
			}
			if k, ok := d.Int(v, "top_k", 1, int(counting.High)); ok {
				p.TopK, p.TopKPos = &k, d.Pos(v)
			}
		}).orNull().doc("From how many tokens the model chooses."),
		numPtr("frequency_penalty", penalty, func(p *Parameters) **float64 { return &p.FrequencyPenalty }).
			doc("How much the model avoids what it has said often."),
		numPtr("presence_penalty", penalty, func(p *Parameters) **float64 { return &p.PresencePenalty }).
			doc("How much the model avoids what it has said at all."),
	}
})

func readParameters(d *decoder, p *promptFile, v *node.Node) {
	var params Parameters
	parameterFields.read(d, v, &params)
	p.Temperature, p.TopP, p.MaxTokens = params.Temperature, params.TopP, params.MaxTokens
	p.Sampling = params.Sampling
}

func readSystemTemplate(d *decoder, p *promptFile, v *node.Node) {
	p.TemplatePos = d.Pos(v)
	p.SystemTemplate, _ = d.Name(v, "system_template")
	d.warnStandIn(v, "system_template", false)
}

func readAllowedTools(key string) func(*decoder, *promptFile, *node.Node) {
	return func(d *decoder, p *promptFile, v *node.Node) {
		p.AllowedTools, _ = d.Strings(v, key)
		d.referAll(toOffered, v)
	}
}

type variableFile struct {
	Variable
	name, preset *node.Node
}

var variableFields = table("a variable", func() rows[variableFile] {
	return rows[variableFile]{
		custom("name", text, func(d *decoder, x *variableFile, v *node.Node) {
			x.name = v
			x.Name, _ = d.Name(v, "name")
		}).must().doc("The name of the placeholder."),
		flag("required", func(x *variableFile) *bool { return &x.Required }).doc("There must be a value."),
		custom("type", variableTypes, func(d *decoder, x *variableFile, v *node.Node) {
			x.Type, _ = d.OneOf(v, "type", variableTypes...)
		}).doc("The type that values must have."),
		custom("default", anything, func(d *decoder, x *variableFile, v *node.Node) {
			x.preset, x.Default, x.Shape = v, d.stringify(v), structureOf(v)
		}).orNull().doc("The value when nobody sets one."),
		remark[variableFile]("description", text).doc("What the variable is for, for people."),
		remark[variableFile]("example", anything).orNull().doc("A value as it could be, for people."),
		idle[variableFile]("validation", anyMap, "values of variables are taken as they are"),
		idle[variableFile]("binding", part("binding",
			inside[struct{}]("kind", text).must().doc("What fills the variable elsewhere."),
			inside[struct{}]("field", text).doc("Which part of that is the value."),
			inside[struct{}]("autoPopulate", boolean).doc("Whether the value comes without being asked for."),
			inside[struct{}]("filter", part("filter",
				inside[struct{}]("capability", text).doc("Takes only what has this ability."),
				inside[struct{}]("labels", textMap).doc("Takes only what has these labels."),
			)).doc("Which of them is taken."),
		), "nothing fills the variable by itself"),
	}
})

func readVariables(d *decoder, p *promptFile, v *node.Node) {
	lines := map[string]int{}
	d.Items(v, "variables", func(_ int, item *node.Node) {
		var x variableFile
		if !variableFields.read(d, item, &x) || x.Name == "" {
			return
		}
		if line, twice := lines[x.Name]; twice {
			d.Errorf(x.name, "duplicate-id", "the variable %q is already declared on line %d", x.Name, line)
			return
		}
		lines[x.Name] = x.name.Line
		if want := x.wantedType(x.preset); want != "" {
			d.Errorf(x.preset, "wrong-variable", "the default of the variable %q must be %s, found %s",
				x.Name, want, shown(x.preset))
		}
		x.Pos = d.Pos(x.name)
		p.Variables = append(p.Variables, x.Variable)
	})
}

// stringify is a default of any type as text: lists and maps as JSON. An empty value is not a default.
func (d *decoder) stringify(n *node.Node) *string {
	if node.IsNull(n) {
		return nil
	}
	if n.Kind == node.Scalar {
		return &n.Value
	}
	b, err := jsonvalue.Plain(d.Any(n))
	if err != nil {
		d.Errorf(n, "wrong-type", "default cannot be written as JSON: %v", err)
		return nil
	}
	s := string(b)
	return &s
}

var overrideFields = table("a model override", func() rows[ModelOverride] {
	return rows[ModelOverride]{
		str("system_template", func(o *ModelOverride) *string { return &o.SystemTemplate }).
			doc("Takes the place of the system prompt."),
		str("system_template_prefix", func(o *ModelOverride) *string { return &o.Prefix }).
			doc("Stands before the system prompt."),
		str("system_template_suffix", func(o *ModelOverride) *string { return &o.Suffix }).
			doc("Stands behind the system prompt."),
		object("parameters", parameterFields, func(o *ModelOverride) *Parameters { return &o.Parameters }).
			doc("Parameters of the calls of this model."),
	}
})

func readOverrides(d *decoder, p *promptFile, v *node.Node) {
	p.Overrides = map[string]ModelOverride{}
	d.Each(v, "model_overrides", func(model string, k, item *node.Node) {
		o := ModelOverride{Pos: d.Pos(k)}
		if overrideFields.read(d, item, &o) {
			p.Overrides[model] = o
		}
	})
}

// prompt reads a document of kind PromptConfig.
func (d *decoder) prompt(doc document) *Prompt {
	p := promptFile{Prompt: &Prompt{Meta: doc.meta, File: d.File, Vars: d.vars}}
	if !promptFields.read(d, doc.spec, &p) {
		return nil
	}
	if p.TaskType == "" {
		p.TaskType = p.ID
	}
	d.completePrompt(&p, nil)
	return p.Prompt
}

// completePrompt loads fragments and notes missing features that a prompt uses. pack holds the fragments of a pack; nil
// for prompts with a file of their own.
func (d *decoder) completePrompt(p *promptFile, pack map[string]string) {
	p.AllToolsOK = p.AllowedTools == nil
	d.loadFragments(p, pack)
}

func isName(s string) bool {
	for i, c := range s {
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
		if !letter && (i == 0 || (c < '0' || '9' < c) && c != '.' && c != '-') {
			return false
		}
	}
	return s != ""
}
