"use strict";
(() => {
  const root = document.documentElement;
  const make = (tag, text) => {
    const element = document.createElement(tag);
    if (text) element.textContent = text;
    return element;
  };
  const listeners = [];

  /* Theme: the system's, until the button says otherwise. */
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = document.getElementById("theme");
  const isDark = () => (root.style.colorScheme ? root.style.colorScheme === "dark" : dark.matches);
  const label = () => {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", `Switch to ${isDark() ? "light" : "dark"} colours`);
  };
  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.style.colorScheme = isDark() ? "light" : "dark";
    label();
    listeners.forEach((redraw) => redraw());
  });
  dark.addEventListener("change", () => {
    label();
    listeners.forEach((redraw) => redraw());
  });
  label();

  /* Tables: headings of numbers become buttons that sort. */
  for (const heading of document.querySelectorAll("th[data-sort]")) {
    const button = make("button", heading.textContent);
    button.type = "button";
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const body = heading.closest("table").tBodies[0];
      const column = heading.cellIndex;
      const down = heading.getAttribute("aria-sort") !== "descending";
      for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => Number(row.cells[column].dataset.order || 0);
      const rows = [...body.rows].sort((a, b) => (down ? value(b) - value(a) : value(a) - value(b)));
      body.append(...rows);
    });
  }

  /* Functions: a field that filters them, and one button for all folds. */
  const functions = [...document.querySelectorAll("section.function")];
  const why = document.getElementById("why");
  if (why && functions.length > 1) {
    const tools = make("div");
    tools.className = "tools";
    const field = make("input");
    field.type = "search";
    field.placeholder = "Filter functions, files, causes";
    field.setAttribute("aria-label", "Filter functions, files, causes");
    const toggle = make("button", "Open all");
    toggle.type = "button";
    const count = make("span");
    count.className = "muted";
    count.setAttribute("role", "status");
    tools.append(field, toggle, count);
    why.querySelector("h2").after(tools);
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const section of functions) {
        const text = section.textContent.toLowerCase();
        section.hidden = !words.every((word) => text.includes(word));
        shown += section.hidden ? 0 : 1;
      }
      count.textContent = words.length ? `${shown} of ${functions.length} functions` : "";
    });
    toggle.addEventListener("click", () => {
      const open = toggle.textContent === "Open all";
      for (const section of functions) section.querySelector("details").open = open;
      toggle.textContent = open ? "Close all" : "Open all";
    });
  }

  /* A link to a function opens it. */
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.querySelector("details");
    if (fold && target.classList.contains("function")) {
      fold.open = true;
      fold.querySelector("summary").focus({ preventScroll: true });
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  /* Timeline: one canvas a thread; every span can be reached by keyboard and is read out below. */
  const box = document.querySelector(".timeline");
  if (!box) return;
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const kinds = { t: "trace", l: "lower", c: "compile", d: "dispatch" };
  const words = { t: "trace", l: "lowering", c: "compile", d: "dispatch" };
  const ROW = 18;
  const AXIS = 20;
  const readout = box.querySelector(".readout");
  let from = Infinity;
  let to = -Infinity;
  for (const lane of data.lanes) {
    const ends = [];
    lane.spans = lane.spans.map(([kind, name, start, took, avoidable]) => {
      const end = start + took;
      while (ends.length && ends[ends.length - 1] <= start + 1e-9) ends.pop();
      const depth = ends.length;
      ends.push(end);
      from = Math.min(from, start);
      to = Math.max(to, end);
      return { kind, name: data.labels[name], start, took, end, avoidable, depth: Math.min(depth, 7) };
    });
    lane.depth = 1 + Math.max(0, ...lane.spans.map((span) => span.depth));
    lane.chosen = -1;
  }
  if (!(to > from)) return;
  const whole = { from, to };
  const view = { from, to };
  const seconds = (value) => {
    if (value >= 1) return `${value.toFixed(2)} s`;
    if (value >= 1e-3) return `${(value * 1e3).toFixed(1)} ms`;
    return `${(value * 1e6).toFixed(1)} µs`;
  };
  const step = (span) => {
    const power = 10 ** Math.floor(Math.log10(span / 6));
    return [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= 8);
  };

  const draw = (lane) => {
    const canvas = lane.canvas;
    const width = canvas.clientWidth;
    const height = lane.depth * ROW + AXIS + 8;
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(box);
    const probe = (name) => {
      box.style.outlineColor = `var(--${name})`;
      const colour = getComputedStyle(box).outlineColor;
      box.style.outlineColor = "";
      return colour;
    };
    const colours = {};
    for (const name of ["trace", "lower", "compile", "dispatch", "bad", "ink", "soft", "line", "panel"]) colours[name] = probe(name);
    const x = (time) => ((time - view.from) / (view.to - view.from)) * width;
    pen.font = `11px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    const size = step(view.to - view.from);
    pen.fillStyle = colours.soft;
    pen.strokeStyle = colours.line;
    for (let tick = Math.ceil(view.from / size) * size; tick <= view.to; tick += size) {
      const at = Math.round(x(tick)) + 0.5;
      pen.beginPath();
      pen.moveTo(at, 0);
      pen.lineTo(at, height - AXIS);
      pen.stroke();
      const text = `${Number(tick.toPrecision(6))} s`;
      const room = pen.measureText(text).width;
      pen.fillText(text, Math.min(Math.max(at - room / 2, 2), width - room - 2), height - AXIS / 2);
    }
    lane.spans.forEach((span, index) => {
      const left = x(span.start);
      const wide = Math.max(x(span.end) - left, 1.5);
      if (left > width || left + wide < 0) return;
      const top = 4 + span.depth * ROW;
      pen.fillStyle = colours[kinds[span.kind]];
      pen.fillRect(left, top, wide, ROW - 4);
      if (span.avoidable) {
        pen.fillStyle = colours.bad;
        pen.fillRect(left, top + ROW - 6, wide, 3);
      }
      if (wide > 40) {
        pen.save();
        pen.beginPath();
        pen.rect(left, top, wide - 4, ROW - 4);
        pen.clip();
        pen.fillStyle = colours.panel;
        pen.fillText(span.name, Math.max(left, 0) + 4, top + (ROW - 4) / 2 - (span.avoidable ? 1 : 0));
        pen.restore();
      }
      if (index === lane.chosen) {
        pen.strokeStyle = colours.ink;
        pen.lineWidth = 2;
        pen.strokeRect(left - 1, top - 1, wide + 2, ROW - 2);
        pen.lineWidth = 1;
      }
    });
  };
  const drawAll = () => data.lanes.forEach(draw);

  const tell = (lane, span) => {
    const part = span.avoidable ? ", avoidable" : "";
    readout.textContent = `${span.name}: ${words[span.kind]} of ${seconds(span.took)}${part}, at ${span.start.toFixed(3)} s, ${lane.label}`;
  };
  const choose = (lane, index) => {
    if (!lane.spans.length) return;
    for (const other of data.lanes) if (other !== lane) other.chosen = -1;
    lane.chosen = Math.min(Math.max(index, 0), lane.spans.length - 1);
    const span = lane.spans[lane.chosen];
    const wide = view.to - view.from;
    if (span.end < view.from || span.start > view.to) move(span.start + span.took / 2 - wide / 2, wide);
    tell(lane, span);
    drawAll();
  };
  const move = (start, wide) => {
    wide = Math.min(Math.max(wide, 1e-6), whole.to - whole.from);
    view.from = Math.min(Math.max(start, whole.from), whole.to - wide);
    view.to = view.from + wide;
  };
  const zoom = (factor, around) => {
    const wide = view.to - view.from;
    move(around - ((around - view.from) / wide) * wide * factor, wide * factor);
    drawAll();
  };
  const centre = (lane) => {
    const span = lane && lane.spans[lane.chosen];
    return span ? span.start + span.took / 2 : (view.from + view.to) / 2;
  };
  const hit = (lane, event) => {
    const bounds = lane.canvas.getBoundingClientRect();
    const time = view.from + ((event.clientX - bounds.left) / bounds.width) * (view.to - view.from);
    const depth = Math.floor((event.clientY - bounds.top - 4) / ROW);
    const slack = (2 / bounds.width) * (view.to - view.from);
    return lane.spans.findLastIndex((span) => span.depth === depth && time >= span.start - slack && time <= span.end + slack);
  };

  const lanes = box.querySelector(".lanes");
  data.lanes.forEach((lane, number) => {
    const part = make("div");
    part.className = "lane";
    const folded = lane.folded ? `, ${lane.folded.toLocaleString("en")} cheaper ones folded` : "";
    const title = `${lane.label}: ${lane.spans.length.toLocaleString("en")} spans${folded}`;
    const canvas = make("canvas");
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `Timeline of ${title}. Left and right arrows choose a span, plus and minus zoom.`);
    part.append(make("h3", title), canvas);
    lanes.append(part);
    lane.canvas = canvas;
    canvas.addEventListener("mousemove", (event) => {
      const index = hit(lane, event);
      canvas.style.cursor = index < 0 ? "default" : "pointer";
      if (index >= 0) tell(lane, lane.spans[index]);
    });
    canvas.addEventListener("click", (event) => {
      const index = hit(lane, event);
      if (index >= 0) choose(lane, index);
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const bounds = canvas.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, view.from + ((event.clientX - bounds.left) / bounds.width) * (view.to - view.from));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const wide = view.to - view.from;
      const actions = {
        ArrowRight: () => choose(lane, lane.chosen + 1),
        ArrowLeft: () => choose(lane, lane.chosen - 1),
        Home: () => choose(lane, 0),
        End: () => choose(lane, lane.spans.length - 1),
        ArrowDown: () => data.lanes[number + 1] && data.lanes[number + 1].canvas.focus(),
        ArrowUp: () => data.lanes[number - 1] && data.lanes[number - 1].canvas.focus(),
        "+": () => zoom(0.5, centre(lane)),
        "=": () => zoom(0.5, centre(lane)),
        "-": () => zoom(2, centre(lane)),
        0: () => zoom(1e9, centre(lane)),
        PageDown: () => { move(view.from + wide * 0.8, wide); drawAll(); },
        PageUp: () => { move(view.from - wide * 0.8, wide); drawAll(); },
      };
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
  });
  for (const button of box.querySelectorAll("[data-zoom]")) {
    button.addEventListener("click", () => {
      const lane = data.lanes.find((candidate) => candidate.chosen >= 0);
      zoom({ in: 0.5, out: 2, all: 1e9 }[button.dataset.zoom], centre(lane));
    });
  }
  box.hidden = false;
  document.querySelector(".no-script").hidden = true;
  listeners.push(drawAll);
  new ResizeObserver(drawAll).observe(lanes);
  drawAll();
})();
