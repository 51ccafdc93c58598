"use strict";
(() => {
  const one = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, text = "", name = "") => {
    const element = document.createElement(tag);
    element.textContent = text;
    if (name) element.className = name;
    return element;
  };

  // Search: each word must occur in what a row says of itself, or in what the rows above it say.
  const find = one("#find"), found = one("#found");
  const search = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of all("[data-find]")) {
      const text = row.dataset.find.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      shown += !row.hidden;
    }
    for (const group of all("[data-group]")) {
      group.hidden = words.length > 0 && !one("[data-find]:not([hidden])", group);
    }
    found.textContent = words.length ? `${shown} found` : "";
  };
  find.addEventListener("input", search);
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName) && !one("dialog[open]")) {
      event.preventDefault();
      find.focus();
    } else if (event.key === "Escape" && document.activeElement === find) {
      find.value = "";
      search();
    }
  });

  // Sort: by the values of cells where they are numbers, else by text; what has no value comes last.
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === "" || b === "") return a === "" ? Infinity : -Infinity;
    const numbers = [Number(a), Number(b)];
    return numbers.some(Number.isNaN) ? a.localeCompare(b, "en", { numeric: true }) : numbers[0] - numbers[1];
  };
  const ordered = (list, value, down) =>
    list.map((entry) => [value(entry), entry]).sort((a, b) => {
      const order = compare(a[0], b[0]);
      return Math.abs(order) === Infinity ? order : down ? -order : order;
    }).map((pair) => pair[1]);
  for (const button of all("th button")) {
    button.addEventListener("click", () => {
      const head = button.parentElement, table = head.closest("table"), body = table.tBodies[0];
      const down = head.getAttribute("aria-sort") === "ascending" || (!head.ariaSort && head.classList.contains("num"));
      for (const other of all("th", table)) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      body.append(...ordered([...body.rows], (row) => row.cells[head.cellIndex].dataset.v ?? "", down));
    });
  }
  one("#order").addEventListener("change", (event) => {
    const [name, down] = event.target.value.split("-");
    for (const group of all(".scores")) {
      group.append(...ordered(all("details.score", group), (row) => row.dataset[name] ?? "", down === "down"));
    }
  });

  // A link to a row opens what it lies in.
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView({ block: "center" });
  };
  addEventListener("hashchange", reveal);
  reveal();

  // A timeline is one stop of the tabulator; arrows move inside it.
  for (const timeline of all(".timeline")) {
    const bars = all("a", timeline);
    bars.forEach((bar, at) => bar.setAttribute("tabindex", at ? "-1" : "0"));
    timeline.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next = step && bars[bars.indexOf(document.activeElement) + step];
      if (!next) return;
      event.preventDefault();
      document.activeElement.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  }

  // Items: only the rows that can be seen are in the document.
  const ROW = 32, dialog = one("#items"), list = one(".list", dialog), pane = one(".pane", dialog);
  const controls = { text: one("#item-find"), kind: one("#item-kind"), order: one("#item-order") };
  let items = null, rows = [], at = -1;

  const score = (n) => items.scores[n];
  const kinds = {
    all: () => true,
    full: (n) => score(n) === 1,
    part: (n) => score(n) !== null && score(n) < 1,
    none: (n) => score(n) === null,
  };
  const tokens = (n) => (items.tokens && items.tokens[n] ? items.tokens[n].map((count) => count ?? "?").join(" + ") : "");
  const total = (n) => (items.tokens && items.tokens[n] ? items.tokens[n].reduce((a, b) => a + (b ?? 0), 0) : "");
  const note = (n) => items.errors[n] ?? items.more[n] ?? "";
  const orders = { id: (n) => items.ids[n], score: (n) => score(n) ?? "", tokens: total };

  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 5);
    const last = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 5);
    const space = make("div");
    space.style.height = `${rows.length * ROW}px`;
    for (let place = first; place < last; place++) space.append(line(place));
    list.replaceChildren(space);
    if (at >= first && at < last) list.setAttribute("aria-activedescendant", `item-${at}`);
    else list.removeAttribute("aria-activedescendant");
  };
  const line = (place) => {
    const n = rows[place], row = make("div", "", "row"), meter = make("span", "", "meter");
    row.id = `item-${place}`;
    row.dataset.place = place;
    row.style.top = `${place * ROW}px`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", place === at);
    row.setAttribute("aria-posinset", place + 1);
    row.setAttribute("aria-setsize", rows.length);
    if (score(n) === null) meter.append(make("span", "not judged", "FAILED small"));
    else {
      const track = make("i");
      track.style.setProperty("--at", `${score(n) * 100}%`);
      meter.append(make("span", score(n).toFixed(score(n) % 1 ? 3 : 0)), track);
    }
    row.append(make("span", items.ids[n]), meter, make("span", tokens(n), "small soft"), make("span", note(n), "small soft"));
    return row;
  };
  const choose = (place) => {
    if (!rows.length) return;
    at = Math.min(rows.length - 1, Math.max(0, place));
    const top = at * ROW;
    if (top < list.scrollTop) list.scrollTop = top;
    else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    draw();
    tell(rows[at]);
  };
  const tell = (n) => {
    const facts = score(n) === null ? "not judged" : `score ${score(n)}`;
    pane.hidden = false;
    pane.replaceChildren(make("h4", items.ids[n]), make("p", facts + (tokens(n) && ` · tokens ${tokens(n)}`), "soft"));
    for (const text of [items.errors[n], items.more[n]]) if (text) pane.append(make("pre", text));
    pane.scrollTop = 0;
  };
  const select = () => {
    const words = controls.text.value.toLowerCase().split(/\s+/).filter(Boolean), kind = kinds[controls.kind.value];
    rows = [];
    for (let n = 0; n < items.ids.length; n++) {
      const text = words.length ? `${items.ids[n]} ${note(n)}`.toLowerCase() : "";
      if (kind(n) && words.every((word) => text.includes(word))) rows.push(n);
    }
    const [name, down] = controls.order.value.split("-");
    if (orders[name]) rows = ordered(rows, (n) => String(orders[name](n)), down === "down");
    one("#item-count").textContent = `${rows.length} of ${items.ids.length}`;
    at = -1;
    pane.hidden = true;
    list.scrollTop = 0;
    draw();
  };
  for (const button of all("button[data-items]")) {
    button.addEventListener("click", () => {
      items = JSON.parse(one(`#items-${button.dataset.items}`).textContent);
      one("h3", dialog).textContent = button.dataset.title;
      one("#item-note").textContent = items.note;
      controls.text.value = "";
      controls.kind.value = "all";
      controls.order.value = "as";
      dialog.showModal();
      select();
      list.focus();
    });
  }
  for (const control of Object.values(controls)) control.addEventListener("input", select);
  let waiting = false;
  const soon = () => {
    if (!waiting) requestAnimationFrame(() => { waiting = false; draw(); });
    waiting = true;
  };
  list.addEventListener("scroll", soon);
  addEventListener("resize", () => items && dialog.open && draw());
  list.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row) choose(Number(row.dataset.place));
  });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const to = {
      ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(to);
  });
  one("#items-close").addEventListener("click", () => dialog.close());
})();
