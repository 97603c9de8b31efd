// Elements are built from data only through h and svg: text becomes text, never markup.

const HIDDEN = /(?![\t\n\u200c\u200d]|\r\n)[\p{Cc}\p{Cf}\u2028\u2029]/gu;

// visible writes out what a text could hide: control characters, and invisible or direction-changing ones.
function visible(text) {
  return String(text).replace(HIDDEN, (c) => `⟨U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

function fill(el, attrs, children) {
  for (const [key, value] of Object.entries(attrs)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") el.addEventListener(key.slice(2), value);
    else el.setAttribute(key, value === true ? "" : visible(value));
  }
  for (const child of children.flat(2)) {
    if (child === undefined || child === null || child === false) continue;
    el.append(child instanceof Node ? child : visible(child));
  }
  return el;
}

// h builds an element: h("p.note", {title: "x", onclick: f}, "text", child). Missing children are left out. Links go to
// places of this report only.
function h(tag, attrs = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  if (attrs.href && !attrs.href.startsWith("#")) throw new Error("a link out of the report");
  const el = document.createElement(name);
  if (classes.length) el.className = classes.join(" ");
  return fill(el, attrs, children);
}

// svg builds an element of a drawing.
function svg(tag, attrs = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attrs, children);
}

const byId = (id) => document.getElementById(id);

// unseen is text for screen readers only.
const unseen = (text) => h("span.unseen", {}, text);

// say tells screen readers what changed.
function say(text) {
  byId("live").textContent = text;
}

// later returns a function that runs f once, some milliseconds after its last call.
function later(f, ms) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}
