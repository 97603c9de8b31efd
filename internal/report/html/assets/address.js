// The address bar holds the state: #/, #/trials?status=failed&q=refund, #/trial/<id>?status=failed. A link reopens
// what its sender saw.

const FACETS = ["status", "provider", "region", "scenario", "tag", "check"];
const SWITCHES = ["n", "with", "show"];
const PLAIN = ["q", "sort", ...SWITCHES];

// noState is the list without any filter.
const noState = () => ({
  view: "overview",
  id: "",
  q: "",
  sort: "",
  n: "", // side by side: the trial
  with: "", // the provider that words are compared with
  show: "", // which scenarios
  picked: Object.fromEntries(FACETS.map((facet) => [facet, new Set()])),
});

function readAddress(hash) {
  const state = noState();
  const [path, ...rest] = hash.replace(/^#\/?/, "").split("?");
  for (const [key, value] of new URLSearchParams(rest.join("?"))) {
    if (FACETS.includes(key)) state.picked[key].add(value);
    else if (PLAIN.includes(key)) state[key] = value;
  }
  if (path === "trials" || path === "replies") state.view = path;
  if (path.startsWith("trial/")) {
    try {
      state.id = decodeURIComponent(path.slice("trial/".length));
      state.view = "trial";
    } catch {
      state.view = "overview"; // a link that was cut in the middle
    }
  }
  return state;
}

function writeAddress(state) {
  if (state.view === "overview") return "#/";
  const params = new URLSearchParams();
  for (const facet of FACETS) for (const value of state.picked[facet]) params.append(facet, value);
  for (const key of state.view === "replies" ? SWITCHES : ["q", "sort"]) if (state[key]) params.set(key, state[key]);
  const query = `${params}` && `?${params}`;
  return state.view !== "trial" ? `#/${state.view}${query}` : `#/trial/${encodeURIComponent(state.id)}${query}`;
}

// toTrial is the link to a trial; the list it came from rides along, so that j and k stay within it.
const toTrial = (t, state = noState()) => writeAddress({ ...state, view: "trial", id: t.id });

// toList is the link to the list, filtered by one value of each facet given.
function toList(values) {
  const state = noState();
  state.view = "trials";
  for (const [facet, value] of Object.entries(values)) for (const v of [value].flat()) state.picked[facet].add(v);
  return writeAddress(state);
}

// toReplies is the link to the replies side by side, of one scenario or of all.
const toReplies = (scenario, n = "") => {
  const state = { ...noState(), view: "replies", n };
  if (scenario !== undefined) state.picked.scenario.add(scenario);
  return writeAddress(state);
};
