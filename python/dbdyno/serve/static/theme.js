"use strict";
// Light or dark: what the system says, or what was chosen here last.
(() => {
  const root = document.documentElement;
  const kept = localStorage.getItem("theme");
  if (kept) root.dataset.theme = kept;
  const made = document.createElement("button");
  made.type = "button";
  made.id = "theme";
  made.textContent = document.body.dataset.themeLabel;
  made.addEventListener("click", () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
    localStorage.setItem("theme", root.dataset.theme);
  });
  document.querySelector("header").prepend(made);
})();
