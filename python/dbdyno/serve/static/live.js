"use strict";
// The live page: takes what the server tells, keeps a bounded part of it, and draws that.
// A point is named by trial, attempt, phase and index. However often it is told, it is there once;
// and after a pause the page asks for what comes after the last one that it has.
(() => {
  const POINTS_MAX = 3600;
  const RECENT_S = 300;
  const STALE_S = 5;
  const AGAIN_MS = 1000;
  const DRAW_MS = 250;
  const PHASES_WITHOUT_END_S = 1e6;
  const [TRIAL, STARTED, PHASE, INDEX, START_S, DURATION_S, END_UNIX_S] = [0, 1, 2, 3, 4, 5, 6];
  const [THROUGHPUT, P50, P95, P99, ERRORS] = [7, 8, 9, 10, 11];
  const [FROM, TO, SPAN, COUNT, LOWEST, HIGHEST, LOW_P95, HIGH_P95, FAILED] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8,
  ];
  const words = JSON.parse(document.body.dataset.words);
  const lang = document.documentElement.lang;
  const address = document.querySelector("main").dataset.events;
  const stale = document.getElementById("stale");
  const said = document.getElementById("said");

  const points = new Map();
  let head = null;
  let course = [];
  let marks = [];
  let lastId = "";
  let received = 0;

  const takes = {
    reset() {
      points.clear();
      lastId = "";
    },
    trial(told) {
      head = told;
      course = [];
      marks = [];
      for (const [key, row] of points) {
        // An earlier attempt at the same trial counts no more.
        if (row[TRIAL] === told.trial && row[STARTED] !== told.started_ms) points.delete(key);
      }
    },
    points(rows, id) {
      for (const row of rows) {
        received += 1;
        points.set(row.slice(TRIAL, INDEX + 1).join("."), row);
      }
      lastId = id;
      for (const key of points.keys()) {
        if (points.size <= POINTS_MAX) break;
        points.delete(key);
      }
    },
    course({ from, buckets }) {
      course.length = Math.min(from, course.length);
      course.push(...buckets);
    },
    marks(told) { marks = told; },
    parts(told) {
      for (const [name, html] of Object.entries(told)) {
        document.querySelector(`[data-part="${name}"]`).innerHTML = html;
      }
    },
    alive() {},
  };

  // ---- The connection.

  let source = null;
  let heard = performance.now();
  let isStale = false;

  function connect() {
    const after = lastId ? `?after=${encodeURIComponent(lastId)}` : "";
    source = new EventSource(address + after);
    for (const [name, take] of Object.entries(takes)) {
      source.addEventListener(name, (event) => {
        heard = performance.now();
        take(JSON.parse(event.data), event.lastEventId);
        wantDrawing();
      });
    }
    const own = source;
    source.addEventListener("error", () => {
      // A browser tries again by itself, unless the answer was a refusal.
      if (own.readyState === EventSource.CLOSED && own === source) setTimeout(connect, AGAIN_MS);
    });
  }

  setInterval(() => {
    const silent = Math.floor((performance.now() - heard) / 1000);
    const was = isStale;
    isStale = silent >= STALE_S;
    stale.hidden = !isStale;
    const text = words.stale.replace("{seconds}", silent);
    if (isStale) stale.textContent = text;
    // Said once, and not for each second.
    if (isStale !== was) said.textContent = isStale ? text : words.fresh;
  }, 1000);

  // A browser has six connections to a server: tabs that nobody sees let go of theirs.
  document.addEventListener("visibilitychange", () => {
    source.close();
    if (!document.hidden) {
      heard = performance.now();
      connect();
    }
  });

  // ---- What is drawn.

  const svgOf = (id) => document.querySelector(`#${id} svg.chart`);
  // All times of the page are those of the server's clock, wherever the browser is.
  const zone = Number(document.querySelector("main").dataset.zone);
  const clock = new Intl.DateTimeFormat(lang, {
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: "UTC",
  });
  const clockTime = (unix) => clock.format(new Date((unix + zone) * 1000));

  function seconds(at, isRead) {
    const rounded = isRead ? Math.round(at * 10) / 10 : at;
    return `${Number(rounded.toFixed(2)).toLocaleString(lang)} s`;
  }

  // Where a trial ends, a line has a gap.
  function lineOf(rows, field) {
    const line = [];
    rows.forEach((row, place) => {
      if (place && rows[place - 1][TRIAL] !== row[TRIAL]) line.push([row[END_UNIX_S], null]);
      line.push([row[END_UNIX_S], row[field]]);
    });
    return line;
  }

  function drawRecent() {
    // What only ends in the drain, in a moment of any length, is no rate.
    const all = [...points.values()].filter((row) => row[PHASE] !== "drain");
    if (!all.length) return;
    const to = all.reduce((most, row) => Math.max(most, row[END_UNIX_S]), 0);
    const rows = all.filter((row) => row[END_UNIX_S] >= to - RECENT_S);
    const first = rows.reduce((least, row) => Math.min(least, row[END_UNIX_S] - row[DURATION_S]), to);
    const base = {
      from: Math.min(Math.max(first, to - RECENT_S), to - 5),
      to,
      time: clockTime,
      offset: zone,
      bands: [],
      boundaries: rows
        .filter((row, place) => !place || rows[place - 1][TRIAL] !== row[TRIAL])
        .map((row, place, every) => ({
          at: Math.max(row[END_UNIX_S] - row[DURATION_S], to - RECENT_S),
          text: every.length <= 8 ? `#${row[TRIAL]}` : "",
        })),
      ticks: rows.filter((row) => row[ERRORS] > 0).map((row) => ({
        at: row[END_UNIX_S],
        name: "tick",
        text: words.errors.replace("{count}", Math.round(row[ERRORS] * row[DURATION_S])),
      })),
    };
    drawChart(svgOf("recent-throughput"), {
      ...base, lines: [{ points: lineOf(rows, THROUGHPUT), name: "main", label: "" }],
    });
    const names = [[P99, "p99"], [P95, "p95"], [P50, "p50"]];
    drawChart(svgOf("recent-response"), {
      ...base,
      // One slow second would flatten all others.
      isLogarithmic: true,
      boundaries: base.boundaries.map(({ at }) => ({ at, text: "" })),
      lines: names.map(([field, name]) => ({ points: lineOf(rows, field), name, label: name })),
    });
  }

  const middle = (bucket) => (bucket[FROM] + bucket[TO]) / 2;

  function drawWhole() {
    if (!head) return;
    const ends = [course, ...head.ghosts.map(([, rows]) => rows)].map((rows) => rows.at(-1)?.[TO]);
    const isEndless = head.duration_s > PHASES_WITHOUT_END_S;
    const base = {
      from: Math.min(-head.warmup_s, course[0]?.[FROM] ?? 0),
      to: Math.max(isEndless ? 10 : head.duration_s, ...ends.map((end) => end ?? 0)),
      time: seconds,
      boundaries: head.warmup_s ? [{ at: 0, text: "" }] : [],
      ticks: [
        ...course.filter((bucket) => bucket[FAILED] > 0).map((bucket) => ({
          at: middle(bucket),
          name: "tick",
          text: words.errors.replace("{count}", Math.round(bucket[FAILED])),
        })),
        ...marks.map(([at, text]) => ({ at, name: "event", text })),
      ],
    };
    const mean = (rows) => rows.map((each) => [middle(each), each[COUNT] / each[SPAN]]);
    const ghosts = (of) => head.ghosts.map(([, rows]) => ({ points: of(rows), name: "ghost" }));
    drawChart(svgOf("whole-throughput"), {
      ...base,
      bands: [{
        points: course.map((each) => [middle(each), each[LOWEST], each[HIGHEST]]), name: "band",
      }],
      lines: [...ghosts(mean), { points: mean(course), name: "main", label: "" }],
    });
    drawChart(svgOf("whole-p95"), {
      ...base,
      bands: [{
        points: course.map((each) => [middle(each), each[LOW_P95], each[HIGH_P95]]),
        name: "band",
        label: "",
      }],
      lines: ghosts((rows) => rows.map((each) => [middle(each), each[HIGH_P95]])),
    });
  }

  let isWanted = false;
  function wantDrawing() {
    if (isWanted) return;
    isWanted = true;
    setTimeout(() => requestAnimationFrame(() => {
      isWanted = false;
      drawRecent();
      drawWhole();
    }), DRAW_MS);
  }
  new ResizeObserver(wantDrawing).observe(document.querySelector("main"));

  // What others can see of the page: its points, and how many it has been told.
  window.dbdyno = {
    points: () => [...points.values()],
    course: () => course,
    received: () => received,
    isStale: () => isStale,
    isConnected: () => source.readyState === EventSource.OPEN,
  };
  document.getElementById("script-needed").hidden = true;
  connect();
})();
