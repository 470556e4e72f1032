// Values over time.

import uPlot from '../vendor/uplot.js';
import { h, hideTip, onWidth, say, showTip, style } from '../dom.js';
import { axisUnit, number, quantity, seconds, timeUnit } from '../format.js';
import { legend } from '../card.js';

const DASHES = { dashed: [8, 5], dotted: [2, 4] };
const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);

/** The first index whose time is not below `at`. */
function search(times, at) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * What is drawn of points `from` to before `to`: all of them, or two for each of `most` parts, the least and the greatest value in
 * it, so that no peak is lost.
 */
export function decimate(times, series, from, to, most) {
  const size = Math.ceil((to - from) / most);
  if (size <= 2) {
    return [
      Array.from(times.slice(from, to)),
      ...series.map((values) => Array.from(values.slice(from, to), (value) => (known(value) ? value : null))),
    ];
  }
  const xs = [];
  const columns = series.map(() => []);
  for (let start = from; start < to; start += size) {
    const end = Math.min(to, start + size);
    xs.push(times[start], times[(start + end - 1) >> 1]);
    series.forEach((values, n) => {
      let [low, high] = [null, null];
      for (let at = start; at < end; at++) {
        const value = values[at];
        if (!known(value)) continue;
        if (low === null || value < low) low = value;
        if (high === null || value > high) high = value;
      }
      columns[n].push(low, high);
    });
  }
  return [xs, ...columns];
}

/**
 * A plot over time. `options`: `times` (seconds), `series` (`{name, values, color, dash?, hidden?}`), `unit`, `name` (what the axis
 * shows), `height`, `label` (for who does not see it), `span` (whether lines go on where there is no value).
 */
export function lines(options) {
  const { times, series, unit, name, label } = options;
  const height = options.height ?? 240;
  const hidden = new Set(series.flatMap((one, n) => (one.hidden ? [n] : [])));
  let peak = 0;
  for (const one of series) for (const value of one.values) if (known(value) && Math.abs(value) > peak) peak = Math.abs(value);
  const [step, stepName] = axisUnit(unit, peak);
  const end = times.length ? times[times.length - 1] : 0;
  const [second, secondName] = timeUnit(end);
  let view = [0, times.length];
  let plot = null;
  let at = -1;

  const place = h('div', { class: 'drawing', tabindex: '0', role: 'img', 'aria-label': `${label}. Arrow keys read values.` });
  const whole = h('button', { type: 'button', class: 'plain', hidden: true, onclick: () => zoom(0, times.length) }, 'Whole run');

  function data(width) {
    return decimate(times, series.map((one) => one.values), view[0], view[1], Math.max(200, width));
  }

  function zoom(from, to) {
    view = [Math.max(0, from), Math.min(times.length, to)];
    whole.hidden = view[0] === 0 && view[1] === times.length;
    if (plot) plot.setData(data(plot.width));
  }

  function lines(index) {
    return [
      `${number(times[index] / second, 7)} ${secondName}`,
      ...series.flatMap((one, n) => (hidden.has(n) ? [] : [{
        name: one.name, color: style(one.color), value: quantity(known(one.values[index]) ? one.values[index] : null, unit, 9),
      }])),
    ];
  }

  function show(x) {
    const seen = search(times, x);
    const near = seen > view[0] && (seen >= view[1] || x - times[seen - 1] < times[seen] - x) ? seen - 1 : seen;
    at = Math.max(view[0], Math.min(view[1] - 1, near));
    const box = plot.over.getBoundingClientRect();
    const left = box.left + plot.valToPos(times[at], 'x');
    showTip(left, box.top + 20, lines(at));
  }

  function make(width) {
    const colors = { text: style('--faint'), grid: style('--grid') };
    const axis = { stroke: colors.text, grid: { stroke: colors.grid, width: 1 }, ticks: { stroke: colors.grid, width: 1, size: 5 }, font: '11.5px system-ui, sans-serif', labelFont: '12px system-ui, sans-serif', labelSize: 22 };
    plot?.destroy();
    plot = new uPlot({
      width, height,
      padding: [10, 14, 0, 0],
      legend: { show: false },
      scales: { x: { time: false }, y: { range: (_, low, high) => (high > 0 || low < 0 ? [Math.min(0, low), Math.max(high * 1.06, 1e-12)] : [0, 1]) } },
      axes: [
        { ...axis, label: `simulated time [${secondName}]`, values: (_, all) => all.map((value) => number(value / second, 6)), size: 32 },
        { ...axis, label: `${name} [${stepName || 'count'}]`, values: (_, all) => all.map((value) => number(value / step, 5)), size: 58 },
      ],
      series: [{}, ...series.map((one, n) => ({
        show: !hidden.has(n), stroke: style(one.color), width: 1.75, dash: DASHES[one.dash], spanGaps: Boolean(options.span),
        points: { show: times.length < 60, size: 5 },
      }))],
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
      hooks: {
        setCursor: [(self) => {
          if (self.cursor.left >= 0 && self.cursor.event) show(self.posToVal(self.cursor.left, 'x'));
        }],
        setSelect: [(self) => {
          if (self.select.width < 4) return;
          const from = search(times, self.posToVal(self.select.left, 'x'));
          const to = search(times, self.posToVal(self.select.left + self.select.width, 'x'));
          self.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          if (to - from >= 2) zoom(from, to);
        }],
      },
    }, data(width), place);
    plot.over.addEventListener('mouseleave', hideTip);
    plot.over.addEventListener('dblclick', () => zoom(0, times.length));
  }

  place.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -50, PageDown: 50 }[event.key];
    if (event.key === 'Escape') {
      hideTip();
      zoom(0, times.length);
    }
    if (!step || !plot || !times.length) return;
    event.preventDefault();
    at = Math.max(view[0], Math.min(view[1] - 1, at + step));
    show(times[at]);
    say(lines(at).map((line) => (typeof line === 'string' ? line : `${line.name}: ${line.value}`)).join(', '));
  });
  place.addEventListener('blur', hideTip);
  onWidth(place, make);
  const items = legend(series.map(({ name, color, dash }) => ({ name, color, dash })), (n, shown) => {
    if (shown) hidden.delete(n);
    else hidden.add(n);
    plot?.setSeries(n + 1, { show: shown });
  }, hidden);
  const foot = h('div', { class: 'scale' }, items, whole);
  return h('div', {}, place, foot);
}

