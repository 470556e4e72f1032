// What the actors of Portals nodes did when: a lane for each actor of each node, a line for each transfer between nodes.

import { h, hideTip, onWidth, say, showTip, style } from '../dom.js';
import { number, seconds, ticks, timeUnit } from '../format.js';
import { legend } from '../card.js';

/** The kinds of operations by their codes: `[name, actor, colour]`. */
export const KINDS = [
  ['E2E acknowledgement', 'E2E', '--c6'],
  ['Portals acknowledgement', 'TX', '--c5'],
  ['reply to a get', 'TX', '--c2'],
  ['put', 'TX', '--c0'],
  ['get', 'TX', '--c1'],
  ['atomic', 'TX', '--c3'],
  ['fetching atomic', 'TX', '--c7'],
  ['reply to an atomic', 'TX', '--c2'],
  ['payload by PIO', 'main', '--c4'],
  ['payload by DMA', 'TX', '--c4'],
  ['request for DMA', 'TX', '--c6'],
  ['payload write', 'RX', '--c4'],
  ['event', 'RX', '--c2'],
  ['command', 'main', '--c5'],
  ['computation', 'main', '--c3'],
];
export const ACTORS = ['main', 'TX', 'RX', 'E2E'];
const EDGE = { left: 110, right: 14, top: 8, bottom: 40 };
const LANE = 17;
const GAP = 9;
/** Most lines between lanes that are drawn at once. */
const MOST_LINES = 3_000;

/** Whether an operation goes from node to node. */
const travels = (kind) => kind <= 7;

/**
 * A timeline. `operations`: `{kind, from, to, start, end}`, arrays of numbers, times in seconds, in any order; `label`.
 */
export function timeline({ operations, label }) {
  const many = operations.kind.length;
  const nodes = [...new Set([...operations.from, ...operations.to])].sort((a, b) => a - b);
  const lanes = new Map();
  const lane = (node, actor) => lanes.get(node * 4 + ACTORS.indexOf(actor));
  for (const node of nodes) ACTORS.forEach((actor, n) => lanes.set(node * 4 + n, { node, actor, items: [], longest: 0 }));
  let last = 0;
  const order = Array.from({ length: many }, (_, n) => n).sort((a, b) => operations.start[a] - operations.start[b]);
  for (const n of order) {
    const [, actor] = KINDS[operations.kind[n]] ?? ['', 'main'];
    const own = lane(operations.from[n], actor);
    own.items.push(n);
    own.longest = Math.max(own.longest, operations.end[n] - operations.start[n]);
    last = Math.max(last, operations.end[n]);
  }
  // Lanes of which nothing is known take no room.
  let top = EDGE.top;
  const shown = [];
  for (const node of nodes) {
    const own = ACTORS.map((actor) => lane(node, actor)).filter(({ items, actor }) => items.length || (actor !== 'E2E' && actor !== 'main'));
    for (const one of own) {
      one.y = top;
      one.first = one === own[0];
      shown.push(one);
      top += LANE;
    }
    top += GAP;
  }
  const height = top + EDGE.bottom;
  const hidden = new Set();
  let view = [0, last || 1];
  let canvas = null;
  let wide = 0;
  let at = -1;

  const place = h('div', { class: 'drawing', tabindex: '0', role: 'img', 'aria-label': `${label}. Arrow keys move, plus and minus zoom, Home shows everything.` });
  const x = (time) => EDGE.left + ((time - view[0]) / (view[1] - view[0])) * (wide - EDGE.left - EDGE.right);
  const time = (pixel) => view[0] + ((pixel - EDGE.left) / (wide - EDGE.left - EDGE.right)) * (view[1] - view[0]);

  function look(from, to) {
    const least = Math.max(last * 1e-9, 1e-12);
    const width = Math.min(last, Math.max(least, to - from));
    const start = Math.max(0, Math.min(last - width, from));
    view = [start, start + width];
    draw();
  }
  const zoom = (factor, middle = (view[0] + view[1]) / 2) => look(middle - (middle - view[0]) * factor, middle + (view[1] - middle) * factor);

  /** The index in a lane's items of the first that can reach into the view. */
  function first({ items, longest }, from) {
    let [low, high] = [0, items.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (operations.start[items[middle]] < from - longest) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function draw() {
    if (!canvas) return;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const context = canvas.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, wide, height);
    context.font = '11.5px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const faint = style('--faint');
    const text = style('--text');
    const colors = KINDS.map(([, , color]) => style(color));
    for (const one of shown) {
      context.fillStyle = style('--soft');
      context.fillRect(EDGE.left, one.y + 1, wide - EDGE.left - EDGE.right, LANE - 2);
      context.fillStyle = faint;
      context.textAlign = 'right';
      context.fillText(one.actor, EDGE.left - 8, one.y + LANE / 2);
      if (one.first) {
        context.fillStyle = text;
        context.textAlign = 'left';
        context.fillText(`node ${one.node}`, 4, one.y + LANE / 2);
      }
    }
    context.save();
    context.beginPath();
    context.rect(EDGE.left, 0, wide - EDGE.left - EDGE.right, height);
    context.clip();
    let lines = 0;
    for (const one of shown) {
      const done = new Array(KINDS.length).fill(-1);
      for (let n = first(one, view[0]); n < one.items.length; n++) {
        const op = one.items[n];
        if (operations.start[op] > view[1]) break;
        const kind = operations.kind[op];
        if (hidden.has(kind) || operations.end[op] < view[0]) continue;
        const [left, right] = [x(operations.start[op]), Math.max(x(operations.end[op]), x(operations.start[op]) + 1.5)];
        // What lies wholly within a pixel that has this colour already changes nothing.
        if (right <= done[kind]) continue;
        done[kind] = right;
        context.fillStyle = colors[kind];
        context.globalAlpha = travels(kind) ? 0.6 : 0.95;
        context.fillRect(left, one.y + 2, right - left, LANE - 4);
        if (travels(kind) && operations.from[op] !== operations.to[op] && lines < MOST_LINES) {
          const target = lane(operations.to[op], kind === 0 ? 'E2E' : 'RX');
          if (target?.y === undefined) continue;
          lines++;
          context.globalAlpha = 0.55;
          context.strokeStyle = colors[kind];
          context.beginPath();
          context.moveTo(left, one.y + LANE / 2);
          context.lineTo(x(operations.end[op]), target.y + LANE / 2);
          context.stroke();
        }
      }
    }
    context.restore();
    context.globalAlpha = 1;
    const bottom = height - EDGE.bottom;
    const [unit, name] = timeUnit(view[1]);
    context.textAlign = 'center';
    for (const tick of ticks(view[0] / unit, view[1] / unit, wide / 130)) {
      context.fillStyle = style('--line');
      context.fillRect(x(tick * unit), bottom, 1, 5);
      context.fillStyle = faint;
      context.fillText(number(tick, 9), x(tick * unit), bottom + 14);
    }
    context.fillText(`simulated time [${name}]`, (EDGE.left + wide) / 2, bottom + 31);
  }

  function find(px, py) {
    const one = shown.find(({ y }) => py >= y && py < y + LANE);
    if (!one || px < EDGE.left) return -1;
    const when = time(px);
    const near = (time(px + 3) - when);
    let best = -1;
    for (let n = first(one, when - near); n < one.items.length; n++) {
      const op = one.items[n];
      if (operations.start[op] > when + near) break;
      if (hidden.has(operations.kind[op]) || operations.end[op] < when - near) continue;
      // The shortest of those under the pointer: it lies on top.
      if (best < 0 || operations.end[op] - operations.start[op] <= operations.end[best] - operations.start[best]) best = op;
    }
    return best;
  }

  function lines(op) {
    const [from, to] = [operations.from[op], operations.to[op]];
    return [
      KINDS[operations.kind[op]]?.[0] ?? `operation ${operations.kind[op]}`,
      { name: 'node', value: from === to ? String(from) : `${from} to ${to}` },
      { name: 'begins', value: seconds(operations.start[op], 9) },
      { name: 'ends', value: seconds(operations.end[op], 9) },
      { name: 'takes', value: seconds(operations.end[op] - operations.start[op], 6) },
    ];
  }

  onWidth(place, (width) => {
    const ratio = Math.min(2, devicePixelRatio || 1);
    wide = width;
    canvas = h('canvas', { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    let from = null;
    const mark = h('div', { class: 'u-select', hidden: true });
    Object.assign(mark.style, { position: 'absolute', top: '0', height: `${height - EDGE.bottom}px` });
    canvas.addEventListener('mousedown', (event) => { from = event.offsetX; });
    canvas.addEventListener('mousemove', (event) => {
      if (from !== null && Math.abs(event.offsetX - from) > 3) {
        mark.hidden = false;
        mark.style.left = `${Math.min(from, event.offsetX)}px`;
        mark.style.width = `${Math.abs(event.offsetX - from)}px`;
      }
      const op = find(event.offsetX, event.offsetY);
      if (op < 0) hideTip();
      else showTip(event.clientX, event.clientY, lines(op));
    });
    canvas.addEventListener('mouseup', (event) => {
      if (from !== null && Math.abs(event.offsetX - from) > 3) look(time(Math.min(from, event.offsetX)), time(Math.max(from, event.offsetX)));
      from = null;
      mark.hidden = true;
    });
    canvas.addEventListener('mouseleave', () => { from = null; mark.hidden = true; hideTip(); });
    canvas.addEventListener('dblclick', () => look(0, last));
    canvas.addEventListener('wheel', (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY > 0 ? 1.25 : 0.8, time(event.offsetX));
    }, { passive: false });
    place.replaceChildren(canvas, mark);
    draw();
  });
  place.addEventListener('keydown', (event) => {
    const width = view[1] - view[0];
    const act = {
      ArrowLeft: () => look(view[0] - width / 10, view[1] - width / 10), ArrowRight: () => look(view[0] + width / 10, view[1] + width / 10),
      '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1.6), Home: () => look(0, last),
      n: () => step(1), p: () => step(-1),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
    if (event.key.length > 1 || '+-='.includes(event.key)) say(`${seconds(view[0], 6)} to ${seconds(view[1], 6)}`);
  });
  /** Reads the operation that begins next. */
  function step(by) {
    if (!order.length) return;
    at = Math.max(0, Math.min(order.length - 1, at + by));
    say(lines(order[at]).map((line) => (typeof line === 'string' ? line : `${line.name} ${line.value}`)).join(', '));
  }
  const there = KINDS.map((_, n) => n).filter((n) => operations.kind.includes(n));
  return h('div', {},
    h('div', { class: 'tools' },
      h('button', { type: 'button', 'aria-label': 'Closer', onclick: () => zoom(0.5) }, '+'), h('button', { type: 'button', 'aria-label': 'Farther', onclick: () => zoom(2) }, '−'),
      h('button', { type: 'button', onclick: () => look(0, last) }, 'Everything'),
      h('span', { class: 'faint' }, 'Drag to look closer, or turn the wheel with Ctrl held. A line is a transfer, from the lane it leaves to the lane it comes to.')),
    place,
    legend(there.map((n) => ({ name: `${KINDS[n][0]} (${KINDS[n][1]})`, color: KINDS[n][2] })), (n, on) => {
      if (on) hidden.delete(there[n]);
      else hidden.add(there[n]);
      draw();
    }));
}
