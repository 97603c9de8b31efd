// Evals: what they measured. One with a threshold is a verdict; the others only have a score.

const evalCards = new WeakMap(); // result → its card

function evalCard(e) {
  const card = e.status ? verdictCard({ ...e, type: `eval ${e.eval_id}${e.step ? ` of ${e.step}` : ""}` }) : measuredCard(e);
  evalCards.set(e, card);
  return card;
}

const measuredCard = (e) =>
  h(
    "li.verdict.measured",
    { tabindex: "-1" },
    h(
      "div.head",
      {},
      h("b", { dir: "auto" }, e.eval_id || "no id"),
      e.step && h("span.kind", { dir: "auto" }, ` of ${e.step}`),
      known(e.score) && h("span.score", { title: "score" }, unseen("score "), score(e.score)),
    ),
    e.message && h("p.label", { dir: "auto" }, e.message),
    e.error && h("div", {}, h("p.label", {}, "nothing could be judged"), longText(e.error)),
    e.explanation && longText(e.explanation),
    e.skip_reason && h("p.label", { dir: "auto" }, `skipped: ${e.skip_reason}`),
    e.judgements?.length > 0 && judgedFold(e),
    detailsOf(e),
    place(e.position) && h("p.place", { dir: "auto" }, place(e.position)),
  );

const evalsOf = (trial, turn) => (trial.eval_results ?? []).filter((e) => e.turn === turn);

// evalList is what was measured after a turn; -1 is the end.
const evalList = (trial, turn, label) => {
  const results = evalsOf(trial, turn);
  return (
    results.length > 0 &&
    h("div.evals", {}, h("h3", {}, "Evals"), h("ul.verdicts", { "aria-label": label }, results.map(evalCard)))
  );
};

// measured is the evals over all trials.
function measured(report) {
  const evals = report.run.evals ?? [];
  if (!evals.length) return null;
  const note = (e) =>
    [
      e.scored && e.lowest_score !== e.highest_score && `${score(e.lowest_score)} to ${score(e.highest_score)}`,
      e.failed && `${count(e.failed)} below the threshold`,
      e.skipped && `${count(e.skipped)} skipped`,
      e.errors && `${many(e.errors, "error")}: ${oneLine(e.error ?? "", 120)}`,
    ]
      .filter(Boolean)
      .join(", ");
  const row = (e) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", dir: "auto", title: e.type }, e.eval_id || "no id"),
      h("td.n", {}, known(e.mean_score) ? score(e.mean_score) : "–"),
      h("td.n", {}, count(e.results)),
      h("td", { dir: "auto" }, e.failed > 0 && badge("failed", { bare: true }), " ", note(e)),
    );
  const body = h("tbody");
  const more = pager(evals, 12, (page) => body.append(...page.map(row)), "evals");
  const heads = [["", "Eval"], [".n", "mean"], [".n", "results"], ["", unseen("notes")]];
  return h(
    "section.card.measured",
    {},
    h("h2", {}, "Evals", h("small", {}, " score")),
    h("table", {}, h("thead", {}, h("tr", {}, heads.map(([at, text]) => h(`th${at}`, { scope: "col" }, text)))), body),
    more,
  );
}
