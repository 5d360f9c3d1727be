"use strict";
// Charts are read by pointer, finger and keys. Values are read back out of the drawings, so that the
// page holds them once: data-* attributes of a drawing say what its pixels stand for, and a mark has
// its text in a title.
(() => {
  const NEAR_PX = 32;
  const DRAG_PX = 5;
  const HALF_A_TENTH_PX = 0.05;
  const words = document.body.dataset;

  // Rounded to what a drawing in tenths of a pixel can tell.
  function rounded(value, error) {
    const unit = 10 ** Math.ceil(Math.log10(error));
    return Number((Math.round(value / unit) * unit).toPrecision(12));
  }

  function local(value, format) {
    return value.toLocaleString(document.documentElement.lang, format);
  }

  function written(value, error) {
    const decimals = Math.min(20, Math.max(0, -Math.ceil(Math.log10(error))));
    return local(rounded(value, error), {
      minimumFractionDigits: decimals, maximumFractionDigits: decimals,
    });
  }

  function add(parent, name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [each, value] of Object.entries(attributes)) made.setAttribute(each, value);
    parent.append(made);
    return made;
  }

  // ---- What is told beside a chart: rows of texts, the first row being a heading.

  const readout = document.createElement("div");
  readout.className = "readout";

  function tell(svg, rows, x, y) {
    readout.style.setProperty("--columns", rows[0].length);
    readout.replaceChildren(...rows.flatMap((row) => row.map((text, column) => {
      const cell = document.createElement("span");
      Object.assign(cell, { textContent: text, className: column ? "n" : "" });
      return cell;
    })));
    svg.closest("figure").append(readout);
    place(svg, x, y);
    svg.setAttribute("aria-valuetext", rows.map((row) => row.join(" ")).join("; "));
  }

  // To the right of a point, or to its left; below the chart where neither has room.
  function place(svg, x, y) {
    const { left, top } = readout.parentElement.getBoundingClientRect();
    const { width, height } = readout.getBoundingClientRect();
    const page = document.documentElement;
    const gap = 14;
    let at = [x + gap, Math.max(0, Math.min(y + gap, page.clientHeight - height))];
    if (at[0] + width > page.clientWidth) at[0] = x - gap - width;
    if (at[0] < 0) at = [(page.clientWidth - width) / 2, svg.getBoundingClientRect().bottom];
    readout.style.left = `${at[0] - left}px`;
    readout.style.top = `${at[1] - top}px`;
  }

  // ---- Charts over time.

  // The unbroken parts of a line, each a list of points in pixels.
  function partsOf(path) {
    const parts = [];
    for (const [, command, numbers] of path.matchAll(/([MLl])([^MLlZ]+)/g)) {
      if (command === "M") parts.push([]);
      const part = parts.at(-1);
      const steps = numbers.trim().split(/[ ,]+/).map(Number);
      for (let at = 0; at < steps.length; at += 2) {
        const [x, y] = command === "l" ? part.at(-1) : [0, 0];
        part.push([x + steps[at], y + steps[at + 1]]);
      }
    }
    return parts;
  }

  // The points of a part within a span of time, with those where it enters and leaves.
  function within(part, [from, to]) {
    const inside = [];
    part.forEach(([second, y], at) => {
      const [before, yBefore] = part[at - 1] ?? [second, y];
      for (const edge of [from, to]) {
        if (before < edge && edge < second) {
          inside.push([edge, yBefore + (y - yBefore) * (edge - before) / (second - before)]);
        }
      }
      if (from <= second && second <= to) inside.push([second, y]);
    });
    return inside;
  }

  function nearest(parts, second) {
    const part = parts.find((each) => each[0][0] <= second && second <= each.at(-1)[0]);
    return part && closest(part, second, ([own]) => own);
  }

  // The first item of those whose second is closest to one.
  function closest(items, second, secondOf = (item) => item) {
    const distance = (item) => Math.abs(secondOf(item) - second);
    return items.reduce((best, each) => (distance(each) < distance(best) ? each : best));
  }

  // The item that is so many on, or the one at an end; as long as none is told, the one at a place.
  function itemFrom(items, at, count) {
    const isMove = readout.isConnected || !Number.isFinite(count);
    return items[Math.max(0, Math.min(items.length - 1, at + (isMove ? count : 0)))];
  }

  // Round numbers that part a span into about five.
  function ticksIn([from, to]) {
    const least = (to - from) / 6;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= least);
    const first = Math.ceil(from / step - 1e-9);
    const last = Math.floor(to / step + 1e-9);
    return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step);
  }

  // One plot of a panel: a line a round, all of one quantity.
  class Plot {
    #lines;
    #drawn;

    constructor(panel, group, scale) {
      const [kind, ...numbers] = scale.split(" ");
      [this.low, this.high, this.height] = numbers.map(Number);
      this.isLogarithmic = kind === "log";
      this.panel = panel;
      this.paths = [...group.querySelectorAll(".mark-line path")];
      this.title = [...group.querySelectorAll(".role-axis-title text")].at(-1).textContent;
      // Marks of events, with the pixel that each stands at while the whole time is shown.
      this.events = [...group.querySelectorAll(".mark-symbol path:has(title)")].map((path) => {
        const [x, y] = path.getAttribute("transform").match(/[-.\d]+/g);
        return { path, x: Number(x), y };
      });
      this.marks = add(group, "g", { class: "reading" });
    }

    // Seconds and pixels of all points. Most panels are never read, so that this can wait.
    get lines() {
      this.#drawn ??= this.paths.map((path) => path.getAttribute("d") ?? "");
      this.#lines ??= this.#drawn.map((path) => partsOf(path)
        .map((part) => part.map(([x, y]) => [this.panel.secondOf(x), y])));
      return this.#lines;
    }

    text(y) {
      const share = 1 - y / this.height;
      const resolution = HALF_A_TENTH_PX / this.height;
      if (!this.isLogarithmic) {
        const range = this.high - this.low;
        return written(this.low + share * range, resolution * range);
      }
      const value = this.low * (this.high / this.low) ** share;
      return written(value, value * Math.log(this.high / this.low) * resolution);
    }

    drawAll() {
      this.#drawn?.forEach((path, at) => this.paths[at].setAttribute("d", path));
    }

    draw(span) {
      const point = ([second, y]) => `${this.panel.pixel(second).toFixed(1)},${y.toFixed(1)}`;
      this.lines.forEach((parts, at) => {
        const drawn = parts.map((part) => within(part, span)).filter((part) => part.length);
        const path = drawn.map((part) => `M${part.map(point).join("L")}`).join("");
        this.paths[at].setAttribute("d", path);
      });
    }

    // Events go where their seconds are now, and those of other seconds are not seen.
    drawEvents() {
      const { first, last, width, span: [from, to] } = this.panel;
      for (const { path, x, y } of this.events) {
        const second = first + (last - first) * x / width;
        path.setAttribute("transform", `translate(${this.panel.pixel(second).toFixed(1)},${y})`);
        path.style.display = from <= second && second <= to ? "" : "none";
      }
    }

    // A cursor at a second, and a dot at each of the points that are told.
    mark(second, points) {
      const x = this.panel.pixel(second);
      this.marks.replaceChildren();
      add(this.marks, "line", { x1: x, x2: x, y2: this.height });
      for (const [at, y] of points.filter(Boolean)) {
        add(this.marks, "circle", { cx: this.panel.pixel(at), cy: y, r: 2.5 });
      }
    }

    select(from, to) {
      this.marks.replaceChildren();
      const width = Math.abs(to - from);
      add(this.marks, "rect", { x: Math.min(from, to), width, height: this.height });
    }
  }

  class Panel {
    constructor(svg) {
      [this.first, this.last, this.step, this.width] = svg.dataset.seconds.split(" ").map(Number);
      this.svg = svg;
      this.span = this.whole;
      this.rounds = svg.dataset.rounds
        ? svg.dataset.rounds.split(" ").map((number) => words.round.replace("{number}", number))
        : [words.lowest, words.highest, words.median];
      const groups = svg.querySelectorAll("[class*=' concat_'][class$=_group]");
      const scales = svg.dataset.plots.split(",");
      this.plots = scales.map((scale, at) => new Plot(this, groups[at].querySelector("g > g"), scale));
      this.ticks = svg.querySelector(".role-axis-tick");
      this.labels = this.ticks.parentNode.querySelector(".role-axis-label");
      this.drawnTicks = [[...this.ticks.children], [...this.labels.children]];
    }

    get whole() { return [this.first, this.last]; }

    get error() { return HALF_A_TENTH_PX * (this.last - this.first) / this.width || 0.001; }

    // The second of a point of the whole window; pixels are too coarse for a long one.
    secondOf(x) {
      const second = this.first + (this.last - this.first) * x / this.width;
      if (!this.step) return rounded(second, this.error);
      const steps = Math.round((second - this.first) / this.step);
      return Number((this.first + steps * this.step).toPrecision(9));
    }

    pixel(second) {
      const [from, to] = this.span;
      return to > from ? this.width * (second - from) / (to - from) : this.width / 2;
    }

    // All seconds at which a line has a point, within what is shown.
    get seconds() {
      this.known ??= [...new Set(this.plots.flatMap((plot) => plot.lines.flat(2).map(([s]) => s)))]
        .sort((one, other) => one - other);
      return this.known.filter((each) => this.span[0] <= each && each <= this.span[1]);
    }

    // Pixels of the plot at a place of the page.
    at(event) {
      const matrix = this.plots[0].marks.getScreenCTM().inverse();
      const { x } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
      return Math.max(0, Math.min(this.width, x));
    }

    shownAt(x) { return this.span[0] + (this.span[1] - this.span[0]) * x / this.width; }

    draw(span) {
      this.span = span ?? this.whole;
      for (const plot of this.plots) {
        if (span) plot.draw(span);
        else plot.drawAll();
        plot.drawEvents();
      }
      const [ticks, labels] = this.drawnTicks.map((drawn) => (
        span ? ticksIn(span).map((second) => this.tick(drawn[0], second)) : drawn));
      this.ticks.replaceChildren(...ticks);
      this.labels.replaceChildren(...labels);
    }

    // A line or a label as one that is drawn already.
    tick(like, second) {
      const made = like.cloneNode(true);
      const place = `translate(${this.pixel(second).toFixed(1)},`;
      made.setAttribute("transform", made.getAttribute("transform").replace(/.*,/, place));
      if (like.textContent) made.textContent = local(second);
      return made;
    }

    mark(second, isRead) {
      const isIn = this.span[0] <= second && second <= this.span[1];
      for (const plot of this.plots) {
        if (!isIn) plot.marks.replaceChildren();
        else plot.mark(second, isRead ? plot.lines.map((parts) => nearest(parts, second)) : []);
      }
    }

    // A row a round. A point that stands at another second than the cursor has it behind its value.
    rows(second) {
      const moment = (of) => words.moment.replace("{seconds}", local(of));
      const heading = [moment(second), ...this.plots.map((plot) => plot.title)];
      return [heading, ...this.rounds.map((name, at) => [name, ...this.plots.map((plot) => {
        const point = nearest(plot.lines[at] ?? [], second);
        if (!point) return "–";
        return plot.text(point[1]) + (point[0] === second ? "" : ` (${moment(point[0])})`);
      })])];
    }
  }

  const panels = [...document.querySelectorAll("svg[data-seconds]")].map((svg) => new Panel(svg));
  const ways = [];  // Back to the whole time: a button in each row of them.
  let cursor = null;
  let zoomed = null;

  function moveTo(panel, second, y) {
    cursor = second;
    for (const each of panels) each.mark(second, each === panel);
    const corner = panel.plots[0].marks.getScreenCTM();
    const x = corner.e + corner.a * panel.pixel(second);
    panel.svg.setAttribute("aria-valuenow", second);
    tell(panel.svg, panel.rows(second), x, y ?? corner.f);
  }

  function hide() {
    readout.remove();
    for (const marks of document.querySelectorAll(".reading:not(:empty)")) marks.replaceChildren();
  }

  function zoom(span) {
    hide();
    zoomed = span;
    for (const panel of panels) panel.draw(span);
    for (const [tools, whole] of ways) {
      if (span) tools.prepend(whole);
      else whole.remove();
    }
  }

  function zoomAndShare(panel, asked) {
    if (!asked && !zoomed) return hide();
    const span = asked?.map((second) => rounded(second, (asked[1] - asked[0]) / 1000)) ?? null;
    zoom(span);
    const section = panel.svg.closest("section").id;
    const query = span ? `?from=${span[0]}&to=${span[1]}` : "";
    history.replaceState(null, "", `#${section}${query}`);
  }

  // The fragment names a section as ever, and the time after it: #over-time?from=10&to=20
  function openFragment() {
    const found = location.hash.match(/^#([\w-]+)\?from=(-?[\d.]+)&to=(-?[\d.]+)$/);
    const span = found?.slice(2).map(Number);
    if (!span || !(span[0] < span[1])) return;
    if (!panels.some(({ first, last }) => span[0] < last && span[1] > first)) return;
    zoom(span);
    document.getElementById(found[1])?.scrollIntoView();
  }

  // So many points on; as long as none is told, to the one at the cursor.
  function step(panel, count) {
    const { seconds } = panel;
    if (!seconds.length) return;
    const at = seconds.indexOf(closest(seconds, cursor ?? seconds[0]));
    moveTo(panel, itemFrom(seconds, at, count));
  }

  // Keeps the cursor where it is; never less than two points, and all of it where that is more.
  function zoomBy(panel, factor) {
    const [from, to] = panel.span;
    const middle = cursor !== null && from <= cursor && cursor <= to ? cursor : (from + to) / 2;
    const span = [
      Math.max(panel.first, middle - (middle - from) * factor),
      Math.min(panel.last, middle + (to - middle) * factor),
    ];
    if (span[1] - span[0] < 2 * (panel.step || panel.error)) return;
    const isAll = span[0] === panel.first && span[1] === panel.last;
    zoomAndShare(panel, isAll ? null : span);
    step(panel, 0);
  }

  const keysOverTime = {
    ArrowRight: (panel) => step(panel, 1),
    ArrowLeft: (panel) => step(panel, -1),
    Enter: (panel) => step(panel, 0),
    PageUp: (panel) => step(panel, 10),
    PageDown: (panel) => step(panel, -10),
    Home: (panel) => step(panel, -Infinity),
    End: (panel) => step(panel, Infinity),
    "+": (panel) => zoomBy(panel, 0.5),
    "-": (panel) => zoomBy(panel, 2),
    Escape: (panel) => zoomAndShare(panel, null),
  };

  function overTime(panel) {
    const { svg } = panel;
    let pressed = null;
    const drag = (event) => pressed !== null && Math.abs(panel.at(event) - pressed) > DRAG_PX;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button || !event.isPrimary) return;
      pressed = panel.at(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointerup", (event) => {
      if (drag(event)) {
        const edges = [pressed, panel.at(event)].sort((one, other) => one - other);
        zoomAndShare(panel, edges.map((x) => panel.shownAt(x)));
      }
      pressed = null;
    });
    svg.addEventListener("pointercancel", () => { pressed = null; hide(); });
    svg.addEventListener("dblclick", () => zoomAndShare(panel, null));
    return (event) => {
      const { seconds } = panel;
      const second = panel.shownAt(panel.at(event));
      if (seconds.length) moveTo(panel, closest(seconds, second), event.clientY);
      if (drag(event)) for (const plot of panel.plots) plot.select(pressed, panel.at(event));
    };
  }

  // ---- Charts whose marks have titles.

  class Marks {
    constructor(svg) {
      this.svg = svg;
      this.known = [...svg.querySelectorAll("g title")].map((title) => title.parentNode);
      this.rings = add(svg, "g", { class: "reading" });
    }

    // Marks that a legend has dimmed are not told.
    get all() { return this.known.filter((mark) => !mark.classList.contains("dimmed")); }

    read(mark) {
      hide();
      this.current = mark;
      const [x, y] = middleOf(mark);
      const matrix = this.rings.getScreenCTM().inverse();
      const centre = new DOMPoint(x, y).matrixTransform(matrix);
      add(this.rings, "circle", { cx: centre.x, cy: centre.y, r: 8 });
      this.svg.setAttribute("aria-valuenow", this.known.indexOf(mark));
      tell(this.svg, [[mark.querySelector("title").textContent]], x, y);
    }

    // The next mark to the right (0) or below (1), or the one before it.
    step(axis, count) {
      const { all } = this;
      if (!all.length) return;
      const places = new Map(all.map((mark) => [mark, middleOf(mark)]));
      all.sort((one, other) => places.get(one)[axis] - places.get(other)[axis]
        || places.get(one)[1 - axis] - places.get(other)[1 - axis]);
      this.read(itemFrom(all, Math.max(0, all.indexOf(this.current)), count));
      this.current.scrollIntoView({ block: "nearest", inline: "nearest" });
    }

    // Of marks that lie on each other, the one that is seen was drawn last.
    near(event) {
      const distance = (mark) => {
        const [x, y, radius] = middleOf(mark);
        return Math.max(0, Math.hypot(x - event.clientX, y - event.clientY) - radius);
      };
      const [best] = this.all.reverse().map((mark) => [distance(mark), mark])
        .sort(([one], [two]) => one - two);
      if (best && best[0] <= NEAR_PX) this.read(best[1]);
      else hide();
    }
  }

  function middleOf(mark) {
    const box = mark.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2, Math.min(box.width, box.height) / 2];
  }

  const keysOfMarks = {
    ArrowRight: (marks) => marks.step(0, 1),
    ArrowLeft: (marks) => marks.step(0, -1),
    ArrowDown: (marks) => marks.step(1, 1),
    ArrowUp: (marks) => marks.step(1, -1),
    Enter: (marks) => marks.step(0, 0),
    Home: (marks) => marks.step(0, -Infinity),
    End: (marks) => marks.step(0, Infinity),
    Escape: hide,
  };

  // ---- What both have in common. To a reader without sight a chart is a slider, whose value is told.

  function listen(chart, point, keys, [least, most]) {
    const { svg } = chart;
    const role = { role: "slider", tabindex: 0, "aria-valuenow": least, "aria-valuemin": least,
      "aria-valuemax": most };
    for (const [each, value] of Object.entries(role)) svg.setAttribute(each, value);
    // Takes all pointers; its empty title keeps the browser from showing one of its own.
    add(add(svg, "rect", { class: "reach", width: "100%", height: "100%" }), "title", {});
    for (const kind of ["pointermove", "pointerdown"]) svg.addEventListener(kind, point);
    svg.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
    svg.addEventListener("blur", hide);
    svg.addEventListener("focus", () => { if (svg.matches(":focus-visible")) keys.Enter(chart); });
    svg.addEventListener("keydown", (event) => {
      const act = event.ctrlKey || event.altKey || event.metaKey ? null : keys[event.key];
      if (!act) return;
      event.preventDefault();
      act(chart);
    });
  }

  for (const panel of panels) listen(panel, overTime(panel), keysOverTime, panel.whole);
  for (const svg of document.querySelectorAll("figure svg:not(.marker, [data-seconds])")) {
    const marks = new Marks(svg);
    const most = marks.known.length - 1;
    if (most >= 0) listen(marks, (event) => marks.near(event), keysOfMarks, [0, most]);
  }

  for (const figure of new Set(panels.map((panel) => panel.svg.closest("figure")))) {
    const hint = document.createElement("p");
    hint.className = "hint";
    hint.textContent = words.reading;
    figure.querySelector("figcaption").after(hint);
    const whole = document.createElement("button");
    Object.assign(whole, { type: "button", textContent: words.whole });
    whole.addEventListener("click", () => zoomAndShare(panels[0], null));
    ways.push([figure.querySelector(".tools"), whole]);
  }

  document.addEventListener("pointerdown", ({ target }) => { if (!target.closest("svg")) hide(); });
  addEventListener("hashchange", openFragment);
  // On paper nothing can be switched back.
  addEventListener("beforeprint", () => { hide(); for (const each of panels) each.draw(null); });
  addEventListener("afterprint", () => zoom(zoomed));
  openFragment();
})();
