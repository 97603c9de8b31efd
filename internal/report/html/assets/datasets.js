// Datasets: how the rows of each fare together. A pass rate stands with the range that holds it with 95% confidence.

// range draws a rate between 0 and 1, and the interval around it.
const range = (rate, interval, label) =>
  svg(
    "svg",
    { class: "interval", viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("rect", { class: "track", x: 0, y: 4, width: 100, height: 2 }),
    interval &&
      svg("rect", {
        class: "reach",
        x: 100 * interval.low,
        y: 2,
        width: Math.max(100 * (interval.high - interval.low), 0.5),
        height: 6,
      }),
    svg("rect", { class: "rate", x: Math.min(Math.max(100 * rate - 0.75, 0), 98.5), y: 0, width: 1.5, height: 10 }),
  );

const reach = (interval) => (interval ? `${percent(interval.low)} to ${percent(interval.high)}` : "");

// rated is a rate in words and drawn.
function rated(rate, interval) {
  if (!known(rate)) return h("span.rated", {}, "–");
  const words = interval ? `${percent(rate)}, 95% interval ${reach(interval)}` : percent(rate);
  return h("span.rated", { title: words }, h("b", {}, percent(rate)), range(rate, interval, words), h("small", {}, reach(interval)));
}

// spreadOf is the mean of scores and their standard deviation.
const spreadOf = (s) =>
  s ? score(s.mean) + (known(s.deviation) ? ` ± ${s.deviation > 0 && s.deviation < 0.005 ? s.deviation.toPrecision(1) : s.deviation.toFixed(2)}` : "") : "";

function rowsCheckName(c) {
  const what = c.eval === undefined ? c.type : `eval ${c.eval}${c.step ? ` of ${c.step}` : ""}`;
  return `${c.turn < 0 ? "conversation" : `turn ${c.turn + 1}`}: ${what}${inVariant(c)}`;
}

const rowsCheckNote = (c) =>
  [
    c.gates && `${count(c.passed)} of ${count(c.passed + c.failed + c.errors)} passed`,
    !c.gates && c.scores && many(c.scores.n, "score"),
    c.errors > 0 && `${count(c.errors)} not judged`,
    c.skipped > 0 && `${count(c.skipped)} skipped or not run`,
  ]
    .filter(Boolean)
    .join(", ");

function rowsChecks(d, where) {
  if (!d.checks.length) return null;
  const body = h("tbody");
  const row = (c) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", dir: "auto", title: place(c.position) }, rowsCheckName(c)),
      h("td", {}, rated(c.pass_rate, c.pass_rate_interval)),
      h("td.n", {}, spreadOf(c.scores)),
      h("td", {}, rowsCheckNote(c)),
    );
  const more = pager(d.checks, 8, (page) => body.append(...page.map(row)), "checks");
  const heads = [["", "Check"], ["", "pass rate"], [".n", "mean score"], ["", unseen("results")]];
  return [
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": `Checks of ${d.scenario}, ${where}` },
      h("table", {}, h("thead", {}, h("tr", {}, heads.map(([at, text]) => h(`th${at}`, { scope: "col" }, text)))), body),
    ),
    more,
  ];
}

function worstRows(report, d, where) {
  if (!d.worst_rows.length) return null;
  const item = (w) => {
    const t = report.byId.get(w.trial);
    const notes = [
      w.trials > 1 && `${count(w.passed)} of ${many(w.trials, "trial")} passed`,
      known(w.score) && `score ${score(w.score)}`,
    ].filter(Boolean);
    return h(
      "li",
      {},
      badge(w.status, { bare: true }),
      " ",
      t ? h("a", { href: toTrial(t), dir: "auto" }, w.row) : h("span", { dir: "auto" }, w.row),
      notes.length > 0 && h("small", {}, ` ${notes.join(", ")}`),
    );
  };
  const list = h("ol.worst", { "aria-label": `Worst rows of ${d.scenario}, ${where}` });
  const more = pager(d.worst_rows, 6, (page) => list.append(...page.map(item)), "rows");
  return h("div", {}, h("h4", {}, "Worst rows"), list, more);
}

function datasetCard(report, d) {
  const ran = d.passed + d.failed + d.errors + (d.undecided ?? 0);
  const facets = { scenario: d.scenario, provider: d.provider };
  if (report.regions.length > 1) facets.region = d.region;
  const where = d.region && d.region !== "default" ? `${d.provider} · ${d.region}` : d.provider || "no provider";
  const link = (n, status, words) => n > 0 && h(`a.${status}`, { href: toList({ ...facets, status }) }, words);
  const rest = [
    link(d.failed, "failed", `${count(d.failed)} failed`),
    d.undecided > 0 && `${count(d.undecided)} undecided`,
    link(d.errors, "error", many(d.errors, "error")),
    d.skipped > 0 && `${count(d.skipped)} skipped`,
    d.cancelled > 0 && `${count(d.cancelled)} not finished`,
  ].filter(Boolean);
  const simulated = d.simulated_usd > 0 ? (d.simulated_usd < d.cost_usd * (1 - 1e-9) ? " partly simulated" : " simulated") : "";
  const costs = d.cost_usd_per_trial;
  const each = [
    costs && money(costs.mean) + simulated,
    d.unpriced > 0 && `${many(d.unpriced, "trial")} of unknown price`,
    d.duration_ms_per_trial && seconds(d.duration_ms_per_trial.mean),
  ].filter(Boolean);
  const judges = d.judges && (d.judges.cost_usd == null ? "of unknown price" : money(d.judges.cost_usd) + (d.judges.simulated_usd > 0 ? " simulated" : ""));
  return h(
    "article",
    {},
    h("h3", {}, h("a", { href: toList(facets), dir: "auto", title: d.dataset }, d.scenario), h("span.where", { dir: "auto" }, ` ${where}`)),
    h(
      "p.rows",
      {},
      rated(d.pass_rate, d.pass_rate_interval),
      h("span", {}, `${count(d.passed)} of ${many(ran, "row")} passed`),
      rest.map((part) => h("span", {}, part)),
      each.length > 0 && h("span.each", {}, `${each.join(", ")} per trial`),
      judges && h("span.each", {}, `judges ${judges}`),
    ),
    d.variants?.map((v) =>
      h("p.rows.variant", {}, rated(v.pass_rate), h("span", { dir: "auto" }, `with${inVariant(v).replace(/^ \(|\)$/g, " ").trimEnd()}`)),
    ),
    rowsChecks(d, where),
    worstRows(report, d, where),
  );
}

// datasets is the card of all of them, as the result has them: in plan order.
function datasets(report) {
  const all = report.run.datasets ?? [];
  if (!all.length) return null;
  const body = h("div");
  const more = pager(all, 4, (page) => body.append(...page.map((d) => datasetCard(report, d))), "datasets");
  return h("section.card.datasets", {}, h("h2", {}, "Datasets", h("small", {}, " pass rates with 95% intervals")), body, more);
}
