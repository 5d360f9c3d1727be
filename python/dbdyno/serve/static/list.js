"use strict";
// The list by itself shows what begins and ends, finds words as they are typed, and says how two
// results are compared.
(() => {
  const REFRESH_MS = 3000;
  const words = JSON.parse(document.body.dataset.words);
  const results = document.getElementById("results");
  const search = document.getElementById("q");
  const command = document.getElementById("command");
  const said = document.getElementById("said");
  const picked = new Map();

  function find() {
    const asked = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of results.querySelectorAll(".result")) {
      const text = row.querySelector(".about").textContent.toLowerCase();
      row.hidden = !asked.every((word) => text.includes(word));
    }
  }

  function mark() {
    for (const box of results.querySelectorAll("input[type=checkbox]")) {
      const name = box.closest(".result").dataset.name;
      box.checked = picked.has(name);
      // Two are compared: a third one waits until one of them is let go.
      box.disabled = picked.size >= 2 && !box.checked;
    }
    command.hidden = picked.size !== 2;
    command.textContent = `dbdyno compare ${[...picked.values()].join(" ")}`;
    said.textContent = picked.size === 2 ? words.compare : "";
  }

  results.addEventListener("change", (event) => {
    const { name } = event.target.closest(".result").dataset;
    if (event.target.checked) picked.set(name, event.target.value);
    else picked.delete(name);
    mark();
  });
  search.addEventListener("input", find);
  search.form.addEventListener("submit", (event) => {
    event.preventDefault();
    find();
  });

  async function refresh() {
    if (document.hidden) return;
    try {
      const answer = await fetch("/", { cache: "no-store" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("results").innerHTML;
      const has = document.activeElement;
      const place = results.contains(has) ? focusable().indexOf(has) : -1;
      if (fresh === refresh.last) return;
      refresh.last = fresh;
      results.innerHTML = fresh;
      find();
      mark();
      if (place >= 0) focusable()[place]?.focus();
    } catch {
      // The server is away; the next call finds it again.
    }
  }
  const focusable = () => [...results.querySelectorAll("a, input")];

  find();
  setInterval(refresh, REFRESH_MS);
})();
