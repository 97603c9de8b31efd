// Workflows as drawings: states from left to right, the ways between them, and how often each was taken.

const DRAWN = { states: 24, ways: 60 }; // more than that nobody can read
const BOX = { height: 38, row: 60, lane: 24, margin: 28 };

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\u{1f300}-\u{1faff}]/u;
const widthOf = (text, each) => [...visible(text)].reduce((sum, c) => sum + (wide.test(c) ? 1.8 * each : each), 0);
const times = (n) => (n > 1 ? ` ×${count(n)}` : "");

// Flow is a graph to be drawn. States and ways know how often they were touched.
class Flow {
  constructor(start) {
    Object.assign(this, { start, states: new Map(), ways: new Map() });
  }

  state(name) {
    if (!this.states.has(name)) this.states.set(name, { name, n: 0 });
    return this.states.get(name);
  }

  // way counts one event between two states; the events of the same two are drawn as one way.
  way(from, to, label, n, instead = false) {
    this.state(from);
    this.state(to);
    const key = JSON.stringify([from, to, instead]);
    if (!this.ways.has(key)) this.ways.set(key, { from, to, instead, n: 0, labels: new Map() });
    const way = this.ways.get(key);
    way.n += n;
    way.labels.set(label, (way.labels.get(label) ?? 0) + n);
  }
}

// coverageOf finds the project of a trial among those that declare something.
const coverageOf = (report, id) =>
  (report.run.coverage ?? []).find((c) => id.startsWith(c.project ?? ""));

// declaredFlow is the workflow of a project; with counts, those of all trials.
function declaredFlow(coverage, counted) {
  const flow = new Flow(coverage?.start);
  for (const s of coverage?.states ?? []) flow.state(s.name).n = counted ? s.trials : 0;
  for (const t of coverage?.transitions ?? []) {
    if (!t.event && !counted) continue; // a trial shows where it was led instead
    flow.way(t.from, t.to, t.event || "full", counted ? t.trials : 0, !t.event);
  }
  return flow;
}

// trialFlow is the way of one trial through the workflow of its project.
function trialFlow(report, id, w) {
  const flow = declaredFlow(coverageOf(report, id), false);
  flow.start = w.start || flow.start;
  if (w.start) flow.state(w.start).n++;
  for (const t of w.transitions ?? []) {
    if (t.redirected_from) flow.way(t.from, t.to, `${t.event ?? ""} (${t.redirected_from} is full)`, 1, true);
    else flow.way(t.from, t.to, t.event ?? "", 1);
    flow.state(t.to).n++;
  }
  flow.last = w.state;
  return flow;
}

// ranks puts each state as far to the right as there are ways from the start to it.
function ranks(flow) {
  const rank = new Map();
  const todo = [];
  const reach = (name, r) => {
    if (rank.has(name) || !flow.states.has(name)) return;
    rank.set(name, r);
    todo.push(name);
  };
  reach(flow.start, 0);
  for (;;) {
    while (todo.length) {
      const from = todo.shift();
      for (const way of flow.ways.values()) if (way.from === from) reach(way.to, rank.get(from) + 1);
    }
    const rest = [...flow.states.keys()].find((name) => !rank.has(name)); // no way leads there
    if (rest === undefined) return rank;
    reach(rest, 0);
  }
}

const labelOf = (way) =>
  oneLine(
    [...way.labels]
      .map(([text, n]) => oneLine(text || "moves on", 40) + times(n))
      .join(", "),
    60,
  );

// layout says where everything is drawn.
function layout(flow) {
  const rank = ranks(flow);
  const columns = [];
  for (const s of flow.states.values()) (columns[rank.get(s.name)] ??= []).push(s);
  const ways = [...flow.ways.values()].map((way) => ({ ...way, text: labelOf(way) }));
  const step = (way) => rank.get(way.to) - rank.get(way.from);
  const above = ways.filter((way) => step(way) > 1);
  const below = ways.filter((way) => step(way) < 1 && way.from !== way.to);
  const direct = ways.filter((way) => step(way) === 1);
  const top = BOX.margin + above.length * BOX.lane;
  const most = Math.max(...columns.map((c) => c.length));
  let x = BOX.margin;
  columns.forEach((column, r) => {
    const width = Math.max(...column.map((s) => 30 + widthOf(oneLine(s.name, 24), 7.4)), 72);
    column.forEach((s, i) => {
      const y = top + BOX.row * (i + (most - column.length) / 2 + 0.5);
      Object.assign(s, { x, y, width, rank: r });
    });
    const between = ways.filter((way) => step(way) === 1 && rank.get(way.from) === r);
    const beside = ways.filter((way) => step(way) !== 1 && (rank.get(way.from) === r || rank.get(way.to) === r + 1));
    const labels = Math.max(0, ...between.map((way) => widthOf(way.text, 6.3)));
    const loops = ways.filter((way) => way.from === way.to && rank.get(way.from) === r);
    const loop = Math.max(0, ...loops.map((way) => widthOf(way.text, 6.3) / 2 - width / 2));
    x += width + Math.max(44, labels + 34 + beside.length * 12, loop + 20);
  });
  const bottom = top + most * BOX.row;
  return { ways, above, below, direct, top, bottom, width: x, height: bottom + below.length * BOX.lane + BOX.margin };
}

// sidesOf spreads the ways over the sides of the states, so that they cross little.
function sidesOf(flow, at) {
  const y = (name) => flow.states.get(name).y;
  const spread = (end, other) => {
    const all = new Map();
    for (const way of [...at.above, ...at.direct.toSorted((p, q) => y(p[other]) - y(q[other])), ...at.below]) {
      if (!all.has(way[end])) all.set(way[end], []);
      all.get(way[end]).push(way);
    }
    const offsets = new Map();
    for (const list of all.values())
      list.forEach((way, i) => offsets.set(way, (i - (list.length - 1) / 2) * Math.min(10, 30 / list.length)));
    return offsets;
  };
  return { out: spread("from", "to"), into: spread("to", "from") };
}

const path = (way, d, arrow, label) => {
  const kind = `${way.n ? "taken" : "idle"}${way.instead ? " instead" : ""}`;
  return svg(
    "g",
    { class: `way ${kind}` },
    svg("path", { class: "line", d }),
    svg("path", { class: "arrow", d: arrow }),
    svg("text", { x: label[0], y: label[1], "text-anchor": "middle" }, way.text),
  );
};

// drawn is the picture of a flow; label tells it in words. A flow that is too large is not drawn.
function drawn(flow, label) {
  if (!flow.states.size || flow.states.size > DRAWN.states || flow.ways.size > DRAWN.ways) return null;
  const at = layout(flow);
  const sides = sidesOf(flow, at);
  const turns = new Map(); // how many ways already turn beside a state, so that they do not lie on each other
  const turn = (key) => {
    turns.set(key, (turns.get(key) ?? 0) + 1);
    return turns.get(key) - 1;
  };
  const right = (x, y) => `M${x} ${y}l-8 -4v8z`;
  const lane = (way, y) => {
    const [a, b] = [flow.states.get(way.from), flow.states.get(way.to)];
    const [x1, y1, y2] = [a.x + a.width, a.y + sides.out.get(way), b.y + sides.into.get(way)];
    const out = x1 + 12 + 6 * (turn(`out ${a.rank}`) % 4);
    const into = b.x - 16 - 6 * (turn(`into ${b.rank}`) % 3);
    const d = `M${x1} ${y1}H${out}V${y}H${into}V${y2}H${b.x - 6}`;
    return path(way, d, right(b.x, y2), [(out + into) / 2, y < at.top ? y - 5 : y + 13]);
  };
  const direct = (way) => {
    const [a, b] = [flow.states.get(way.from), flow.states.get(way.to)];
    const [from, to] = [sides.out.get(way), sides.into.get(way)];
    const [x1, y1, x2, y2] = [a.x + a.width, a.y + from, b.x, b.y + to];
    const bend = (x2 - x1) / 2;
    const d = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 6} ${y2}`;
    return path(way, d, right(x2, y2), [(x1 + x2) / 2, (a.y + b.y) / 2 + from + to - 5]);
  };
  const loop = (way) => {
    const s = flow.states.get(way.from);
    const [x, y] = [s.x + s.width / 2, s.y - BOX.height / 2];
    const d = `M${x + 16} ${y}C${x + 18} ${y - 14} ${x - 18} ${y - 14} ${x - 16} ${y - 6}`;
    return path(way, d, `M${x - 16} ${y}l-4 -8h8z`, [x, y - 13]);
  };
  const box = (s) =>
    svg(
      "g",
      { class: `state ${s.n ? "taken" : "idle"}${s.name === flow.last ? " last" : ""}` },
      svg("rect", { x: s.x, y: s.y - BOX.height / 2, width: s.width, height: BOX.height, rx: 8 }),
      svg("text", { x: s.x + s.width / 2, y: s.y + 4.5, "text-anchor": "middle" }, oneLine(s.name, 24)),
      s.n > (flow.last === undefined ? 0 : 1) &&
        svg("text", { class: "n", x: s.x + s.width - 5, y: s.y + BOX.height / 2 - 4, "text-anchor": "end" }, count(s.n)),
    );
  const first = flow.states.get(flow.start);
  return h(
    "div.drawing",
    { tabindex: "0", role: "group", "aria-label": "Drawing of the workflow" },
    svg(
      "svg",
      { class: "workflow", viewBox: `0 0 ${at.width} ${at.height}`, width: at.width, height: at.height, role: "img", "aria-label": label },
      first &&
        svg(
          "g",
          { class: "way taken" },
          svg("circle", { class: "arrow", cx: first.x - 20, cy: first.y - 12, r: 4 }),
          svg("path", { class: "line", d: `M${first.x - 20} ${first.y - 12}H${first.x - 6}` }),
          svg("path", { class: "arrow", d: right(first.x, first.y - 12) }),
        ),
      at.direct.map(direct),
      at.ways.filter((way) => way.from === way.to).map(loop),
      at.above.map((way, i) => lane(way, at.top - BOX.lane * i - 2)),
      at.below.map((way, i) => lane(way, at.bottom + BOX.lane * (i + 0.75))),
      [...flow.states.values()].map(box),
    ),
  );
}

const MOST_STEPS = 40;

// wayWords tells the way of a trial in words.
function wayWords(w) {
  const steps = (w.transitions ?? []).slice(0, MOST_STEPS).map((t) => {
    const full = t.redirected_from ? `, as ${oneLine(t.redirected_from, 40)} was full` : "";
    return ` → ${oneLine(t.to, 40)}${t.event ? ` (${oneLine(t.event, 40)}${full})` : ""}`;
  });
  const more = (w.transitions ?? []).length - steps.length;
  return `${oneLine(w.start || "start not known", 40)}${steps.join("")}${more > 0 ? ` and ${many(more, "more step")}` : ""}`;
}

// workflowSection is the way of a trial through the states of its workflow; null without one.
function workflowSection(report, t, trial) {
  const w = trial.workflow;
  if (!w) return null;
  const flow = trialFlow(report, t.id, w);
  const never = [...flow.states.values()].filter((s) => !s.n).map((s) => oneLine(s.name, 40));
  const words = wayWords(w);
  const picture = drawn(flow, `${words}.${never.length ? ` Never entered: ${never.join(", ")}.` : ""}`);
  const ended = w.state && [" ended in ", h("span", { dir: "auto" }, oneLine(w.state, 60)), w.complete && ", which is terminal"];
  return h(
    "section.flow",
    { "aria-labelledby": "workflow-title" },
    h("h2", { id: "workflow-title" }, "Workflow", ended && h("small", {}, ended)),
    picture,
    h("p.steps", { dir: "auto" }, words),
    (w.refused ?? []).length > 0 &&
      h(
        "ul.refused",
        {},
        w.refused
          .slice(0, MOST_STEPS)
          .map((r) => h("li", {}, badge("error", { word: "refused" }), h("span", { dir: "auto" }, ` turn ${r.turn + 1}, ${oneLine(r.event || "no event", 60)}: `), oneLine(r.reason, 300))),
      ),
    Object.keys(w.artifacts ?? {}).length > 0 &&
      h("details.system", {}, h("summary", {}, "Artifacts"), pairs("dl.pairs", Object.entries(w.artifacts).map(([name, text]) => [name, longText(text)]))),
  );
}

const KINDS = [
  ["states", "state"],
  ["transitions", "transition"],
  ["skills", "skill"],
  ["steps", "step"],
  ["tools", "tool"],
];

const partName = (p) =>
  p.from === undefined ? oneLine(p.name ?? "", 80) : oneLine(`${p.from} → ${p.to} (${p.event || `when ${p.from} is full`})`, 120);

// coverage says what of the projects the trials touched, and what none did.
function coverage(report) {
  const one = (c) => {
    const lists = KINDS.filter(([key]) => c[key]?.length);
    const touched = lists.map(([key, kind]) => `${count(c[key].filter((p) => p.trials).length)} of ${many(c[key].length, kind)}`);
    const missed = lists
      .map(([key]) => [key, c[key].filter((p) => !p.trials).map(partName)])
      .filter(([, names]) => names.length);
    const words = `${touched.join(", ")} touched by the ${many(c.trials, "trial")} that ran`;
    return [
      c.project && h("h3", { dir: "auto" }, c.project.replace(/:$/, "")),
      h("p", {}, words),
      c.states?.length > 0 && drawn(declaredFlow(c, true), `The workflow: ${words}.`),
      missed.length > 0 &&
        pairs(
          "dl.pairs.missed",
          missed.map(([key, names]) => [
            `${key} not touched`,
            h("span", { dir: "auto" }, names.slice(0, 60).join(" · "), names.length > 60 && ` and ${count(names.length - 60)} more`),
          ]),
        ),
    ];
  };
  const all = report.run.coverage ?? [];
  return all.length ? h("section.card.coverage", {}, h("h2", {}, "Coverage"), all.map(one)) : null;
}
