"use strict";
// What a page can do beyond being read. Everything is in the page without it.
(() => {
  const words = document.body.dataset;

  function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", () => act(made));
    return made;
  }

  function tools(after, ...buttons) {
    const row = document.createElement("div");
    row.className = "tools";
    row.append(...buttons);
    after.after(row);
  }

  // A table as tab-separated values: exact figures where the page shows rounded ones.
  function asTsv(table) {
    const spans = [];
    return [...table.rows].map((row) => {
      const cells = [];
      let place = 0;
      for (const cell of row.cells) {
        for (; spans[place] > 0; place += 1) { spans[place] -= 1; cells.push(""); }
        const exact = cell.querySelector("data");
        cells.push((exact ? exact.value : cell.innerText).replace(/\s+/g, " ").trim());
        if (cell.rowSpan > 1) spans[place] = cell.rowSpan - 1;
        place += 1;
        for (let more = 1; more < cell.colSpan; more += 1) { cells.push(""); place += 1; }
      }
      return cells.join("\t");
    }).join("\n");
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  for (const table of document.querySelectorAll("main table")) {
    tools(table.closest(".scroll") ?? table, button(words.copy, async (made) => {
      await copy(asTsv(table));
      made.textContent = words.copied;
      setTimeout(() => { made.textContent = words.copy; }, 2000);
    }));
  }

  // Rows that hold all words that were typed.
  const trials = document.getElementById("trials-table");
  if (trials) {
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = search.ariaLabel = words.search;
    search.addEventListener("input", () => {
      const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of trials.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !asked.every((word) => text.includes(word));
      }
    });
    trials.closest(".scroll").before(search);
  }

  // Drawings as files: colours of the page in place of variables, and its paper behind them.
  function standalone(svg) {
    const style = getComputedStyle(document.documentElement);
    const clone = svg.cloneNode(true);
    for (const name of clone.getAttributeNames()) {
      if (/^(aria-|data-|tabindex)/.test(name)) clone.removeAttribute(name);
    }
    for (const each of clone.querySelectorAll(".reading, .reach")) each.remove();
    clone.setAttribute("role", "img");
    clone.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", "var(--paper)"]]) {
      paper.setAttribute(name, value);
    }
    clone.querySelector("desc").after(paper);
    const text = new XMLSerializer().serializeToString(clone);
    return text
      .replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim())
      .replace(/currentColor/g, style.getPropertyValue("--ink").trim());
  }

  for (const figure of document.querySelectorAll("figure")) {
    const drawings = [...figure.querySelectorAll("svg:not(.marker)")];
    const section = figure.closest("section");
    const number = [...section.querySelectorAll("figure")].indexOf(figure) + 1;
    tools(figure.lastElementChild, button(words.save, () => {
      drawings.forEach((svg, place) => {
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob([standalone(svg)], { type: "image/svg+xml" }));
        link.download = `${section.id}-${number}-${place + 1}.svg`;
        link.click();
        URL.revokeObjectURL(link.href);
      });
    }));
    isolate(figure, drawings);
  }

  // One level of a legend alone: everything in another level's colour is dimmed.
  function isolate(figure, drawings) {
    for (const item of figure.querySelectorAll(".legend li:not(.of)")) {
      const colour = item.querySelector(".marker").style.color;
      const made = button("", () => {
        const isOn = made.ariaPressed !== "true";
        for (const other of figure.querySelectorAll(".legend button")) other.ariaPressed = "false";
        made.ariaPressed = String(isOn);
        const marks = drawings.flatMap((svg) => [...svg.querySelectorAll("[stroke],[fill]")]);
        for (const mark of marks) {
          const own = [mark.getAttribute("stroke"), mark.getAttribute("fill")];
          const isSeries = own.some((paint) => paint?.startsWith("var(--series"));
          mark.classList.toggle("dimmed", isOn && isSeries && !own.includes(colour));
        }
      });
      made.ariaPressed = "false";
      made.append(...item.childNodes);
      item.append(made);
    }
  }

  const theme = button(words.theme, () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  theme.id = "theme";
  document.querySelector("header").prepend(theme);
})();
