// The keyboard. Keys with modifiers belong to the browser, and keys in a field to the field.

const typing = (el) => el.closest?.("input:not([type=checkbox]), select, textarea, [contenteditable]");

function bindKeys(app) {
  const help = byId("help");
  const actions = {
    j: () => app.step(1),
    k: () => app.step(-1),
    "/": () => app.searchFor(),
    f: () => app.failuresOnly(),
    s: () => app.sideBySide(),
    "?": () => help.showModal(),
    Escape: () => app.up(),
  };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || e.isComposing || help.open) return;
    if (typing(e.target)) {
      if (e.key === "Escape") app.leave(e.target);
      return;
    }
    if (!Object.hasOwn(actions, e.key)) return;
    e.preventDefault();
    actions[e.key]();
  });
  const button = byId("help-open");
  button.hidden = false;
  button.addEventListener("click", () => help.showModal());
  byId("skip").addEventListener("click", (e) => {
    e.preventDefault(); // the address is the state
    byId("main").focus();
  });
}
