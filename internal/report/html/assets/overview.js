// The first level: totals stand in the page already; here come the matrix and the charts.

function byColumn(report, values, missing = () => 0) {
  const series = new Map();
  for (const t of report.trials) {
    const name = report.where(t);
    if (!series.has(name)) series.set(name, { name, values: [], missing: 0 });
    const s = series.get(name);
    s.values.push(...values(t));
    s.missing += missing(t);
  }
  return [...series.values()];
}

// inVariant names the variant that is counted apart, where there are several.
function inVariant(stats) {
  const parts = Object.entries(stats.variant ?? {}).map(([name, text]) => `${name}=${text}`);
  return parts.length ? ` (${parts.join(", ")})` : "";
}

// unsteady lists the groups whose trials disagree, the most even split first.
function unsteady(report) {
  const firsts = new Map();
  for (const t of report.trials) if (t.group !== undefined && !firsts.has(t.group)) firsts.set(t.group, t);
  const groups = report.groups
    .map((g, i) => ({ g, t: firsts.get(i) }))
    .filter(({ g, t }) => t && g.flakiness > 0)
    .sort((a, b) => b.g.flakiness - a.g.flakiness);
  if (!groups.length) return null;
  const item = ({ g, t }) =>
    h(
      "li",
      {},
      badge(g.status, { bare: true }),
      " ",
      h("a", { href: toList({ scenario: g.scenario, provider: g.provider }), dir: "auto" }, g.scenario),
      h("span.where", {}, ` ${report.where(t)}${g.row ? ` · ${g.row}` : ""}`),
      h("span.n", {}, `${g.passed} of ${g.trials} passed`),
      (g.assertions ?? [])
        .filter((a) => a.flakiness > 0 || (a.variant && a.failed > 0))
        .map((a) =>
          h(
            "small.assertion",
            {},
            `${a.turn < 0 ? "conversation" : `turn ${a.turn + 1}`} ${a.type}${inVariant(a)}: ${percent(a.pass_rate)}` +
              (g.gate?.rule === "gate" ? "" : `, ${percent(a.pass_threshold)} asked for`),
          ),
        ),
    );
  const list = h("ul.unsteady");
  const more = pager(groups, 8, (page) => list.append(...page.map(item)), "groups");
  return h("section.card", {}, h("h2", {}, "Trials that disagree"), list, more);
}

// costNote says what a cost is of, and whether somebody paid it.
function costNote(report) {
  const of = report.run.summary.judges ? "of the agent, per trial" : "per trial";
  if (report.mixed) return `${of}, partly simulated`;
  return report.trials.some((t) => t.simulated) ? `${of}, simulated` : of;
}

function showOverview(report, root) {
  if (!report.trials.length) {
    root.replaceChildren(h("p.empty", {}, "There are no trials to show."));
    return;
  }
  const latencies = byColumn(report, (t) => t.latencies ?? []);
  const priced = (t) => known(t.usd) && t.calls > 0;
  const cost = byColumn(
    report,
    (t) => (priced(t) ? [t.usd] : []),
    (t) => (t.calls > 0 && !known(t.usd) ? 1 : 0),
  );
  const charts = [
    ranking(report),
    measured(report),
    unsteady(report),
    spread({ title: "Latency", note: "per turn", unit: "turn", series: latencies, write: latency }),
    spread({ title: "Cost", note: costNote(report), unit: "trial", series: cost, write: money }),
  ];
  const [failures, rates] = [byId("failures"), byId("rates")]; // stand in the page already
  const [table, covered] = [matrix(report), coverage(report)];
  root.replaceChildren(
    h(
      "div.overview",
      {},
      providers(report),
      h("div.evidence", {}, rates, datasets(report), failures ?? table, covered),
      h("div.charts", {}, failures && table, charts),
    ),
  );
}
