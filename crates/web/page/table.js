// Tables. Only the rows that are seen are on the page, so that a table of a million rows scrolls as one of ten does.

import { h } from './dom.js';
import { natural } from './format.js';

const HEIGHT = 30;
const AROUND = 12;

/**
 * A table that can be sorted by its columns.
 * A column: `{name, unit?, value: row => text or number, show?: row => text or node, right?, title?}`.
 * `options`: `rows`, `columns`, `sort` (index of a column), `down` (largest first), `label`, `find` (whether there is a field to search in),
 * `empty` (what is said when there are no rows), `height` (in pixels, the most).
 */
export function table(options) {
  const { columns } = options;
  let sort = options.sort ?? -1;
  let down = options.down ?? false;
  let wanted = '';
  let rows = options.rows;
  let shown = [];

  const body = h('tbody');
  const headings = columns.map((column, n) => h('th', { class: column.right && 'right', scope: 'col', title: column.title },
    h('button', { type: 'button', onclick: () => order(n) }, column.name + (column.unit ? ` [${column.unit}]` : ''), h('span', { 'aria-hidden': 'true' }))));
  const grid = h('table', { 'aria-label': options.label }, h('thead', {}, h('tr', {}, headings)), body);
  const box = h('div', { class: 'rows', tabindex: '0', role: 'region', 'aria-label': options.label }, grid);
  if (options.height) box.style.maxHeight = `${options.height}px`;
  const many = h('span', { class: 'faint', role: 'status' });
  const find = options.find && h('input', {
    type: 'search', placeholder: options.find, 'aria-label': options.find,
    oninput: () => { wanted = find.value.toLowerCase(); arrange(); },
  });
  const tools = h('div', { class: 'tools' }, find, options.tools, many);

  function order(n) {
    if (sort === n) down = !down;
    else {
      sort = n;
      down = Boolean(columns[n].right);
    }
    arrange();
    headings[n].querySelector('button').focus();
  }

  function arrange() {
    shown = wanted
      ? rows.filter((row) => columns.some((column) => String(column.value(row) ?? '').toLowerCase().includes(wanted)))
      : [...rows];
    if (sort >= 0) {
      const { value } = columns[sort];
      const sign = down ? -1 : 1;
      // What is not known comes last in both directions.
      const compare = (a, b) => {
        if (a.key === null || a.key === undefined || b.key === null || b.key === undefined) return (a.key ?? null) === null ? ((b.key ?? null) === null ? 0 : 1) : -1;
        return sign * (typeof a.key === 'number' && typeof b.key === 'number' ? a.key - b.key : natural(String(a.key), String(b.key)));
      };
      shown = shown.map((row) => ({ row, key: value(row) })).sort(compare).map(({ row }) => row);
    }
    headings.forEach((heading, n) => {
      heading.setAttribute('aria-sort', n === sort ? (down ? 'descending' : 'ascending') : 'none');
      heading.querySelector('span').textContent = n === sort ? (down ? ' ▼' : ' ▲') : '';
    });
    const told = `${rows.length.toLocaleString('en-US')} ${rows.length === 1 ? 'row' : 'rows'}`;
    many.textContent = shown.length === rows.length ? told : `${shown.length.toLocaleString('en-US')} of ${told}`;
    box.scrollTop = 0;
    draw(true);
  }

  let drawn = [-1, -1];
  function draw(anew) {
    const seen = Math.ceil((box.clientHeight || 420) / HEIGHT);
    const from = Math.max(0, Math.floor(box.scrollTop / HEIGHT) - AROUND);
    const to = Math.min(shown.length, from + seen + 2 * AROUND);
    if (!anew && from === drawn[0] && to === drawn[1]) return;
    drawn = [from, to];
    const space = (n) => {
      const cell = h('td', { colspan: columns.length });
      cell.style.height = `${n * HEIGHT}px`;
      return h('tr', { class: 'space', 'aria-hidden': 'true' }, cell);
    };
    if (!shown.length) {
      body.replaceChildren(h('tr', {}, h('td', { colspan: columns.length, class: 'faint' }, rows.length ? 'Nothing found' : options.empty ?? 'No rows')));
      return;
    }
    body.replaceChildren(...[
      from > 0 && space(from),
      ...shown.slice(from, to).map((row) => h('tr', {}, columns.map((column) => h('td', { class: column.right && 'right' }, (column.show ?? column.value)(row) ?? '–')))),
      to < shown.length && space(shown.length - to),
    ].filter(Boolean));
    grid.setAttribute('aria-rowcount', String(shown.length));
  }
  box.addEventListener('scroll', () => requestAnimationFrame(() => draw(false)), { passive: true });
  new ResizeObserver(() => draw(false)).observe(box);
  arrange();
  return {
    element: h('div', {}, tools, box),
    /** Other rows in the same order. */
    update(others) {
      const at = box.scrollTop;
      rows = others;
      arrange();
      box.scrollTop = at;
      draw(true);
    },
  };
}
