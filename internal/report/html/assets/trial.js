// The third level: one trial, whole.

class TrialView {
  constructor(report, go) {
    Object.assign(this, { report, go, id: null });
    this.head = h("div");
    this.body = h("div");
    this.root = h("article.trial", { "aria-labelledby": "trial-title", hidden: true }, this.head, this.body);
  }

  // show opens a trial; list is the trials that it stands among.
  async show(state, list) {
    const t = this.report.byId.get(state.id);
    this.walk(state, list);
    if (this.id === state.id) return;
    this.id = state.id;
    if (!t) {
      this.body.replaceChildren(
        h("h1", { id: "trial-title", tabindex: "-1" }, "No such trial"),
        h("p.empty", {}, `The report holds no trial ${state.id}.`),
      );
      return;
    }
    const parts = await this.report.load(t).then(
      (loaded) => trialBody(this.report, t, loaded),
      (err) => [
        h("h1", { id: "trial-title", tabindex: "-1" }, t.id),
        h("p.empty", {}, `The trial cannot be shown: ${err.message}.`),
      ],
    );
    if (this.id === state.id) this.body.replaceChildren(...parts); // else another one was opened meanwhile
  }

  // walk shows the place in the list and the ways to the neighbours.
  walk(state, list) {
    const at = list.findIndex((t) => t.id === state.id);
    this.next = at < 0 ? list[0] : list[at + 1];
    this.previous = at < 0 ? list.at(-1) : list[at - 1];
    const link = (t, rel, label) =>
      t
        ? h("a", { href: toTrial(t, state), rel, title: t.id }, label)
        : h("span.off", { "aria-hidden": "true" }, label);
    const filtered = state.q || FACETS.some((facet) => state.picked[facet].size);
    this.head.replaceChildren(
      h(
        "nav.walk",
        { "aria-label": "Trials" },
        h("a", { href: writeAddress({ ...state, view: "trials" }) }, "← Trials"),
        h(
          "span.at",
          {},
          at < 0
            ? "not in the filtered list"
            : `${count(at + 1)} of ${count(list.length)}${filtered ? " filtered" : ""}`,
        ),
        link(this.previous, "prev", "‹ previous"),
        link(this.next, "next", "next ›"),
      ),
    );
  }
}

function trialBody(report, t, { trial, raw, rerun }) {
  const at = { state: "", system: trial.system };
  const sections = (trial.turns ?? []).map((turn) => turnSection(turn, at, trial));
  const whole = [
    verdictList(trial.conversation_assertions, "Checks of the whole conversation"),
    evalList(trial, -1, "Evals of the whole conversation"),
  ].filter(Boolean);
  const notices = [...(trial.warnings ?? []), ...(trial.notices ?? [])];
  return [
    trialHead(report, t, trial),
    trial.error && h("div.notice.error", { role: "note" }, badge("error"), longText(trial.error)),
    trial.skip_reason && h("p.notice.skipped", {}, badge("skipped"), ` ${trial.skip_reason}`),
    notices.length > 0 &&
      h(
        "ul.notices",
        {},
        notices.map((n) => h("li", {}, longText(n))),
      ),
    copyBar(report, t, trial, raw, rerun),
    whatFailed(
      trial,
      () => sections,
      () => whole[0],
    ),
    workflowSection(report, t, trial),
    trial.system && systemPrompt(trial.system),
    ...sections,
    whole.length > 0 &&
      h("section.turn.whole", { "aria-label": "Whole conversation" }, h("h2", {}, "Whole conversation"), whole),
    !sections.length && !trial.skip_reason && h("p.empty", {}, "There was no conversation."),
  ].filter(Boolean);
}

function turnSection(turn, at, trial) {
  const verdicts = verdictList(turn.assertions, `Checks of turn ${turn.index + 1}`);
  const evals = evalList(trial, turn.index, `Evals of turn ${turn.index + 1}`);
  return h(
    "section.turn",
    { "aria-label": `Turn ${turn.index + 1}` },
    h("h2", {}, `Turn ${turn.index + 1}`, turn.latency_ms > 0 && h("small", {}, ` ${latency(turn.latency_ms)}`)),
    h("div.pair", {}, h("div.chat", {}, chat(turn, at)), h("div.beside", {}, verdicts || h("p.none", {}, "no checks"), evals)),
    timeline(turn.trace, turn.index + 1),
  );
}

const sideCost = (j) =>
  `${paid(j.cost_usd, j.simulated_usd)}, ${many(j.calls, "call")}, ${j.estimated ? "about " : ""}${many(tokensOf(j), "token")}`;

function trialHead(report, t, trial) {
  const who = [
    report.where(t),
    trial.model !== report.providers[t.provider] && trial.model,
    trial.row?.id && `row ${trial.row.id}`,
    t.trials > 1 && `trial ${t.trial} of ${t.trials}`,
  ]
    .filter(Boolean)
    .join(" · ");
  const c = t.checks;
  const group = report.groups[t.group];
  const checks = [
    `${count(c.passed)} of ${count(c.total)} passed`,
    c.failed && `${count(c.failed)} failed`,
    c.errors && many(c.errors, "error"),
    c.skipped && `${count(c.skipped)} skipped`,
    c.not_run && `${count(c.not_run)} not run`,
  ];
  return h(
    "header.about",
    {},
    h(
      "h1",
      { id: "trial-title", tabindex: "-1" },
      badge(t.status),
      " ",
      h("span", { dir: "auto" }, report.scenarios[t.scenario].id || t.id),
    ),
    h("p.who", { dir: "auto" }, who),
    trial.description && h("p.describe", { dir: "auto" }, trial.description),
    t.excuse && h("p.label", {}, `Makes nothing red: ${t.excuse}.`),
    t.tolerated && h("p.label", {}, "Tolerated: its group reached the pass threshold."),
    t.before && h("p.label", {}, "From before: kept when the run was resumed."),
    t.rejected &&
      h("p.label", {}, "Replaced: the provider refused it before the agent's first word, so that another trial counts."),
    t.uncounted && !t.rejected && h("p.label", {}, "Not counted: the verdict of its group is not about it."),
    t.flaky && h("p.label", {}, "Flaky: it failed before and passes now, although nothing changed."),
    (trial.earlier ?? []).map((a) =>
      h(
        "p.describe",
        { dir: "auto" },
        `Failed before: ${a.why.join("; ")}${a.reply ? `. The reply was “${a.reply}”` : ""}`,
      ),
    ),
    pairs("dl.facts", [
      ["Checks", c.total ? checks.filter(Boolean).join(", ") : "none"],
      ["Time", seconds(t.ms)],
      ["Tokens", `${count(t.tokens)}${trial.usage?.estimated ? " (estimated)" : ""}`],
      ["Cost", t.calls || t.usd ? paid(t.usd, t.simulated ? t.usd : 0) : null],
      ["Played users", trial.users && sideCost(trial.users)],
      ["Context policy", trial.context && sideCost(trial.context)],
      ["Judges", trial.judges && sideCost(trial.judges)],
      ["Model calls", count(t.calls)],
      ["Tool calls", trial.usage?.tool_calls ? count(trial.usage.tool_calls) : null],
      ["Retries", trial.retries ? count(trial.retries) : null],
      [
        "Group",
        group &&
          h(
            "a",
            {
              href: toList({
                scenario: group.scenario,
                provider: group.provider,
                ...(report.regions.length > 1 && { region: group.region }),
              }),
            },
            report.rates[t.group] || `${group.passed} of ${group.trials} passed`,
          ),
      ],
      [
        "Other providers",
        report.sides &&
          h("a", { href: toReplies(report.scenarios[t.scenario].id, t.trial > 1 ? String(t.trial) : "") }, "side by side"),
      ],
      ["Declared in", place(trial.position)],
      ["Recorded in", recordedIn(trial.recording)],
      [
        "Tags",
        trial.tags?.length
          ? h(
              "span",
              {},
              trial.tags.map((tag) => [h("a.tag", { href: toList({ tag }), dir: "auto" }, tag), " "]),
            )
          : null,
      ],
      ...Object.entries(trial.labels ?? {}),
      ...Object.entries(trial.variant ?? {}),
    ]),
  );
}

// recordedIn says where a conversation comes from that was only judged, and with whom it was had; null for others.
function recordedIn(recording) {
  if (!recording) return null;
  const whom = [recording.provider, recording.model].filter(Boolean).join(" ");
  const session = recording.session && `session ${recording.session}`;
  return [recording.file, session, whom && `with ${whom}`].filter(Boolean).join(" · ");
}

// whatFailed lists the verdicts that did not hold, each a way to its place, when the conversation is long.
function whatFailed(trial, sections, whole) {
  const bad = [];
  (trial.turns ?? []).forEach((turn, n) =>
    (turn.assertions ?? []).forEach(
      (v, i) =>
        isBad(v.status) &&
        bad.push({ v, where: `turn ${turn.index + 1}`, find: () => sections()[n].querySelectorAll(".verdict")[i] }),
    ),
  );
  (trial.conversation_assertions ?? []).forEach(
    (v, i) =>
      isBad(v.status) && bad.push({ v, where: "conversation", find: () => whole().querySelectorAll(".verdict")[i] }),
  );
  (trial.eval_results ?? []).forEach(
    (e) =>
      isBad(e.status) &&
      bad.push({
        v: { ...e, type: `eval ${e.eval_id}` },
        where: e.turn < 0 ? "conversation" : `turn ${e.turn + 1}`,
        find: () => evalCards.get(e),
      }),
  );
  if (!bad.length || (trial.turns ?? []).length < 2) return null;
  const jump = (find) => {
    const card = find();
    card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
  };
  return h(
    "section.failed-list",
    { "aria-labelledby": "what-failed" },
    h(
      "h2",
      { id: "what-failed" },
      bad.some(({ v }) => v.status === "failed") ? "What failed" : "What could not be judged",
    ),
    h(
      "ul",
      {},
      bad.map(({ v, where, find }) =>
        h(
          "li",
          {},
          badge(v.status, { bare: true }),
          " ",
          h("button.jump", { type: "button", onclick: () => jump(find) }, `${where} `, h("b", {}, oneLine(v.check || v.type, 60))),
          h("span", { dir: "auto" }, ` ${oneLine(v.explanation || v.error || v.message || "", 200)}`),
        ),
      ),
    ),
  );
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = h("textarea.unseen", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function copyButton(label, text) {
  const reset = later(() => (button.textContent = label), 1500);
  const button = h(
    "button",
    {
      type: "button",
      onclick: async () => {
        await copy(text());
        button.textContent = "Copied";
        say("Copied");
        reset();
      },
    },
    label,
  );
  return button;
}

function copyBar(report, t, trial, raw, rerun) {
  return h(
    "div.copy",
    {},
    rerun && h("p.again", {}, h("span", {}, "again: "), h("code", { dir: "ltr" }, rerun)),
    h(
      "div.buttons",
      {},
      rerun && copyButton("Copy command", () => rerun),
      copyButton("Copy as Markdown", () => markdown(t, trial)),
      copyButton("Copy JSON", () => (JSON.rawJSON ? json(trial) : raw)),
    ),
  );
}
