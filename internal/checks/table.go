package checks

import (
	"slices"
	"sync"

	"github.com/arena-evals/arena/internal/scenario"
)

// builtin is every check of arena, sorted by name.
var builtin = []*Def{
	a2aEvalDef,
	agentInvokedDef,
	agentNotInvokedDef,
	agentResponseContainsDef,
	allOfDef,
	answerRelevancyDef,
	anyOfDef,
	audioDurationDef,
	audioEmotionDef,
	audioFormatDef,
	biasDef,
	bleuDef,
	compositionBranchTakenDef,
	compositionOutputDef,
	compositionParallelCompleteDef,
	compositionStepOutputDef,
	containsDef,
	containsAnyDef,
	containsJSONDef,
	contentExcludesDef,
	contextualPrecisionDef,
	contextualRecallDef,
	contextualRelevancyDef,
	cosineSimilarityDef,
	costBudgetDef,
	directionalDef,
	endsWithDef,
	equalsDef,
	faithfulnessDef,
	fieldPresenceDef,
	finishReasonDef,
	guardrailTriggeredDef,
	hallucinationDef,
	imageDimensionsDef,
	imageFormatDef,
	imageModerationDef,
	invariantFieldsPreservedDef,
	isHTMLDef,
	isRefusalDef,
	isSQLDef,
	isXMLDef,
	jsonPathDef,
	jsonSchemaDef,
	jsonValidDef,
	judgeVerdictDef,
	latencyBudgetDef,
	levenshteinDef,
	llmJudgeDef,
	llmJudgeSessionDef,
	llmJudgeToolCallsDef,
	maxCostDef,
	maxDurationDef,
	maxLengthDef,
	maxTurnsDef,
	minLengthDef,
	noRepeatCallsDef,
	noToolErrorsDef,
	notDef,
	outcomeEquivalentDef,
	outputContainsDef,
	outputMatchesDef,
	piiLeakageDef,
	regexDef,
	restEvalDef,
	roleViolationDef,
	rougeDef,
	sentenceCountDef,
	skillActivatedDef,
	skillActivationOrderDef,
	skillNotActivatedDef,
	spokeInStateDef,
	startsWithDef,
	textSentimentDef,
	textToxicityDef,
	toolAntiPatternDef,
	toolArgsDef,
	toolArgsExcludedDef,
	toolCallChainDef,
	toolCallCountDef,
	toolCallF1Def,
	toolCallSequenceDef,
	toolCallsWithArgsDef,
	toolEfficiencyDef,
	toolExecDef,
	toolNoRepeatDef,
	toolOrderDef,
	toolResultHasMediaDef,
	toolResultIncludesDef,
	toolResultMatchesDef,
	toolResultMediaTypeDef,
	toolsCalledDef,
	toolsNotCalledDef,
	toxicityDef,
	trajectoryDef,
	validToolCallDef,
	videoDurationDef,
	videoResolutionDef,
	weightedDef,
	wordCountDef,
	workflowCompleteDef,
	workflowStateIsDef,
	workflowToolAccessDef,
	workflowTransitionOrderDef,
	workflowTransitionedToDef,
}

// Builtin returns the checks of arena, sorted by name.
func Builtin() []*Def { return slices.Clone(builtin) }

// In returns the checks of a family, sorted by name.
func In(f Family) []*Def {
	return slices.DeleteFunc(Builtin(), func(d *Def) bool { return d.Family != f })
}

// Lookup finds a check by any of its names.
func Lookup(name string) (*Def, bool) {
	e, ok := index()[name]
	if !ok {
		return nil, false
	}
	return e.Def, true
}

// Spelling is one name of a check. All uses of the name share it.
type Spelling struct {
	Def     *Def
	Type    string // the name; the Def's own string, so that compiled checks do not keep the text of their file in memory
	session bool   // the check always looks at the conversation
}

func spell(d *Def, name string) *Spelling {
	return &Spelling{d, name, d.Scope == WholeAlways || slices.Contains(d.SessionNames, name)}
}

var index = sync.OnceValue(func() map[string]*Spelling {
	m := map[string]*Spelling{}
	for _, d := range builtin {
		for _, name := range d.Names() {
			m[name] = spell(d, name)
		}
	}
	return m
})

// knownNames lists every type that a file may use, for hints.
var knownNames = sync.OnceValue(func() []string {
	names := []string{scenario.Wrapper}
	for name := range index() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
})
