// Side by side: the replies of all providers to each scenario, one trial at a time. Words that one of them, the baseline,
// does not say are marked, and in the baseline those that another one does not say.

const SHOWS = [
  ["", "all scenarios"],
  ["failed", "with a failure"],
  ["split", "where the verdicts differ"],
];

class RepliesView {
  constructor(report, go) {
    Object.assign(this, { report, go });
    const { columns, rows } = cellsOf(report, true);
    const order = new Map(rows.map((row) => [row, badness(row)]));
    rows.sort((a, b) => order.get(a)[0] - order.get(b)[0] || order.get(a)[1] - order.get(b)[1] || a.scenario - b.scenario);
    Object.assign(this, { columns, rows, most: report.trials.reduce((most, t) => Math.max(most, t.trial), 1) });
    this.near = new IntersectionObserver((seen) => seen.forEach((s) => s.isIntersecting && this.fill(s.target)), {
      rootMargin: "900px",
    });
    this.end = new IntersectionObserver((seen) => seen.some((s) => s.isIntersecting) && this.foot.firstChild?.click(), {
      rootMargin: "600px",
    });
    this.build();
  }

  build() {
    const change = (values) => this.go({ ...this.state, ...values }, true);
    const options = (list) => list.map(([value, label]) => h("option", { value }, label));
    this.buttons =
      this.most > 1 && this.most <= 6
        ? Array.from({ length: this.most }, (_, i) =>
            h("button.chip", { type: "button", onclick: () => change({ n: i ? String(i + 1) : "" }) }, String(i + 1)),
          )
        : [];
    this.number = h(
      "select",
      { "aria-label": "Trial", onchange: () => change({ n: this.number.value }) },
      options(Array.from({ length: this.most }, (_, i) => [i ? String(i + 1) : "", `trial ${i + 1}`])),
    );
    this.base = h(
      "select",
      { onchange: () => change({ with: this.base.value }) },
      options(this.columns.map((c, i) => [i ? c : "", c])),
    );
    this.which = h("select", { "aria-label": "Scenarios", onchange: () => change({ show: this.which.value }) }, options(SHOWS));
    this.shown = h("p.shown", { role: "status" });
    this.every = h("button.quiet", { type: "button", onclick: () => this.go({ ...noState(), view: "replies", n: this.state.n }) }, "Show all");
    this.body = h("div.scenarios");
    this.foot = h("div.foot");
    this.root = h(
      "section.replies",
      { "aria-labelledby": "replies-title", hidden: true },
      h("h1", { id: "replies-title", tabindex: "-1" }, "Replies side by side"),
      h(
        "div.tools.switches",
        { role: "search", "aria-label": "What is compared" },
        this.most > 1 &&
          h(
            "div.switch",
            { role: "group", "aria-label": "Trial" },
            this.buttons.length > 0 ? [h("span", {}, "Trial"), this.buttons] : this.number,
          ),
        this.columns.length > 1 && h("label", {}, "Words compared with", this.base),
        this.which,
        this.shown,
        this.every,
      ),
      this.body,
      this.foot,
    );
  }

  show(state) {
    const key = writeAddress(state);
    this.state = state;
    if (key === this.drawn) return;
    this.drawn = key;
    this.trial = Math.min(Math.max(Number.parseInt(state.n, 10) || 1, 1), this.most);
    const against = this.columns.indexOf(state.with);
    this.against = against < 0 ? 0 : against;
    this.buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(i + 1 === this.trial)));
    this.number.value = this.trial > 1 ? String(this.trial) : "";
    this.base.value = this.against ? this.columns[this.against] : "";
    this.which.value = SHOWS.some(([value]) => value === state.show) ? state.show : "";
    this.draw();
  }

  // pick is the trials of a row that are compared, one a column.
  pick(row) {
    return this.columns.map((_, i) => row.cells[i]?.trials.find((t) => t.trial === this.trial && holds(t, this.state.picked)));
  }

  draw() {
    this.near.disconnect();
    this.end.disconnect();
    this.body.replaceChildren();
    const wanted = this.rows
      .map((row) => ({ row, trials: this.pick(row) }))
      .filter(({ trials }) => {
        const statuses = trials.filter(Boolean).map((t) => t.status);
        if (this.which.value === "failed") return statuses.some(isBad);
        if (this.which.value === "split") return new Set(statuses).size > 1;
        return statuses.length > 0;
      });
    this.todo = new Map();
    this.every.hidden = wanted.length === this.rows.length;
    this.shown.textContent =
      wanted.length === this.rows.length
        ? many(wanted.length, "scenario")
        : `${count(wanted.length)} of ${many(this.rows.length, "scenario")}`;
    if (!wanted.length) return this.foot.replaceChildren(h("p.empty", {}, "No scenario matches."));
    const button = pager(wanted, 40, (page) => page.forEach((w) => this.place(w)), "scenarios");
    this.foot.replaceChildren(button);
    this.end.observe(button);
  }

  // place puts the frame of a scenario into the page; it is filled when it comes near.
  place({ row, trials }) {
    const s = this.report.scenarios[row.scenario];
    const name = `${s.id || "no name"}${row.session && ` · ${row.session}`}`;
    const frame = h(
      "section.scenario.waiting",
      { "aria-label": name },
      h("h2", {}, h("a", { href: toList({ scenario: s.id }), dir: "auto" }, name), h("small.place", { dir: "auto" }, place(s))),
    );
    this.todo.set(frame, trials);
    this.body.append(frame);
    this.near.observe(frame);
  }

  // step moves to another scenario.
  step(by) {
    const links = [...this.body.querySelectorAll(".scenario > h2 a")];
    const at = links.indexOf(document.activeElement);
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
    next?.focus({ preventScroll: true });
    next?.closest(".scenario").scrollIntoView({ block: "start" });
  }

  async fill(frame) {
    const trials = this.todo.get(frame);
    if (!trials) return;
    this.todo.delete(frame);
    this.near.unobserve(frame);
    const loaded = await Promise.all(
      trials.map((t) => t && this.report.load(t).then((l) => l.trial, (err) => ({ turns: [], error: `cannot be shown: ${err.message}` }))),
    );
    frame.append(this.table(frame, trials, loaded));
    frame.classList.remove("waiting");
  }

  // table is a row of replies a turn, and the verdicts beneath.
  table(frame, trials, loaded) {
    const turns = loaded.reduce((most, trial) => Math.max(most, trial?.turns?.length ?? 0), 0);
    const name = (i) => h("p.whose", { dir: "auto" }, this.columns[i], i === this.against && this.columns.length > 1 && h("small", {}, " baseline"));
    const body = [];
    for (let k = 0; k < turns; k++) {
      const asked = loaded.map((trial) => trial?.turns?.[k] && userText(trial.turns[k]));
      const same = new Set(asked.filter(known)).size === 1;
      const said = loaded.map((trial) => (trial?.turns?.[k] ? replyText(trial.turns[k]) : ""));
      const marks = said.filter(Boolean).length > 1 ? marksOf(said, this.against) : [];
      const base = loaded[this.against]?.turns?.[k];
      if (same) {
        const text = asked.find(known);
        body.push(
          h("tr.asked", {}, h("td", { colspan: this.columns.length }, h("div.prompt", {}, h("span.who", {}, turns > 1 ? `turn ${k + 1} · user` : "user"), longText(text || "no text")))),
        );
      }
      body.push(
        h(
          "tr",
          {},
          loaded.map((trial, i) =>
            h("td", { "data-provider": this.columns[i] }, trial && this.reply(trial.turns?.[k], i === this.against ? null : base, marks[i], !same)),
          ),
        ),
      );
    }
    const heads = h("tr", {}, this.columns.map((_, i) => h("th", { scope: "col" }, name(i))));
    const foot = h("tr.results", {}, trials.map((t, i) => h("td", { "data-provider": this.columns[i] }, t ? this.result(t) : h("p.none", {}, "no such trial"))));
    return h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": `Replies to ${visible(frame.getAttribute("aria-label"))}` },
      h("table", { "data-columns": this.columns.length }, h("thead", {}, heads), h("tbody", {}, body, foot)),
    );
  }

  // reply is what was answered in a turn; base is the turn of the baseline, or null for itself; marks are its words.
  reply(turn, base, marks, asks) {
    if (!turn) return h("p.none", {}, "the conversation had ended");
    const calls = callLines(turn);
    const others = base && new Set(callLines(base));
    const text = replyText(turn);
    const differs = base && text !== replyText(base);
    const kind = `div.text${differs && !marks ? ".another" : ""}`;
    return [
      asks && h("div.prompt", {}, h("span.who", {}, "user"), longText(userText(turn) || "no text")),
      calls.length > 0 &&
        h("ul.calls", {}, calls.map((c) => h(others && !others.has(c) ? "li.differs" : "li", { dir: "auto" }, oneLine(c, 240)))),
      turn.error && h("p.broke", { dir: "auto" }, oneLine(turn.error, 400)),
      turn.not_run && h("p.none", {}, `not run: ${turn.not_run}`),
      marks?.some(([, on]) => on)
        ? withMarks(kind, base ? "ins" : "del", marks)
        : text
          ? longText(text, kind)
          : !turn.error && !turn.not_run && h("p.none", {}, "no text"),
      differs && text && !marks && unseen("says something else than the baseline"),
    ];
  }

  result(t) {
    return [
      h("a.verdict-line", { href: toTrial(t) }, badge(t.status), t.tolerated && h("small", {}, " tolerated")),
      h("p.spent", {}, [t.calls || t.usd ? [money(t.usd), simulatedMark(t.simulated)] : "no calls", ` · ${seconds(t.ms)}`]),
      t.why && h("p.why", { dir: "auto" }, t.why),
    ];
  }
}

const userText = (turn) => {
  const message = (turn.messages ?? []).find((m) => m.role === "user");
  return message?.content || textParts(message) || turn.user || "";
};

const callLines = (turn) => (turn.tool_calls ?? []).map((c) => `${c.name}(${argsLine(c)})`);

const textParts = (m) =>
  (m?.parts ?? []).map((p) => (p.type === "text" ? p.text : `[${[p.type, p.media?.mime_type].filter(Boolean).join(" ")}]`)).join(" ");

const replyText = (turn) =>
  turn.assistant || textParts((turn.messages ?? []).findLast((m) => m.role === "assistant" && m.parts?.length)) || "";
