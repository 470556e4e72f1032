// All simulations, as they stand.

import { message } from '../card.js';
import { h, say } from '../dom.js';
import { ago, instant } from '../format.js';

export const FINAL = ['completed', 'failed', 'terminated'];
const STATUSES = ['validating', 'provisioning', 'running', 'completed', 'failed', 'terminated'];
const TOLD = { validating: 'being checked', provisioning: 'waiting', running: 'running', completed: 'completed', failed: 'failed', terminated: 'ended early' };

/** How a simulation stands, in colour, in a sign and in words. */
export function status(text) {
  return h('span', { class: `status ${text}` }, TOLD[text] ?? text);
}

/** How far it is. */
export function progress(details, wide) {
  const part = details.metrics?.progress ?? 0;
  const percent = `${Math.floor(part * 100)} %`;
  return h('span', { class: `progress ${wide ? 'wide' : ''}` }, h('progress', { max: '1', value: part, 'aria-label': 'Progress' }),
    h('span', {}, percent, details.metrics?.timeLeft ? `, ${details.metrics.timeLeft.replace(/^([\d.]+) ?/, '$1 ')} left` : ''));
}

export async function simulations({ server, place, go, query, signal }) {
  document.title = `${server.viewer ? 'Runs' : 'Simulations'} – Packetloom`;
  const wanted = { search: query.get('search') ?? '', status: query.get('status') ?? '' };
  const chosen = new Map();
  const rows = new Map();
  let next = null;

  const body = h('tbody');
  const compare = h('button', { type: 'button', disabled: true, onclick: () => go(`/compare/${[...chosen.keys()].join(',')}`) }, 'Compare');
  const more = h('button', { type: 'button', hidden: true, onclick: () => load(next) }, 'Show more');
  const search = h('input', { type: 'search', placeholder: 'Find by name', 'aria-label': 'Find by name', value: wanted.search });
  const kind = h('select', { 'aria-label': 'Status' }, h('option', { value: '' }, 'All'), STATUSES.map((one) => h('option', { value: one, selected: one === wanted.status }, TOLD[one])));
  const list = h('div');
  let pause = null;
  search.addEventListener('input', () => {
    clearTimeout(pause);
    pause = setTimeout(() => { wanted.search = search.value; load(); }, 250);
  });
  kind.addEventListener('change', () => { wanted.status = kind.value; load(); });

  function choose(item, box) {
    if (box.checked) chosen.set(item.id, item);
    else chosen.delete(item.id);
    compare.disabled = chosen.size < 2 || chosen.size > 6;
    compare.textContent = chosen.size > 6 ? 'Compare (6 at most)' : chosen.size ? `Compare ${chosen.size}` : 'Compare';
  }

  function row(item) {
    const box = h('input', { type: 'checkbox', checked: chosen.has(item.id), 'aria-label': `Compare ${item.name}`, onchange: () => choose(item, box) });
    const state = h('td', {}, status(item.status));
    const far = h('td');
    const line = h('tr', {}, h('td', {}, box), h('td', { class: 'wide' }, h('a', { href: `#/simulations/${item.id}` }, item.name)), state, far,
      h('td', { title: instant(item.createdAt) }, ago(item.createdAt)), server.viewer ? null : h('td', { class: 'faint code' }, item.id));
    rows.set(item.id, { line, state, far, last: item.status });
    return line;
  }

  function told(details) {
    const known = rows.get(details.id);
    if (!known) {
      // A new one; it is shown unless only others are looked for.
      if (!wanted.search && !wanted.status && details.status !== 'terminated') {
        if (!body.isConnected) list.replaceChildren(grid);
        body.prepend(row(details));
      }
      return;
    }
    if (known.last !== details.status) say(`${details.name}: ${TOLD[details.status]}`);
    known.last = details.status;
    known.state.replaceChildren(status(details.status));
    known.far.replaceChildren(...(details.status === 'running' ? [progress(details)]
      : details.failureReason ? [h('span', { class: 'faint', title: details.failureReason }, short(details.failureReason))]
        : details.metrics?.throughput ? [`${details.metrics.throughput.replace(/^([\d.]+) ?/, '$1 ')} goodput`] : []));
  }

  const grid = h('table', { 'aria-label': 'Simulations' }, h('thead', {}, h('tr', {},
    h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Compare')), ['Name', 'Status', server.viewer ? 'Result' : 'Progress', ...(server.viewer ? ['Written'] : ['Asked for', 'Identifier'])].map((name) => h('th', { scope: 'col' }, name)))), body);

  async function load(from) {
    const found = await server.simulations({ limit: 50, search: wanted.search, status: wanted.status, next: from });
    if (signal.aborted) return;
    next = found.pagination.nextCursor;
    more.hidden = !found.pagination.hasMore;
    if (!from) {
      rows.clear();
      body.replaceChildren();
    }
    body.append(...found.simulations.map(row));
    list.replaceChildren(rows.size ? grid : wanted.search || wanted.status
      ? message('Nothing found', 'No simulation has this name and status.')
      : message('No simulations yet', server.viewer ? 'There are no runs in the folder that was opened.' : 'Start one from a template: it takes a minute.',
        server.viewer ? null : h('a', { class: 'button first', href: '#/new' }, 'New simulation')));
    // What runs or has ended has more to tell than a list does; a few at a time.
    const ids = found.simulations.filter(({ status }) => status !== 'validating' && status !== 'provisioning').map(({ id }) => id);
    await Promise.all(Array.from({ length: 4 }, async () => {
      for (let id = ids.shift(); id && !signal.aborted; id = ids.shift()) {
        const details = await server.simulation(id).catch(() => null);
        if (details) told(details);
      }
    }));
  }

  const loaded = load();
  place.replaceChildren(h('div', { class: 'head' }, h('h1', {}, server.viewer ? 'Runs' : 'Simulations'),
    h('div', { class: 'right' }, compare, server.viewer ? null : h('a', { class: 'button first', href: '#/new' }, 'New simulation'))),
  h('section', { class: 'card' }, h('div', { class: 'tools' }, search, kind, h('span', { class: 'faint' }, 'Tick two or more to compare them.')), list, h('p', { class: 'message', hidden: true }), more));
  await loaded;
  follow();

  async function follow() {
    while (!signal.aborted) {
      await server.follow(null, told, signal).catch(() => null);
      await new Promise((done) => { setTimeout(done, 3_000); });
    }
  }
}

function short(text) {
  return text.length > 60 ? `${text.slice(0, 58)}…` : text;
}
