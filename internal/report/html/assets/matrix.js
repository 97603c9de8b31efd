// Scenario × provider. A cell shows what counts: the status of the group when there are several trials.

// cellsOf gathers the trials by scenario and column, and where apart is set also by row of a dataset or session of a
// recording; statuses come from the result, nothing is decided here.
function cellsOf(report, apart = false) {
  const columns = new Map(); // label → index
  const rows = new Map(); // what is in a row → it
  for (const t of report.trials) {
    const label = report.where(t);
    if (!columns.has(label)) columns.set(label, columns.size);
    const session = apart ? (t.session ?? "") : "";
    const key = `${t.scenario} ${session}`;
    if (!rows.has(key)) rows.set(key, { scenario: t.scenario, session, cells: [] });
    const cell = (rows.get(key).cells[columns.get(label)] ??= { trials: [], statuses: new Set() });
    const group = report.groups[t.group];
    cell.trials.push(t);
    cell.statuses.add(group?.status ?? t.status); // each row of a dataset is a group of its own
  }
  return { columns: [...columns.keys()], rows: [...rows.values()] };
}

const cellStatus = (cell) =>
  [...cell.statuses].reduce((worst, status) => ((RANK.get(status) ?? 1) < (RANK.get(worst) ?? 1) ? status : worst), "skipped");

// badness orders rows: by their worst cell, then by the share of trials that did not pass.
function badness(row) {
  const cells = row.cells.filter(Boolean);
  const trials = cells.flatMap((c) => c.trials);
  const notPassed = trials.filter((t) => t.status !== "passed" && t.status !== "skipped").length;
  return [Math.min(...cells.map((c) => RANK.get(cellStatus(c)) ?? 1)), -notPassed / trials.length];
}

function matrixCell(report, scenario, cell, column) {
  if (!cell) return h("td.none", {}, unseen("no trial"));
  const status = cellStatus(cell);
  const [first] = cell.trials;
  const several = cell.trials.length > 1;
  const groups = new Set(cell.trials.map((t) => t.group));
  const group = groups.size === 1 ? report.groups[first.group] : null; // its trials are those that count
  const passed = group?.passed ?? cell.trials.filter((t) => t.status === "passed").length;
  const of = group?.trials ?? cell.trials.length;
  const facets = { scenario: scenario.id, provider: report.providers[first.provider] };
  if (report.regions.length > 1) facets.region = report.regions[first.region];
  const rate = several ? `${count(passed)}/${count(of)}` : "";
  const words = several ? `${status}, ${passed} of ${of} trials passed` : status;
  return h(
    `td.cell.${status}`,
    {},
    h(
      "a",
      {
        href: several ? toList(facets) : toTrial(first),
        title: several ? words : first.why || words,
        "aria-label": `${scenario.id}, ${column}: ${several ? `${status}, ${rate} trials passed` : words}`,
      },
      h("span.sign", { "aria-hidden": "true" }, STATUS.get(status) ?? "!"),
      rate && ` ${rate}`,
    ),
  );
}

// matrix is the table, worst first, a page of rows at a time.
function matrix(report) {
  const { columns, rows } = cellsOf(report);
  const order = new Map(rows.map((row) => [row, badness(row)]));
  rows.sort(
    (a, b) => order.get(a)[0] - order.get(b)[0] || order.get(a)[1] - order.get(b)[1] || a.scenario - b.scenario,
  );
  const body = h("tbody");
  const row = ({ scenario, cells }) => {
    const s = report.scenarios[scenario];
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, h("a", { href: toList({ scenario: s.id }), dir: "auto", title: place(s) }, s.id)),
      columns.map((column, i) => matrixCell(report, s, cells[i], column)),
    );
  };
  const more = pager(rows, 30, (page) => body.append(...page.map(row)), "scenarios");
  return h(
    "section.card.matrix",
    {},
    h(
      "h2",
      {},
      "Scenarios",
      h("small", {}, ` × ${many(columns.length, "provider")}, worst first`),
      report.sides && h("a.beside-link", { href: toReplies() }, "replies side by side"),
    ),
    h(
      "div.scroll",
      { tabindex: "0", role: "region", "aria-label": "Scenarios by provider" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Scenario"),
            columns.map((c) => h("th", { scope: "col", dir: "auto", title: c }, h("span", {}, c))),
          ),
        ),
        body,
      ),
    ),
    more,
  );
}

// pager shows a first page of items and returns the button that shows the next ones; nothing when all are shown.
function pager(items, size, show, noun) {
  let shown = 0;
  const next = () => {
    show(items.slice(shown, shown + size));
    shown = Math.min(items.length, shown + size);
    button.hidden = shown >= items.length;
    size = Math.min(size * 4, 500);
    button.textContent = `Show ${count(Math.min(size, items.length - shown))} more of ${count(items.length)} ${noun}`;
  };
  const button = h("button.more", { type: "button", onclick: next });
  next();
  return button;
}
