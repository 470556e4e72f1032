// How latencies are distributed: which part of the requests took at most how long.

import { h, hideTip, s, say, showTip, style } from '../dom.js';
import { axisUnit, number, quantity, ticks } from '../format.js';
import { drawing, legend } from '../card.js';

const MARKS = [[0.5, 'p50'], [0.9, 'p90'], [0.99, 'p99'], [0.999, 'p99.9']];
const EDGE = { left: 66, right: 22, top: 12, bottom: 42 };

/** Where a part of all stands on an axis of tails: each nine more is as far as the one before. */
const nines = (fraction) => -Math.log10(Math.max(1 - fraction, 1e-9));

/**
 * The distribution functions of several series. `options`: `series` (`{name, color, dash?, requests?, points: [{fraction, latencyUsec}]}`), `tail`
 * (whether the axis of parts shows tails), `logarithmic` (whether that of latencies is), `label`.
 */
export function distribution(options) {
  const { series, tail, logarithmic, label } = options;
  const height = options.height ?? 280;
  const hidden = new Set();
  let redraw = null;

  const place = drawing((place, width) => {
    redraw = () => {
      const shown = series.filter((one, n) => !hidden.has(n) && one.points.length);
      const all = shown.flatMap(({ points }) => points.map(({ latencyUsec }) => latencyUsec));
      const [low, high] = [Math.min(...all), Math.max(...all)];
      const left = logarithmic ? Math.max(low, 1e-6) / 1.05 : Math.max(0, low - (high - low) * 0.05);
      const right = logarithmic ? high * 1.05 : high + Math.max(high - low, high * 1e-3) * 0.05;
      // The last point stands for all: the axis ends a little above the last part before that.
      // Of few requests, parts beyond the last of them tell nothing, but for those that have a mark.
      const known = (one) => Math.max(...one.points.filter(({ fraction }) => fraction < 1).map(({ fraction }) => nines(fraction)), 2);
      const last = Math.max(...shown.map((one) => Math.min(known(one), Math.max(3, Math.log10(one.requests ?? Infinity)))), 2);
      const top = tail ? last + 0.3 : 1;
      const scale = (value) => (logarithmic ? Math.log(value) : value);
      const x = (usec) => EDGE.left + ((scale(Math.max(usec, left)) - scale(left)) / (scale(right) - scale(left))) * (width - EDGE.left - EDGE.right);
      const y = (fraction) => EDGE.top + (1 - Math.min(1, (tail ? nines(fraction) : fraction) / top)) * (height - EDGE.top - EDGE.bottom);
      const [step, stepName] = axisUnit('us', right);
      const marks = logarithmic ? decades(left / step, right / step).map((one) => one * step) : ticks(left / step, right / step, width / 110).map((one) => one * step);
      const parts = tail ? [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999].filter((part) => nines(part) <= top) : [0, 0.25, 0.5, 0.75, 1];
      const bottom = height - EDGE.bottom;
      const svg = s('svg', { width, height, role: 'img', 'aria-label': label, tabindex: '0' },
        parts.map((part) => [
          s('line', { class: 'axis', x1: EDGE.left, x2: width - EDGE.right, y1: y(part), y2: y(part) }),
          s('text', { x: EDGE.left - 8, y: y(part) + 4, 'text-anchor': 'end' }, `${Number((part * 100).toPrecision(7))}`),
        ]),
        marks.map((mark) => [
          s('line', { class: 'axis', x1: x(mark), x2: x(mark), y1: EDGE.top, y2: bottom }),
          s('text', { x: x(mark), y: bottom + 16, 'text-anchor': 'middle' }, number(mark / step, 5)),
        ]),
        s('text', { x: (EDGE.left + width - EDGE.right) / 2, y: height - 6, 'text-anchor': 'middle' }, `latency [${stepName}]`),
        s('text', { x: 14, y: (EDGE.top + bottom) / 2, 'text-anchor': 'middle', transform: `rotate(-90 14 ${(EDGE.top + bottom) / 2})` }, 'requests done [%]'));
      for (const one of shown) {
        // Steps: the part holds until the next latency is reached.
        let path = `M${x(left)},${y(0)}`;
        for (const { fraction, latencyUsec } of one.points) path += `H${x(latencyUsec).toFixed(2)}V${y(fraction).toFixed(2)}`;
        const line = s('path', { d: `${path}H${width - EDGE.right}`, fill: 'none', 'stroke-width': 2, 'data-series': one.name, 'stroke-dasharray': { dashed: '8 5', dotted: '2 4' }[one.dash] });
        line.style.stroke = `var(${one.color})`;
        svg.append(line);
        for (const [part, name] of MARKS) {
          const found = one.points.find(({ fraction }) => fraction >= part - 1e-12);
          if (!found) continue;
          const dot = s('circle', { cx: x(found.latencyUsec), cy: y(part), r: 4, 'data-mark': name, 'data-value': found.latencyUsec });
          dot.style.fill = `var(${one.color})`;
          svg.append(dot);
        }
      }
      const cross = s('line', { class: 'axis', y1: EDGE.top, y2: bottom, visibility: 'hidden' });
      cross.style.stroke = 'var(--faint)';
      svg.append(cross);
      const read = (part) => [
        `${Number((part * 100).toPrecision(7))} % took at most`,
        ...shown.map((one) => ({
          name: one.name, color: style(one.color),
          value: quantity(one.points.find(({ fraction }) => fraction >= part - 1e-12)?.latencyUsec, 'us', 9),
        })),
      ];
      svg.addEventListener('mousemove', (event) => {
        const box = svg.getBoundingClientRect();
        const up = (1 - (event.clientY - box.top - EDGE.top) / (bottom - EDGE.top)) * top;
        const part = Math.min(1, Math.max(0, tail ? 1 - 10 ** -up : up));
        const fractions = shown[0]?.points.map(({ fraction }) => fraction) ?? [];
        const near = fractions.find((fraction) => fraction >= part - 1e-12) ?? 1;
        cross.setAttribute('visibility', 'visible');
        cross.setAttribute('y1', y(near));
        cross.setAttribute('y2', y(near));
        cross.setAttribute('x1', EDGE.left);
        cross.setAttribute('x2', width - EDGE.right);
        showTip(event.clientX, event.clientY, read(near));
      });
      svg.addEventListener('mouseleave', () => {
        cross.setAttribute('visibility', 'hidden');
        hideTip();
      });
      let at = -1;
      svg.addEventListener('keydown', (event) => {
        const step = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
        const fractions = shown[0]?.points.map(({ fraction }) => fraction) ?? [];
        if (!step || !fractions.length) return;
        event.preventDefault();
        at = Math.max(0, Math.min(fractions.length - 1, at + step));
        const box = svg.getBoundingClientRect();
        showTip(box.left + width / 2, box.top + y(fractions[at]), read(fractions[at]));
        say(read(fractions[at]).map((line) => (typeof line === 'string' ? line : `${line.name}: ${line.value}`)).join(', '));
      });
      svg.addEventListener('blur', hideTip);
      place.replaceChildren(svg);
    };
    redraw();
  });
  return h('div', {}, place, legend(series.map(({ name, color, dash }) => ({ name, color, dash })), (n, shown) => {
    if (shown) hidden.delete(n);
    else if (hidden.size < series.length - 1) hidden.add(n);
    redraw?.();
  }));
}

function decades(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
    for (const one of high / low > 200 ? [1] : [1, 2, 5]) {
      const mark = one * 10 ** power;
      if (mark >= low && mark <= high) found.push(Number(mark.toPrecision(6)));
    }
  }
  return found.length > 1 ? found : ticks(low, high, 5);
}
