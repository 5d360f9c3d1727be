"use strict";
// Draws a chart over time into an SVG: bands, lines, ticks below, and a cursor that reads values.
// The axis begins at zero, unless a chart asks for a logarithmic one; where a value is missing, a
// line has a gap.
const drawChart = (() => {
  const LEFT = 52;
  const RIGHT = 8;
  const TOP = 8;
  const BOTTOM = 30;
  const LANE = 7;
  const lang = document.documentElement.lang;

  function add(parent, name, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [each, value] of Object.entries(attributes)) made.setAttribute(each, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  function niceStep(range, most) {
    const rough = range / most;
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough);
  }

  // Steps of a clock, of which a reader can count.
  function timeStep(range, most) {
    const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600];
    const fitting = steps.find((step) => range / step <= most);
    return range < 2 ? niceStep(range, most) : fitting ?? niceStep(range, most);
  }

  const written = (value) => value.toLocaleString(lang, { maximumSignificantDigits: 4 });

  function path(points, x, y) {
    let text = "";
    let isDown = false;
    for (const [at, value] of points) {
      if (value === null) { isDown = false; continue; }
      text += `${isDown ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`;
      // A single point is a dash.
      if (!isDown) text += "h.1";
      isDown = true;
    }
    return text;
  }

  function bandPath(points, x, y) {
    const parts = [[]];
    for (const point of points) {
      if (point[1] === null) parts.push([]);
      else parts.at(-1).push(point);
    }
    return parts.filter((part) => part.length).map((part) => {
      const upper = part.map(([at, , high]) => `${x(at).toFixed(1)} ${y(high).toFixed(1)}`);
      const lower = part.map(([at, low]) => `${x(at).toFixed(1)} ${y(low).toFixed(1)}`).reverse();
      return `M${[...upper, ...lower].join("L")}Z`;
    }).join("");
  }

  // The ends of the axis of values, and where its lines stand.
  function scaleOf(spec) {
    let [least, most] = [Infinity, 0];
    for (const { points } of [...spec.lines, ...spec.bands]) {
      for (const [at, ...values] of points) {
        if (at < spec.from || at > spec.to) continue;
        for (const value of values) {
          if (value > 0) [least, most] = [Math.min(least, value), Math.max(most, value)];
        }
      }
    }
    most ||= 1;
    if (spec.isLogarithmic) return logarithmic(Math.min(least, most), most);
    const step = niceStep(most * 1.05, 4);
    const steps = Math.floor(most * 1.05 / step * 1.0001);
    return {
      ticks: Array.from({ length: steps + 1 }, (_, place) => place * step),
      share: (value) => value / (most * 1.05),
    };
  }

  function logarithmic(least, most) {
    const low = Math.floor(Math.log10(least));
    const high = Math.max(Math.ceil(Math.log10(most * 1.01)), low + 1);
    const factors = high - low > 2 ? [1] : [1, 2, 5];
    const ticks = [];
    for (let power = low; power <= high; power += 1) {
      ticks.push(...factors.map((factor) => factor * 10 ** power));
    }
    return {
      ticks: ticks.filter((tick) => tick <= 10 ** high),
      share: (value) => (Math.log10(Math.max(value, 10 ** low)) - low) / (high - low),
    };
  }

  function axes(svg, spec, plot, x, y) {
    add(svg, "path", { class: "axis", d: `M${LEFT} ${plot.bottom}H${plot.right}` });
    for (const value of plot.scale.ticks) {
      add(svg, "path", { class: "grid", d: `M${LEFT} ${y(value)}H${plot.right}` });
      add(svg, "text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, written(value));
    }
    const between = timeStep(spec.to - spec.from, Math.max(2, Math.min(6, plot.right / 110)));
    const offset = spec.offset ?? 0;
    let tick = Math.ceil((spec.from + offset) / between) * between - offset;
    for (; tick <= spec.to; tick += between) {
      const anchor = x(tick) > plot.right - 24 ? "end" : "middle";
      add(svg, "path", { class: "axis", d: `M${x(tick)} ${plot.bottom}v4` });
      const at = { x: x(tick), y: plot.bottom + LANE + 13, "text-anchor": anchor };
      add(svg, "text", at, spec.time(tick));
    }
  }

  function draw(svg, spec) {
    const width = svg.clientWidth;
    const height = svg.clientHeight;
    if (!width || !height) return;
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const plot = { right: width - RIGHT, bottom: height - BOTTOM, scale: scaleOf(spec) };
    const x = (at) => LEFT + (at - spec.from) / (spec.to - spec.from) * (plot.right - LEFT);
    const y = (value) => plot.bottom - plot.scale.share(value) * (plot.bottom - TOP);
    axes(svg, spec, plot, x, y);
    for (const { at, text } of spec.boundaries) {
      add(svg, "path", { class: "boundary", d: `M${x(at)} ${TOP}V${plot.bottom}` });
      if (text) add(svg, "text", { x: x(at) + 3, y: TOP + 9 }, text);
    }
    for (const { points, name } of spec.bands) {
      add(svg, "path", { class: name, d: bandPath(points, x, y) });
    }
    for (const { points, name } of spec.lines) {
      add(svg, "path", { class: name, d: path(points, x, y) });
    }
    for (const { at, name, text } of spec.ticks) {
      if (at < spec.from || at > spec.to) continue;
      // Errors are lines, events are triangles: not only their colours differ.
      const shape = name === "event" ? `l4 ${LANE}h-8z` : `v${LANE}`;
      const made = add(svg, "path", { class: name, d: `M${x(at)} ${plot.bottom + 1}${shape}` });
      add(made, "title", {}, text);
    }
    svg.reading = { spec, x, plot };
    tell(svg);
  }

  // The value nearest to the cursor, of each line and band that has a name.
  function tell(svg) {
    svg.querySelector(".cursor")?.remove();
    const output = svg.closest("figure").querySelector("output");
    const { spec, x, plot } = svg.reading ?? {};
    if (!spec || svg.cursorAt === undefined) { output.textContent = ""; return; }
    const near = (points) => points.reduce((best, each) => (
      Math.abs(each[0] - svg.cursorAt) < Math.abs(best[0] - svg.cursorAt) ? each : best
    ), points[0]);
    const told = [...spec.bands, ...spec.lines].filter((each) => each.label !== undefined
      && each.points.length);
    if (!told.length) { output.textContent = ""; return; }
    const at = near(told[0].points)[0];
    add(svg, "path", { class: "cursor", d: `M${x(at)} ${TOP}V${plot.bottom}` });
    output.textContent = [spec.time(at, true), ...told.map(({ points, label }) => {
      const [, low, high] = near(points);
      const value = low === null ? "–"
        : high === undefined || high === low ? written(low) : `${written(low)} … ${written(high)}`;
      return label ? `${label} ${value}` : value;
    })].join("  ");
  }

  function listen(svg) {
    const { spec } = svg.reading ?? {};
    if (svg.listens || !spec) return;
    svg.listens = true;
    const move = (event) => {
      const { spec: now, plot } = svg.reading;
      const box = svg.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / (plot.right - LEFT);
      svg.cursorAt = now.from + Math.max(0, Math.min(1, share)) * (now.to - now.from);
      tell(svg);
    };
    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    const leave = () => { svg.cursorAt = undefined; tell(svg); };
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    svg.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") leave();
      if (!by) return;
      event.preventDefault();
      const { spec: now } = svg.reading;
      const step = (now.to - now.from) / 60;
      const at = svg.cursorAt ?? (by > 0 ? now.from : now.to);
      svg.cursorAt = Math.max(now.from, Math.min(now.to, at + by * step));
      tell(svg);
    });
  }

  return (svg, spec) => { draw(svg, spec); listen(svg); };
})();
