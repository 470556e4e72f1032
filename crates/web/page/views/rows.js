// The rows of a record, as they stand in its file.

import { message } from '../card.js';
import { rows as parse } from '../csv.js';
import { h } from '../dom.js';
import { count } from '../format.js';
import { table } from '../table.js';

/** Most rows that are kept here; the file has all of them. */
const MOST = 100_000;

export async function rows({ server, place, query, signal }, id, file) {
  const details = await server.simulation(id);
  document.title = `${file} – Packetloom`;
  const link = await server.link(id, file);
  const head = h('div', { class: 'head' }, h('h1', {}, file), h('span', { class: 'faint' }, 'of ', h('a', { href: `#/simulations/${id}` }, details.name)),
    h('div', { class: 'right' }, h('a', { class: 'button', href: link, download: file }, 'Download')));
  if (!file.endsWith('.csv')) {
    place.replaceChildren(head, h('div', { class: 'card' }, message('Only CSV files are shown here', 'Parquet files are for programs; download it, or run with --format csv,parquet.')));
    return;
  }
  const wanted = [...query];
  const told = h('p', { class: 'faint', role: 'status' }, 'Reading…');
  const body = h('div');
  place.replaceChildren(head, h('section', { class: 'card' }, wanted.length ? h('p', {}, 'Only rows with ', wanted.map(([name, value]) => [h('code', {}, `${name} = ${value}`), ' ']),
    h('a', { href: `#/simulations/${id}/rows/${encodeURIComponent(file)}` }, 'Show all')) : null, told, body));

  const found = [];
  let names = null;
  let columns = [];
  let read = 0;
  let last = performance.now();
  for await (const row of parse(await server.text(id, file))) {
    if (signal.aborted) return;
    if (!names) {
      names = row;
      columns = wanted.map(([name, value]) => [names.indexOf(name), value]).filter(([at]) => at >= 0);
      continue;
    }
    read++;
    if (found.length < MOST && columns.every(([at, value]) => row[at] === value)) found.push(row);
    if (found.length >= MOST) break;
    // The page stays alive while a large file is read.
    if (performance.now() - last > 30) {
      told.textContent = `Reading… ${count(read)} rows`;
      await new Promise((done) => { setTimeout(done); });
      last = performance.now();
    }
  }
  if (!names) {
    told.textContent = '';
    body.replaceChildren(message('The file is empty', ''));
    return;
  }
  told.textContent = found.length >= MOST ? `The first ${count(MOST)} rows that fit; the file has all of them.` : '';
  const numeric = names.map((_, n) => found.length > 0 && found.slice(0, 50).every((row) => row[n] !== '' && Number.isFinite(Number(row[n]))));
  body.replaceChildren(table({
    rows: found, label: `Rows of ${file}`, find: 'Find in all columns', height: Math.max(300, innerHeight - 330), empty: 'No such rows',
    columns: names.map((name, n) => ({ name, right: numeric[n], value: (row) => (numeric[n] ? Number(row[n]) : row[n]), show: (row) => row[n] })),
  }).element);
}
