// What surrounds a plot: its title, what it shows, the way to the rows behind it, and what is seen while it is not there yet.

import { h, onWidth } from './dom.js';

/** The colours of series, in their order. */
export const COLORS = Array.from({ length: 8 }, (_, n) => `--c${n}`);

/** Waiting for something. */
export function waiting(text = 'Loading') {
  return h('div', { class: 'wait', role: 'status' }, text);
}

/** That there is nothing, or why something failed. */
export function message(title, text, ...more) {
  return h('div', { class: 'message' }, h('b', {}, title), text && h('p', {}, text), more);
}

export function failed(failure, again) {
  return h('div', { class: 'message bad', role: 'alert' }, h('p', {}, failure.message ?? String(failure)),
    again && h('button', { type: 'button', onclick: again }, 'Try again'));
}

/** A card. `options`: `title`, `what` (a sentence), `id`, `tools` (elements), `rows` (an address, or a list of `{name, href}`). */
export function card(options, ...children) {
  const rows = [options.rows ?? []].flat().map((row) => (typeof row === 'string' ? { name: 'rows', href: row } : row));
  return h('section', { class: 'card', id: options.id, 'aria-label': options.title },
    h('header', {}, h('h2', {}, options.title),
      h('div', { class: 'right' }, options.tools, rows.map(({ name, href, title }) => (href
        ? h('a', { href, title: title ?? 'The rows of the record this is drawn from' }, name)
        : h('span', { class: 'faint', title }, name)))),
      options.what && h('p', {}, options.what)),
    ...children);
}

/** Buttons of which one is pressed. */
export function choice(label, all, current, act) {
  const buttons = all.map(([value, name]) => h('button', {
    type: 'button',
    'aria-pressed': String(value === current),
    onclick: () => {
      buttons.forEach((button) => button.setAttribute('aria-pressed', String(button === buttons[all.findIndex(([one]) => one === value)])));
      act(value);
    },
  }, name));
  return h('div', { class: 'choice', role: 'group', 'aria-label': label }, buttons);
}

/** A legend whose items switch their series on and off. `items`: `{name, color, dash?}`; `act(n, shown)`. */
export function legend(items, act, hidden = new Set()) {
  return h('ul', { class: 'legend' }, items.map((item, n) => {
    const swatch = h('span', { class: `swatch ${item.dash ?? ''}` });
    swatch.style.borderColor = `var(${item.color})`;
    const button = h('button', {
      type: 'button', 'aria-pressed': String(!hidden.has(n)), title: 'Show or hide',
      onclick: () => {
        const shown = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(shown));
        act(n, shown);
      },
    }, swatch, item.name);
    return h('li', {}, button);
  }));
}

/** A place for a drawing: `draw(place, width)` is called whenever the width is another. */
export function drawing(draw) {
  const place = h('div', { class: 'drawing' });
  onWidth(place, (width) => draw(place, width));
  return place;
}

/** Figures side by side: `[name, value, remark]`. */
export function figureList(list) {
  return h('dl', { class: 'figures' }, list.map(([name, value, remark]) => h('div', {}, h('dt', {}, name), h('dd', {}, value, h('small', {}, remark)))));
}
