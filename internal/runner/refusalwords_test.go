package runner

import "testing"

// Models refuse to play a user, or to summarize, in words of their own; what users and summaries say is none.
func TestRefusalsInOtherWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"I'm sorry, but I won't be taking on the role of an angry customer.": true,
		"I am not comfortable writing as a customer who lies.":               true,
		"I must decline to play the part of somebody in distress.":           true,
		"I’d rather not impersonate a real person.":                          true,
		"Ich kann diese Rolle leider nicht spielen.":                         true,
		"Ich kann leider nicht in diese Rolle schlüpfen.":                    true,
		"Diese Rolle kann ich nicht übernehmen.":                             true,
		"Als KI habe ich keine Bestellung.":                                  true,
		"Je ne peux pas jouer ce rôle.":                                      true,
		"En tant qu’IA, je ne commande rien.":                                true,
		"Lo siento, no puedo interpretar este papel.":                        true,
		"Non posso assumere questo ruolo.":                                   true,
		"Desculpe, não posso assumir esse papel.":                            true,
		"抱歉，我无法扮演这个角色。":                                                      true,
		"作为一个AI，我没有订单。":                                                      true,
		"AIとして、注文はありません。":                                                    true,

		"I can't log in, and I won't pay.":                           false,
		"I can't play the video on my phone.":                        false,
		"I'm not able to act on this without a refund.":              false,
		"You refuse to help me? I want to speak to a person.":        false,
		"My role does not let me simulate the error.":                false,
		"Ich kann die Rolle Papier nicht finden.":                    false,
		"Als Kind habe ich das gegessen.":                            false,
		"Je ne peux pas jouer au jeu.":                               false,
		"No puedo hacer el pedido como invitado.":                    false,
		"Não posso fazer o pagamento.":                               false,
		"As a customer I cannot pretend to like it, not this time?!": true, // as before: can't pretend
		"I will not accept this. What can you do?":                   false,
	} {
		if got := refusal(text); (got != "") != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]bool{
		"There is nothing to summarize yet.":                           true,
		"I don’t see any conversation here.":                           true,
		"It looks like the transcript is empty.":                       true,
		"You haven't shared the messages.":                             true,
		"How can I help you today?":                                    true,
		"Es gibt kein Gespräch, das ich zusammenfassen könnte.":        true,
		"Bitte senden Sie mir das Gespräch.":                           true,
		"Il n'y a aucune conversation à résumer.":                      true,
		"No hay ninguna conversación que resumir.":                     true,
		"请提供需要总结的对话。":                                                  true,
		"The user asked for a refund, and the agent found no message.": false,
		"The customer has not shared the order number yet.":            false,
		"Der Kunde hat keine Nachrichten erhalten.":                    false,
		"The user's inbox is empty; the agent sent the text again.":    false,
		"El cliente no hay pagado. Por favor, enviar factura.":         false,
	} {
		got := findsNothing().FindString(plainCase(text))
		if (got != "") != want {
			t.Errorf("summary %q: %q", text, got)
		}
	}
}
