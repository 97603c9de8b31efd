// Which trials a state shows, and in which order.

// holds reports whether the trial has one of the picked values in every facet, one facet aside.
function holds(t, picked, aside) {
  return FACETS.every(
    (facet) => facet === aside || picked[facet].size === 0 || t.names[facet].some((name) => picked[facet].has(name)),
  );
}

// tally counts the trials by the values of one facet under the filters of all the others.
function tally(report, state, found, facet) {
  const counts = new Map();
  for (const t of report.trials) {
    if (found && !found.has(t.index)) continue;
    if (!holds(t, state.picked, facet)) continue;
    for (const name of t.names[facet]) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const rank = (t) => (RANK.get(t.status) ?? 1) + (t.tolerated || t.excuse ? 2.5 : 0);
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const known = (x) => x !== null && x !== undefined;

// Each order has the comparison that people mean first when they ask for it: the most, the slowest, the dearest.
const ORDERS = {
  worst: { label: "worst first", by: (a, b) => rank(a) - rank(b) || b.checks.failed - a.checks.failed },
  plan: { label: "as planned", by: () => 0 },
  scenario: { label: "by scenario", by: (a, b) => compare(a.names.scenario[0], b.names.scenario[0]) },
  provider: { label: "by provider", by: (a, b) => compare(a.names.provider[0], b.names.provider[0]) },
  checks: {
    label: "most checks failed",
    by: (a, b) => b.checks.failed + b.checks.errors - a.checks.failed - a.checks.errors,
  },
  turns: { label: "most turns", by: (a, b) => b.turns - a.turns },
  time: { label: "slowest first", by: (a, b) => b.ms - a.ms },
  tokens: { label: "most tokens", by: (a, b) => b.tokens - a.tokens },
  cost: { label: "dearest first", by: (a, b) => b.usd - a.usd, has: (t) => known(t.usd) },
};

// readSort splits a sort as it stands in the address: a name of ORDERS, with a minus when it is turned around.
function readSort(sort) {
  const name = sort.replace(/^-/, "");
  return Object.hasOwn(ORDERS, name) ? { name, turned: sort.startsWith("-") } : { name: "worst", turned: false };
}

// select returns the trials that a state shows; found limits them to a set of indexes, null does not.
function select(report, state, found) {
  const { name, turned } = readSort(state.sort);
  const { by, has = () => true } = ORDERS[name];
  const trials = report.trials.filter((t) => (!found || found.has(t.index)) && holds(t, state.picked));
  return trials.sort((a, b) => has(b) - has(a) || (has(a) && (turned ? -by(a, b) : by(a, b))) || a.index - b.index);
}
