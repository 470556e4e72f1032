// Ports over time as a heat map: a band for each tier and direction, a line for each port, brighter where there is more.

import { h, hideTip, showTip, style } from '../dom.js';
import { number, quantity, seconds, ticks, timeUnit } from '../format.js';
import { drawing } from '../card.js';
import { color, ramp } from './colors.js';

const EDGE = { left: 96, right: 14, bottom: 40, gap: 8 };
/** A colour as canvases keep it: the bytes red, green, blue and opacity, in this machine's order. */
const pixel = ([red, green, blue]) => new Uint32Array(Uint8ClampedArray.of(red, green, blue, 255).buffer)[0];
/** The colours of parts from 0 to 1. */
const SHADES = Uint32Array.from({ length: 1_024 }, (_, n) => pixel(color(n / 1_023)));
const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);

/** What a row is called. */
export function portName(row) {
  const name = `${row.component}${row.port === undefined ? '' : ` port ${row.port}`}${row.class === undefined ? '' : ` class ${row.class}`}`;
  if (!(row.merged > 1)) return name;
  return `${name} to ${row.lastComponent ?? row.component}${row.lastPort === undefined ? '' : ` port ${row.lastPort}`} (${row.merged} ports)`;
}

/**
 * A heat map. `options`: `data` (`{timesSec, rows, values, unit}` as the server computes it), `most` (what the brightest colour stands
 * for; the greatest value if left out), `label`, `open` (called with a row that was chosen).
 */
export function heat(options) {
  const { data, label } = options;
  const times = data.timesSec;
  let greatest = 0;
  for (const line of data.values) for (const value of line) if (known(value) && value > greatest) greatest = value;
  const most = options.most ?? (greatest || 1);

  const bands = [];
  data.rows.forEach((row, n) => {
    const name = `${row.tier ?? ''} ${row.direction ?? ''}`.trim();
    if (bands.at(-1)?.name !== name) bands.push({ name, rows: [] });
    bands.at(-1).rows.push(n);
  });
  // All bands share 360 pixels by how many ports they have; none is so small that nobody could point at it.
  const all = data.rows.length;
  for (const band of bands) band.height = Math.round(Math.max(26, Math.min(band.rows.length * 10, (360 * band.rows.length) / all)));
  let top = 6;
  for (const band of bands) {
    band.top = top;
    top += band.height + EDGE.gap;
  }
  const height = top + EDGE.bottom - EDGE.gap;

  const place = drawing((place, width) => {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const canvas = h('canvas', { class: 'heat', width: Math.round(width * ratio), height: Math.round(height * ratio), role: 'img', 'aria-label': label });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = false;
    context.font = '11.5px system-ui, sans-serif';
    context.textBaseline = 'middle';
    const inner = width - EDGE.left - EDGE.right;
    const none = pixel(hex(style('--none')));
    for (const band of bands) {
      const lines = Math.min(band.rows.length, Math.round(band.height * ratio));
      const columns = Math.min(times.length, Math.round(inner * ratio));
      const image = new ImageData(Math.max(1, columns), Math.max(1, lines));
      // Where there are more ports or times than pixels, a pixel shows the greatest value of those it stands for.
      const values = new Float64Array(columns * lines).fill(-1);
      band.rows.forEach((row, n) => {
        const line = Math.floor((n * lines) / band.rows.length);
        data.values[row].forEach((value, t) => {
          if (!known(value)) return;
          const cell = line * columns + Math.floor((t * columns) / times.length);
          if (value > values[cell]) values[cell] = value;
        });
      });
      const pixels = new Uint32Array(image.data.buffer);
      for (let n = 0; n < pixels.length; n++) pixels[n] = values[n] < 0 ? none : SHADES[Math.round(Math.min(1, values[n] / most) * (SHADES.length - 1))];
      const small = new OffscreenCanvas(image.width, image.height);
      small.getContext('2d').putImageData(image, 0, 0);
      context.drawImage(small, EDGE.left, band.top, inner, band.height);
      context.fillStyle = style('--faint');
      context.textAlign = 'right';
      context.fillText(band.name, EDGE.left - 8, band.top + band.height / 2 - (band.height > 40 ? 7 : 0));
      if (band.height > 40) context.fillText(`${total(data.rows, band.rows)} ports`, EDGE.left - 8, band.top + band.height / 2 + 8);
    }
    const step = times.length > 1 ? times[1] - times[0] : times[0];
    const start = times[0] - step;
    const end = times.at(-1);
    const [second, secondName] = timeUnit(end);
    context.textAlign = 'center';
    const bottom = height - EDGE.bottom + 2;
    for (const tick of ticks(start / second, end / second, width / 110)) {
      const x = EDGE.left + ((tick * second - start) / (end - start)) * inner;
      context.fillStyle = style('--line');
      context.fillRect(x, bottom, 1, 5);
      context.fillStyle = style('--faint');
      context.fillText(number(tick, 6), x, bottom + 13);
    }
    context.fillText(`simulated time [${secondName}]`, EDGE.left + inner / 2, bottom + 30);

    const find = (event) => {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const band = bands.find((band) => y >= band.top && y < band.top + band.height);
      const column = Math.floor(((x - EDGE.left) / inner) * times.length);
      if (!band || column < 0 || column >= times.length) return null;
      const n = Math.floor(((y - band.top) / band.height) * band.rows.length);
      const row = band.rows[Math.min(band.rows.length - 1, n)];
      return { row: data.rows[row], band, value: data.values[row][column], at: times[column] };
    };
    canvas.addEventListener('mousemove', (event) => {
      const found = find(event);
      canvas.style.cursor = found && options.open ? 'pointer' : 'default';
      if (!found) return hideTip();
      showTip(event.clientX, event.clientY, [
        portName(found.row), { name: `${found.band.name}, up to ${seconds(found.at, 6)}`, value: known(found.value) ? quantity(found.value, data.unit, 9) : 'no report' },
      ]);
    });
    canvas.addEventListener('mouseleave', hideTip);
    canvas.addEventListener('click', (event) => {
      const found = find(event);
      if (found && options.open) {
        hideTip();
        options.open(found.row);
      }
    });
    place.replaceChildren(canvas);
  });
  return h('div', {}, place, h('div', { class: 'scale' }, quantity(0, data.unit), ramp(), quantity(most, data.unit),
    h('span', {}, cell(data))));
}

/** What a cell stands for. */
function cell({ mergedTimes, rows }) {
  const ports = rows.reduce((most, { merged }) => Math.max(most, merged ?? 1), 1);
  const reports = mergedTimes > 1 ? `${mergedTimes} reports of ` : '';
  if (ports > 1) return `A cell is the greatest of ${reports}up to ${ports} ports that are neighbours.`;
  return mergedTimes > 1 ? `A cell is the greatest of ${mergedTimes} reports of a port.` : 'A cell is a report of a port.';
}

function total(rows, band) {
  return band.reduce((sum, n) => sum + (rows[n].merged ?? 1), 0);
}

function hex(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
}
