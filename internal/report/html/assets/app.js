// The address bar leads: every change goes there first, and what it says is shown.

class App {
  constructor(report) {
    this.report = report;
    this.search = new Search(report);
    const go = (state, replace) => this.go(state, replace);
    this.list = new ListView(report, this.search, go);
    this.trial = new TrialView(report, go);
    this.replies = new RepliesView(report, go);
    this.overview = h("div", { hidden: true });
    showOverview(report, this.overview);
    byId("view").replaceChildren(this.overview, this.list.root, this.replies.root, this.trial.root);
    this.title = document.title;
    this.scrolled = 0;
    this.list.onupdate = () => this.state?.view === "trial" && this.trial.walk(this.state, this.list.trials);
    history.scrollRestoration = "manual";
    addEventListener("hashchange", () => this.show());
    document.addEventListener("click", (e) => this.list.closeMenus(e.target.closest?.(".facet")));
    this.show();
  }

  go(state, replace) {
    const hash = writeAddress(state);
    if (replace) location.replace(hash);
    else location.hash = hash;
    this.show();
  }

  async show() {
    if (this.shown === location.hash) return; // the change of the address that go made is told again later
    this.shown = location.hash;
    const before = this.state;
    const state = (this.state = readAddress(location.hash));
    const moved = before && (before.view !== state.view || before.id !== state.id);
    if (before?.view === "trials" && moved) this.scrolled = scrollY;
    if (state.view === "trials" || state.view === "trial") this.list.set(state);
    if (state.view === "replies") this.replies.show(state);
    byId("summary").hidden = this.overview.hidden = state.view !== "overview";
    this.list.root.hidden = state.view !== "trials";
    this.replies.root.hidden = state.view !== "replies";
    this.trial.root.hidden = state.view !== "trial";
    for (const a of document.querySelectorAll("[data-view]")) {
      if (a.dataset.view === state.view) a.setAttribute("aria-current", "page");
      else a.removeAttribute("aria-current");
    }
    if (state.view === "trial") await this.trial.show(state, this.list.trials);
    if (this.state !== state) return;
    document.title = state.view === "trial" ? `${visible(state.id)} · ${this.title}` : this.title;
    if (moved) this.arrive(before, state);
    if (state.view === "trial") highlight(this.trial.body, state.q);
    document.documentElement.dataset.shown = state.view;
  }

  // arrive puts the focus and the page where a reader expects them after a change of view.
  arrive(before, state) {
    if (this.searching) {
      this.searching = false;
      scrollTo(0, 0);
      return this.list.input.select();
    }
    if (state.view === "trials") {
      scrollTo(0, before.view === "trial" ? this.scrolled : 0);
      if (before.view === "trial") return this.list.focusOn(before.id);
    } else {
      scrollTo(0, 0);
    }
    byId({ overview: "headline", trials: "list-title", replies: "replies-title", trial: "trial-title" }[state.view])?.focus({
      preventScroll: true,
    });
  }

  step(by) {
    if (this.state.view === "replies") return this.replies.step(by);
    if (this.state.view === "overview") return this.go({ ...noState(), view: "trials" });
    if (this.state.view === "trials") return this.list.step(by);
    const t = by > 0 ? this.trial.next : this.trial.previous;
    if (t) this.go({ ...this.state, id: t.id }, true);
  }

  searchFor() {
    if (this.state.view === "trials") return this.list.input.select();
    this.searching = true; // the field is there once the list is
    this.go({ ...this.state, view: "trials" });
  }

  failuresOnly() {
    const status = this.state.picked.status;
    const only = status.size === 2 && status.has("failed") && status.has("error");
    const picked = { ...this.state.picked, status: new Set(only ? [] : ["failed", "error"]) };
    this.go(
      { ...this.state, view: this.state.view === "trial" ? "trial" : "trials", picked },
      this.state.view === "trials" || this.state.view === "trial",
    );
  }

  up() {
    const menu = this.list.closeMenus();
    if (menu) menu.querySelector("summary").focus();
    else if (this.state.view === "trial") this.go({ ...this.state, view: "trials" });
    else if (this.state.view !== "overview") this.go(noState());
  }

  // sideBySide opens the replies side by side: those of the scenario, where a trial is shown.
  sideBySide() {
    if (!this.report.sides) return;
    const t = this.state.view === "trial" && this.report.byId.get(this.state.id);
    const state = { ...noState(), view: "replies" };
    if (t) [state.n, state.picked.scenario] = [t.trial > 1 ? String(t.trial) : "", new Set(t.names.scenario)];
    this.go(state);
  }

  leave(field) {
    const menu = this.list.closeMenus();
    if (menu) menu.querySelector("summary").focus();
    else field.blur();
  }
}

// printWhole opens what is folded while the page is printed.
function printWhole() {
  let opened = [];
  addEventListener("beforeprint", () => {
    const closed = () => [...document.querySelectorAll("#view details:not([open]):not(.facet)")];
    for (let more = closed(); more.length; more = closed()) {
      for (const d of more) {
        d.open = true;
        d.dispatchEvent(new Event("toggle")); // the browser's own comes after the page is printed
      }
      opened.push(...more);
    }
  });
  addEventListener("afterprint", () => opened.forEach((d) => (d.open = false)));
}

async function main() {
  const wait = byId("wait");
  wait.textContent = "Reading the trials.";
  try {
    if (!globalThis.DecompressionStream) throw new Error("this browser is too old to unpack them");
    const report = await Report.open();
    bindKeys(new App(report));
    printWhole();
  } catch (err) {
    wait.textContent = `The trials cannot be shown: ${err.message}.`;
    throw err;
  }
}

main();
