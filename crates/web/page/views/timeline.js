// The log of operations of a Portals run, by node and actor.

import { figureList } from '../card.js';
import { rows } from '../csv.js';
import { h } from '../dom.js';
import { count, seconds } from '../format.js';
import { KINDS, timeline as draw } from '../plots/timeline.js';
import { table } from '../table.js';
import { section } from './sections.js';

/** Most operations that are drawn. */
const MOST = 1_000_000;

/** Operations as arrays of numbers, of the text of `operations.csv`. */
export async function operations(text) {
  const found = { kind: [], from: [], to: [], start: [], end: [] };
  let names = null;
  let whole = true;
  for await (const row of rows(text)) {
    if (!names) {
      names = ['operation_type', 'initiator_nid', 'target_nid', 'start_time', 'end_time'].map((name) => row.indexOf(name));
      continue;
    }
    if (found.kind.length >= MOST) {
      whole = false;
      break;
    }
    Object.keys(found).forEach((key, n) => found[key].push(Number(row[names[n]])));
  }
  return { operations: found, whole };
}

export function timeline(run) {
  return section({
    id: 'timeline', title: 'Timeline of the nodes', what: 'What the process (main) and the actors of the NIC (TX, RX, E2E) of each node did when.',
    rows: [{ name: 'rows of operations', href: run.source.still ? null : `#/simulations/${run.id}/rows/operations.csv` }],
    empty: ['The log of operations is empty', ''],
  }, async () => {
    const text = await run.source.text(run.id, 'operations.csv');
    if (!text) return null;
    const { operations: all, whole } = await operations(text);
    if (!all.kind.length) return null;
    const list = Array.from(all.kind, (_, n) => n);
    return h('div', {},
      whole && !run.source.cut?.(run.id, 'operations.csv') ? null : h('p', { class: 'note' }, `The first ${count(all.kind.length)} operations; the file has all.`),
      figureList([
        ['Nodes', count(new Set([...all.from, ...all.to]).size), 'that did something'],
        ['Operations', count(all.kind.length), 'in the log'],
        ['Last ends', seconds(all.end.reduce((last, end) => Math.max(last, end), 0), 6), 'simulated time'],
      ]),
      draw({ operations: all, label: `${count(all.kind.length)} operations by node` }),
      h('h3', {}, 'Operations'),
      table({
        rows: list, label: 'Operations', find: 'Find an operation', sort: 3,
        columns: [
          { name: 'Operation', value: (n) => KINDS[all.kind[n]]?.[0] ?? String(all.kind[n]) },
          { name: 'From node', right: true, value: (n) => all.from[n] }, { name: 'To node', right: true, value: (n) => all.to[n] },
          { name: 'Begins', right: true, value: (n) => all.start[n], show: (n) => seconds(all.start[n], 9) },
          { name: 'Ends', right: true, value: (n) => all.end[n], show: (n) => seconds(all.end[n], 9) },
          { name: 'Takes', right: true, value: (n) => all.end[n] - all.start[n], show: (n) => seconds(all.end[n] - all.start[n], 6) },
        ],
      }).element);
  });
}
