package runner

import (
	"regexp"
	"strings"
	"sync"
)

// refusesInWords finds a refusal to play somebody in words other than the usual phrases, and what only a model says of
// itself, in several languages. It looks for both what is refused and the refusal, in one sentence.
var refusesInWords = sync.OnceValue(func() *regexp.Regexp {
	const within = `[^.!?\n]{0,60}`
	return anyOf(
		`\b(?:can(?:no|')t|won't|will not|not (?:able|comfortable|willing|allowed|going|permitted)|unable|declin(?:e|`+
			`ing)|refuse|`+
			`rather not)\b`+within+`\b(?:role-?play(?:ing)?|impersonat(?:e|ing)|in (?:this|that|the) role|`+
			`play(?:ing)? (?:the|this|that|a|an) (?:part|role|character|persona|customer|user)|`+
			`tak(?:e|ing) on (?:the|this|that|a|an) (?:role|character|persona)|`+
			`(?:act(?:ing)?|pos(?:e|ing)|speak(?:ing)?|writ(?:e|ing)) as (?:the|this|that|a|an) (?:customer|user|`+
			`person|human|character)|`+
			`simulat(?:e|ing) (?:the|this|that|a|an) (?:customer|user|person|conversation))\b`,
		`\b(?:kann|werde|darf|möchte)\b`+within+`\b(?:nicht|keine)\b`+within+
			`(?:\brolle\b`+within+`(?:spielen|übernehmen|einnehmen|schlüpfen)|rollenspiel|\bpersona\b)`,
		`\b(?:kann|werde|darf|möchte)\b`+within+`\brolle\b`+within+`\bnicht (?:spielen|übernehmen|einnehmen)`,
		`\b(?:diese|die|keine) rolle (?:kann|werde|darf|möchte) ich (?:nicht )?(?:spielen|übernehmen|einnehmen)`,
		`\b(?:ne (?:peux|puis|vais|souhaite) pas|refuse de|impossible de)\b`+within+
			`(?:(?:jouer|incarner|endosser|interpréter) (?:ce|cette|le|la|un|une) (?:rôle|personnage|persona)|jeu de rôle)`,
		`\bno (?:puedo|voy a|debo|podría)\b`+within+`(?:(?:interpretar|asumir|desempeñar|hacer|adoptar) (?:este|ese|`+
			`el|un|una|esta) `+
			`(?:papel|rol|personaje|persona)|hacerme pasar|juego de rol)`,
		`\bnon (?:posso|voglio|sono in grado)\b`+within+`(?:interpretare|assumere|recitare|impersonare) (?:questo|`+
			`quel|il|un|una|la) `+
			`(?:ruolo|personaggio|persona|parte)`,
		`\bnão (?:posso|vou|consigo)\b`+within+`(?:(?:interpretar|assumir|desempenhar|fazer) (?:este|esse|o|um|essa|esta) `+
			`(?:papel|personagem|persona)|me passar por)`,
		`\bals (?:ki|künstliche intelligenz|(?:ki-)?sprachmodell|ki-assistent)\b`,
		`\ben tant qu(?:e |')(?:ia|intelligence artificielle|modèle de langage|assistant virtuel)\b`,
		`\bcomo (?:una )?(?:inteligencia artificial|modelo de lenguaje|asistente de ia)\b`,
		`\bcomo (?:uma )?(?:inteligência artificial|modelo de linguagem|assistente de ia)\b`,
		`\bin quanto (?:ia|intelligenza artificiale|modello linguistico|assistente)\b`,
		`\bals (?:ai-(?:model|assistent)|taalmodel)\b`,
		`как (?:ии|языковая модель|искусственный интеллект)(?:[^\pL]|$)`,
		`не могу`+within+`(?:играть роль|изображать пользователя)`,
		`作为(?:一个|一名)?(?:ai|人工智能|语言模型)`, `(?:无法|不能|不会)(?:继续)?扮演`, `(?:aiとして|言語モデルとして)`,
		`(?:役|役割|ロールプレイ)を?(?:演じる|する|続ける)?ことはできません`,
	)
})

// findsNothing finds what models write that find nothing to summarize, in several languages.
var findsNothing = sync.OnceValue(func() *regexp.Regexp {
	const (
		within = `[^.!?\n]{0,30}`
		talk   = `(?:previous |earlier |prior |actual )?(?:conversation|messages?|transcript|chat|dialogue|text|content)\b`
	)
	return anyOf(
		`\bnothing (?:here |yet )?to summari[sz]e\b`,
		`\bi (?:don't|do not|didn't|did not|can't|cannot) (?:see|find|have|receive|detect) (?:any|a|the) `+talk,
		`\b(?:the|your) (?:conversation|transcript|chat) (?:is|was|appears|seems)(?: to be)? (?:empty|blank|missing)`,
		`\byou (?:haven't|have not|didn't|did not)(?: yet)? (?:provided?|shared?|included?|pasted?|sent|send|`+
			`attached?) (?:any|a|the|me)\b`,
		`\bthere (?:is|are|was|were|seems to be|appears to be) no `+talk+within+`summari[sz]e`,
		`\bwhat would you like me to summari[sz]e`, `\bhow (?:can|may) i (?:help|assist) you\b`,
		`\b(?:nichts|kein(?:e|en)? (?:gespräch|konversation|unterhaltung|nachrichten|`+
			`text))\b`+within+`(?:zusammen(?:zu)?fassen|`+
			`vorhanden|übermittelt|bereitgestellt)`,
		`\bbitte (?:stellen|teilen|senden|geben|fügen|schicken) sie\b`+within+`(?:gespräch|konversation|unterhaltung|`+
			`text|nachrichten)`,
		`\b(?:rien|aucune? (?:conversation|message|texte))\b`+within+`(?:à résumer|fournie?|transmise?)`,
		`\bveuillez (?:fournir|partager|coller|envoyer|me fournir)\b`+within+`(?:conversation|texte|messages)`,
		`\bno hay (?:nada|ning\pL+|conversación|mensajes|texto)\b`+within+`resumir`,
		`\bpor favor,? (?:proporci\pL+|compart\pL+|peg\pL+|enví\pL+|envi\pL+)`+within+`(?:conversación|texto|`+
			`mensajes|conversa\b)`,
		`\bnon c'è (?:nulla|niente|nessuna conversazione)\b`+within+`riassumere`,
		`\bnão há (?:nada|nenhuma conversa)\b`+within+`resumir`,
		`没有(?:任何)?(?:可以|可供|需要)?(?:总结|概括)?的?(?:对话|内容|消息)`, `请(?:您)?提供(?:需要总结的)?(?:对话|文本|内容)`,
		`要約する(?:会話|内容|テキスト)が(?:ありません|見つかりません)`,
	)
})

// anyOf matches where one of some patterns does, whatever the case.
func anyOf(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:` + strings.Join(patterns, "|") + `)`)
}
