// Judges: how models came to a verdict, vote by vote.

// judging sorts the judgements of a verdict by question and vote: a list of questions, each a list of votes, each a list
// of rounds, the last of which counts.
function judging(v) {
  const questions = [];
  for (const j of v.judgements ?? []) {
    const votes = questions.at(-1);
    const first = votes?.[0][0];
    if (votes && j.repair) votes.at(-1).push(j);
    else if (votes && j.vote > 1 && first.prompt === j.prompt && first.system === j.system) votes.push([j]);
    else questions.push([[j]]);
  }
  return questions;
}

function judgeName(j) {
  const name = j.judge || j.provider;
  if (!name) return j.model || "unknown judge";
  return j.model && j.model !== name ? `${name} (${j.model})` : name;
}

const costOf = (usd, simulated) => (known(usd) ? paid(usd, simulated) : "cost unknown");
const madeUp = (j) => (j.simulated ? j.cost_usd ?? 0 : 0); // what nobody paid
const tokensOf = (u) => (u?.input_tokens ?? 0) + (u?.output_tokens ?? 0);
const free = (j) => !known(j.cost_usd) && !tokensOf(j.usage); // a call that never answered

// spent is what calls took: "4 calls · 834 tokens · $0.0033".
function spent(judgements) {
  const tokens = judgements.reduce((sum, j) => sum + tokensOf(j.usage), 0);
  const about = judgements.some((j) => j.usage?.estimated) ? "about " : "";
  const priced = judgements.every((j) => known(j.cost_usd) || free(j));
  const usd = judgements.reduce((sum, j) => sum + (j.cost_usd ?? 0), 0);
  return [
    judgements.length > 1 && many(judgements.length, "call"),
    tokens > 0 && about + many(tokens, "token"),
    tokens > 0 && costOf(priced ? usd : null, judgements.reduce((sum, j) => sum + madeUp(j), 0)),
  ].filter(Boolean);
}

const voteScore = (rounds) => rounds.at(-1).score;
const voteWord = (rounds) => (known(voteScore(rounds)) ? score(voteScore(rounds)) : "error");

// judgedBy is who judged and what that took, in one line.
function judgedBy(v) {
  const questions = judging(v);
  const names = [...new Set(v.judgements.map(judgeName))];
  const votes = questions.length === 1 && questions[0].length > 1 ? many(questions[0].length, "vote") : null;
  const asked = questions.length > 1 ? many(questions.length, "question") : null;
  return [asked, votes, names.slice(0, 3).join(", "), ...spent(v.judgements)].filter(Boolean).join(" · ");
}

// scale draws the votes between 0 and 1, and what they had to reach.
function scale(v, votes) {
  const scores = votes.map(voteScore).filter(known);
  const [least, most] = [v.min_score ?? (known(v.max_score) ? 0 : 1), v.max_score ?? 1];
  if (!scores.length || !scores.every((x) => x >= 0 && x <= 1) || !(least >= 0 && least <= most && most <= 1)) return null;
  const at = (x) => `${Math.round(x * 1e4) / 100}%`;
  const holds = (x) => x >= least - 1e-9 && x <= most + 1e-9;
  const times = new Map();
  for (const x of scores) times.set(x, (times.get(x) ?? 0) + 1);
  const limits = [
    [v.min_score, "at least"],
    [v.max_score, "at most"],
  ].filter(([x]) => known(x));
  const anchor = (x) => (x > 0.85 ? "end" : x < 0.15 ? "start" : "middle");
  const words = scores.length > 1 ? `votes ${scores.map(score).join(", ")}; ` : "";
  return svg(
    "svg",
    {
      class: "scale",
      height: 30,
      role: "img",
      "aria-label": `${words}score ${known(v.score) ? score(v.score) : "none"}, asked for ${thresholds(v) || "1.00"}`,
    },
    svg("rect", { class: "track", y: 9, width: "100%", height: 4, rx: 2 }),
    svg("rect", { class: "wanted", x: at(least), y: 9, width: at(Math.max(most - least, 0.004)), height: 4, rx: 2 }),
    limits.map(([x, word]) => [
      svg("line", { class: "limit", x1: at(x), x2: at(x), y1: 4, y2: 18 }),
      svg("text", { x: at(x), y: 28, "text-anchor": anchor(x) }, `${word} ${score(x)}`),
    ]),
    scores.length > 1 &&
      [...times].map(([x, n]) =>
        svg(
          "circle",
          { class: holds(x) ? "vote holds" : "vote", cx: at(x), cy: 11, r: 4.5 + Math.min(n - 1, 4) },
          svg("title", {}, `${many(n, "vote")} for ${score(x)}`),
        ),
      ),
    known(v.score) &&
      svg(
        "circle",
        { class: `result ${holds(v.score) ? "passed" : "failed"}`, cx: at(v.score), cy: 11, r: 4.5 },
        svg("title", {}, `${scores.length > 1 ? "median" : "score"} ${score(v.score)}`),
      ),
  );
}

// folded is a part that is built when it is first opened.
function folded(kind, { open = false }, summary, build) {
  let built = false;
  const fold = h(kind, { ontoggle: () => show() }, h("summary", {}, summary));
  const show = () => {
    if (built || !fold.open) return;
    built = true;
    for (const part of [build()].flat()) if (part) fold.append(part);
  };
  fold.open = open;
  show();
  return fold;
}

const textFold = (label, text, open = false) =>
  folded("details.source", { open }, [label, h("small", {}, ` ${many(text.length, "character")}`)], () => code(text));

// took is what one call took, and who answered it where that differs from vote to vote.
function took(j, named) {
  return [
    named && judgeName(j),
    tokensOf(j.usage) > 0 &&
      `${count(j.usage.input_tokens)} in, ${count(j.usage.output_tokens)} out${j.usage.estimated ? " (estimated)" : ""}`,
    !free(j) && costOf(j.cost_usd, madeUp(j)),
    j.latency_ms > 0 && latency(j.latency_ms),
  ]
    .filter(Boolean)
    .join(" · ");
}

// round is one call of a judge: what came of it, and the reply as it came.
function round(j, { again, reasoned, named }) {
  const useless = !known(j.score);
  const foot = h("small", { dir: "auto" }, ` ${took(j, named)}`);
  return h(
    "div.round",
    {},
    again && textFold("Asked again", j.prompt ?? ""),
    useless &&
      h(
        "p.why",
        { dir: "auto" },
        badge("error", { bare: true, word: "no score" }),
        " ",
        j.error || "no score; no reason was given",
      ),
    !useless && !reasoned && (j.reasoning ? longText(j.reasoning) : h("p.none", {}, "no reasoning was given")),
    j.reply
      ? folded("details.source", { open: useless }, ["Reply", foot], () => code(j.reply))
      : h("p.none", {}, "no reply", foot),
  );
}

function voteItem(rounds, n, { alone, named, said }) {
  const parts = rounds.map((j, i) =>
    round(j, { again: i > 0, named, reasoned: alone && rounds.length === 1 && j.reasoning === said }),
  );
  if (alone) return h("li", {}, parts);
  const result = voteScore(rounds);
  return h(
    "li",
    {},
    h(
      "p.ballot",
      {},
      h("b", {}, `Vote ${n}`),
      rounds.length > 1 && h("small", {}, " asked again"),
      h(`span.score${known(result) ? "" : ".none"}`, {}, voteWord(rounds)),
    ),
    parts,
  );
}

function question(votes, said) {
  const first = votes[0][0];
  const alone = votes.length === 1;
  const named = new Set(votes.flat().map(judgeName)).size > 1;
  return h(
    "div.question",
    {},
    h(
      "div.put",
      {},
      pairs("dl.asking", [
        ["Criteria", first.criteria && longText(first.criteria)],
        ["Rubric", first.rubric && longText(first.rubric)],
      ]),
      first.system && textFold("System prompt", first.system),
      first.prompt && textFold("Prompt", first.prompt),
    ),
    h(
      "ol.votes",
      { "aria-label": "Votes" },
      votes.map((rounds, i) => voteItem(rounds, rounds[0].vote || i + 1, { alone, named, said })),
    ),
  );
}

// judgedFold opens into what was asked, and each vote with its reasoning, reply and cost.
const judgedFold = (v) =>
  folded("details.judged", { open: isBad(v.status) }, ["judged by ", h("span", { dir: "auto" }, judgedBy(v))], () => {
    const questions = judging(v);
    return questions.map((votes) => question(votes, questions.length === 1 && v.explanation));
  });

// judgedScale is the scale of a verdict with one question.
function judgedScale(v) {
  const questions = judging(v);
  return questions.length === 1 ? scale(v, questions[0]) : null;
}
