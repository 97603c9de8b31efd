// The second level: every trial, filtered, searched and sorted. The view keeps its elements, so that coming back to it
// finds the rows and the place as they were.

const COLUMNS = [
  ["worst", "Status"],
  ["scenario", "Scenario"],
  ["provider", "Provider"],
  ["checks", "Checks"],
  ["turns", "Turns"],
  ["time", "Time"],
  ["tokens", "Tokens"],
  ["cost", "Cost"],
];

class ListView {
  constructor(report, search, go) {
    Object.assign(this, { report, search, go, trials: [], state: noState() });
    this.present = { status: new Set(report.trials.map((t) => t.status)) };
    const toggle = (facet, value) => this.toggle(facet, value);
    this.chips = new StatusChips(toggle);
    this.menus = Object.keys(LABELS)
      .filter((facet) => this.useful(facet))
      .map((facet) => new FacetMenu(facet, toggle, (f) => tally(report, this.state, search.found, f)));
    this.build();
  }

  useful(facet) {
    const values = new Set(this.report.trials.flatMap((t) => t.names[facet]));
    return facet === "tag" || facet === "check" ? values.size > 0 : values.size > 1;
  }

  build() {
    const typed = later(() => this.go({ ...this.state, q: this.input.value.trim() }, true), 180);
    this.input = h("input", {
      type: "search",
      id: "search",
      placeholder: "Search the conversations",
      "aria-label": "Search the conversations",
      autocomplete: "off",
      spellcheck: "false",
      oninput: typed,
    });
    this.progress = h("progress", { max: "1", "aria-label": "Searching", hidden: true });
    this.sort = h(
      "select",
      { "aria-label": "Sort", onchange: () => this.go({ ...this.state, sort: this.sort.value }, true) },
      Object.entries(ORDERS).map(([name, o]) => h("option", { value: name === "worst" ? "" : name }, o.label)),
    );
    this.pills = h("div.pills");
    this.shown = h("p.shown", { role: "status" });
    this.clear = h(
      "button.quiet",
      { type: "button", onclick: () => this.go({ ...noState(), view: "trials", sort: this.state.sort }) },
      "Clear filters",
    );
    this.heads = COLUMNS.map(([name, label]) =>
      h(
        "th",
        { scope: "col", class: `col-${name}` },
        h(
          "button",
          { type: "button", onclick: () => this.turn(name) },
          label,
          h("span.arrow", { "aria-hidden": "true" }),
        ),
      ),
    );
    this.body = h("tbody");
    this.table = h(
      "table.trials",
      {},
      h("caption.unseen", {}, "Trials"),
      h("thead", {}, h("tr", {}, this.heads)),
      this.body,
    );
    this.foot = h("div.foot");
    this.root = h(
      "section.list",
      { "aria-labelledby": "list-title", hidden: true },
      h("h1.unseen", { id: "list-title", tabindex: "-1" }, "Trials"),
      h(
        "div.tools",
        { role: "search", "aria-label": "Filter the trials" },
        h("div.line", {}, this.input, this.sort),
        h(
          "div.line",
          {},
          this.chips.root,
          this.menus.map((m) => m.root),
        ),
        h("div.line.state", {}, this.shown, this.pills, this.clear, this.progress),
      ),
      this.table,
      this.foot,
    );
    this.more = new IntersectionObserver(
      (seen) => seen.some((s) => s.isIntersecting) && this.foot.firstChild?.click(),
      { rootMargin: "600px" },
    );
  }

  toggle(facet, value) {
    const values = new Set(this.state.picked[facet]);
    if (!values.delete(value)) values.add(value);
    this.go({ ...this.state, picked: { ...this.state.picked, [facet]: values } }, true);
  }

  // turn sorts by a column, or turns the order around when it is the one already.
  turn(name) {
    const now = readSort(this.state.sort);
    const sort = now.name === name && !now.turned ? `-${name}` : name;
    this.go({ ...this.state, sort: sort === "worst" ? "" : sort }, true);
  }

  // set takes a state over and starts what it asks for; the trials are those that match so far.
  set(state) {
    this.state = state;
    if (this.search.query !== state.q) this.search.start(state.q, () => this.update());
    this.update();
  }

  update() {
    const { report, state, search } = this;
    this.trials = select(report, state, search.found);
    this.chips.update(tally(report, state, search.found, "status"), state.picked.status, this.present.status);
    for (const menu of this.menus) menu.update(state.picked[menu.facet]);
    if (document.activeElement !== this.input) this.input.value = state.q;
    this.pills.replaceChildren(...pills(state.picked, (facet, value) => this.toggle(facet, value)));
    this.clear.hidden = !state.q && FACETS.every((facet) => !state.picked[facet].size);
    this.progress.hidden = search.done >= 1;
    this.progress.value = search.done;
    const all = report.trials.length;
    this.shown.textContent =
      (this.trials.length === all ? many(all, "trial") : `${count(this.trials.length)} of ${many(all, "trial")}`) +
      (search.done < 1 ? `, searching: ${percent(search.done)}` : "");
    this.showSort();
    this.draw();
    this.onupdate?.();
  }

  showSort() {
    const { name, turned } = readSort(this.state.sort);
    this.sort.value = name === "worst" ? "" : name;
    COLUMNS.forEach(([column], i) => {
      const text = column === "scenario" || column === "provider";
      const up = text !== turned;
      if (column === name) this.heads[i].setAttribute("aria-sort", up ? "ascending" : "descending");
      else this.heads[i].removeAttribute("aria-sort");
      this.heads[i].querySelector(".arrow").textContent = column === name ? (up ? " ↑" : " ↓") : "";
    });
  }

  // draw shows the rows, unless they stand there already.
  draw() {
    const key = `${writeAddress({ ...this.state, view: "trials" })} ${this.trials.length} ${this.search.done}`;
    if (key === this.drawn) return;
    this.drawn = key;
    this.more.disconnect();
    this.body.replaceChildren();
    this.table.hidden = !this.trials.length;
    if (!this.trials.length) {
      this.foot.replaceChildren(h("p.empty", {}, this.search.done < 1 ? "Searching." : "No trial matches."));
      return;
    }
    const button = pager(this.trials, 100, (page) => this.body.append(...page.map((t) => this.row(t))), "trials");
    this.foot.replaceChildren(button);
    this.more.observe(button);
  }

  row(t) {
    const [scenario, c] = [this.report.scenarios[t.scenario], t.checks];
    const found = this.search.snippets.get(t.index);
    const bad = c.failed + c.errors;
    const repetition = t.trials > 1 && h("small", {}, ` #${t.trial}`);
    return h(
      `tr.${t.status}`,
      {},
      h("td.col-worst", {}, badge(t.status), t.tolerated && h("small.tolerated", {}, "tolerated"), t.excuse && h("small.tolerated", {}, t.excuse), t.flaky && h("small.tolerated", {}, "flaky")),
      h(
        "th.col-scenario",
        { scope: "row" },
        h(
          "a",
          { href: toTrial(t, this.state), dir: "auto", "data-id": t.id, title: place(scenario) },
          scenario.id || t.id,
        ),
        repetition,
        t.why && h("p.why", { dir: "auto" }, t.why),
        found && h("p.snippet", { dir: "auto" }, found[0], h("mark", {}, found[1]), found[2]),
      ),
      h("td.col-provider", { dir: "auto" }, this.report.where(t)),
      h(
        "td.col-checks",
        { "data-label": "checks" },
        c.total ? h(bad ? "b" : "span", {}, `${count(c.passed)}/${count(c.total - c.skipped)}`) : "none",
      ),
      h("td.col-turns", { "data-label": t.turns === 1 ? "turn" : "turns" }, count(t.turns)),
      h("td.col-time", {}, seconds(t.ms)),
      h("td.col-tokens", { "data-label": "tokens" }, count(t.tokens)),
      h("td.col-cost", {}, t.calls || t.usd ? [money(t.usd), simulatedMark(this.report.mixed && t.simulated)] : "–"),
    );
  }

  // step moves the focus to another row.
  step(by) {
    const links = [...this.body.querySelectorAll("a[data-id]")];
    const at = links.indexOf(document.activeElement);
    const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  }

  focusOn(id) {
    const link = [...this.body.querySelectorAll("a[data-id]")].find((a) => a.dataset.id === visible(id));
    link?.focus({ preventScroll: true });
  }

  closeMenus(except) {
    let closed = null;
    for (const { root } of this.menus) {
      if (root.open && root !== except) {
        root.open = false;
        closed = root;
      }
    }
    return closed;
  }
}
