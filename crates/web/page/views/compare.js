// Simulations laid over each other, and what differs between their configurations.

import { COLORS, card, choice, failed, message, waiting } from '../card.js';
import { h } from '../dom.js';
import { count, exact, natural, number, quantity } from '../format.js';
import { distribution } from '../plots/distribution.js';
import { lines } from '../plots/line.js';
import { table } from '../table.js';
import { FINAL, status } from './simulations.js';
import { coarse, joined, mean, merged } from '../series.js';
import { percentiles, requests, rowsOf, section } from './sections.js';

/** Everything in a document by where it stands: `components.Nic.typedParameters.ScalaRoceQpManager.MSS`. */
export function leaves(document) {
  const found = new Map();
  const walk = (value, path) => {
    if (Array.isArray(value)) {
      // By name where there is one, so that another order is no difference.
      const names = value.map((one) => one?.name);
      const named = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
      value.forEach((one, n) => walk(one, `${path}${path ? '.' : ''}${named ? names[n] : n}`));
      if (!value.length) found.set(path, 'none');
      return;
    }
    if (value && typeof value === 'object') {
      const keys = Object.keys(value);
      if ('value' in value && typeof value.value !== 'object') {
        found.set(path, `${value.value}${value.unit ? ` ${value.unit}` : ''}`);
        return;
      }
      for (const key of keys) walk(value[key], path ? `${path}.${key}` : key);
      return;
    }
    found.set(path, value === null ? 'null' : String(value));
  };
  walk(document, '');
  return found;
}

/** Where documents differ: `[{path, values}]`. */
export function differences(documents) {
  const all = documents.map((document) => (document ? leaves(document) : null));
  const paths = [...new Set(all.flatMap((one) => (one ? [...one.keys()] : [])))].sort(natural);
  return paths.map((path) => ({ path, values: all.map((one) => (one ? one.get(path) ?? 'absent' : 'unknown')) }))
    .filter(({ values }) => new Set(values.filter((value) => value !== 'unknown')).size > 1);
}

/** Goodput as means over so many parts that each is of some twenty requests; everything else as it is. */
function thinned(data, one) {
  if (one.name !== 'goodput') return { times: data.timesSec, values: one.values };
  const [, each] = coarse(data, data.series, 'goodput');
  return { times: merged(data.timesSec, each, (part) => part.at(-1)), values: merged(one.values, each, mean) };
}

export async function compare({ server, place }, list) {
  document.title = 'Compare – Packetloom';
  const ids = [...new Set(list.split(','))].slice(0, 6);
  if (ids.length < 2) {
    place.replaceChildren(message('There is nothing to compare', 'Tick two or more simulations in the list.', h('a', { class: 'button', href: '#/' }, 'All simulations')));
    return;
  }
  const runs = await Promise.all(ids.map(async (id, n) => {
    const details = await server.simulation(id);
    const { files } = await server.results(id).catch(() => ({ files: [] }));
    const final = FINAL.includes(details.status);
    return {
      id, source: server, details, files, color: COLORS[n], data: (wanted) => server.data(id, wanted, final), told: final ? await server.told(id).catch(() => null) : null,
    };
  }));
  /** The rows that a plot is drawn from, of each run. */
  const rows = (...records) => runs.flatMap((run) => records.flatMap((record) => rowsOf(run, record).map((one) => ({ ...one, name: `${one.name} of ${run.name}` }))));
  const same = new Set(runs.map(({ details }) => details.name)).size < runs.length;
  runs.forEach((run, n) => { run.name = same ? `${run.details.name} (${n + 1})` : run.details.name; });
  const dash = (n) => ['', 'dashed', 'dotted'][n % 3];

  /** What each run has of its requests, as one. */
  const loaded = (mode) => Promise.all(runs.map((run) => requests(run, mode)));

  const figures = card({ title: 'Figures', what: 'The difference is to the first run.' }, (() => {
    const sum = (told, key) => (told?.applications?.length ? told.applications.reduce((all, one) => all + (one[key] ?? 0), 0) : null);
    const single = (told, key) => (told?.applications?.length === 1 ? told.applications[0].latency_us?.[key] : null);
    const rows = [
      ['Goodput', 'Gbps', (told) => sum(told, 'goodput_gbps')], ['Requests in the recording window', '', (told) => sum(told, 'recorded')],
      ['Mean latency', 'us', (told) => single(told, 'mean')], ['Median latency', 'us', (told) => single(told, 'p50')], ['99th percentile', 'us', (told) => single(told, 'p99')],
      ['99.9th percentile', 'us', (told) => single(told, 'p999')], ['Greatest latency', 'us', (told) => single(told, 'max')],
      ['Packets dropped', '', (told) => told?.drops], ['PFC pauses sent', '', (told) => told?.pfc_pauses], ['Packets sent again', '', (told) => told?.packets_resent], ['Retransmissions', '', (told) => told?.retransmissions],
      ['Packet-hops', '', (told) => told?.packet_hops], ['Wall time', 's', (told) => told?.wall_seconds],
    ].map(([name, unit, pick]) => ({ name, unit, values: runs.map(({ told }) => pick(told)) })).filter(({ values }) => values.some((value) => value !== null && value !== undefined && value !== 0) || values.some((value) => value === 0));
    const cell = ({ values, unit }, n) => {
      const value = values[n];
      if (value === null || value === undefined) return '–';
      const part = n > 0 && values[0] ? (value / values[0] - 1) * 100 : null;
      return h('span', { title: exact(value, unit) }, unit === '' ? count(value) : quantity(value, unit),
        part !== null && Math.abs(part) >= 0.005 ? h('small', { class: 'faint' }, ` ${part > 0 ? '+' : '−'}${number(Math.abs(part), 3)} %`) : null);
    };
    return h('table', { 'aria-label': 'Figures' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, ''), runs.map((run) => {
      const swatch = h('span', { class: 'swatch' });
      swatch.style.borderColor = `var(${run.color})`;
      return h('th', { class: 'right', scope: 'col' }, swatch, ' ', h('a', { href: `#/simulations/${run.id}` }, run.name));
    }))), h('tbody', {}, h('tr', {}, h('th', { scope: 'row' }, 'Status'), runs.map((run) => h('td', { class: 'right' }, status(run.details.status)))),
    rows.map((row) => h('tr', {}, h('th', { scope: 'row' }, row.name), runs.map((_, n) => h('td', { class: 'right' }, cell(row, n)))))));
  })());

  const axis = { tail: true, logarithmic: false };
  const latency = section({ title: 'Latency of requests', what: 'Which part of the requests that completed in the recording window took at most how long.', rows: rows('rdma-perf', 'perf'), empty: ['No request has completed', ''] }, async (tools) => {
    const all = await loaded('summary');
    const series = all.flatMap((found, n) => found.flatMap(({ applications }) => applications).filter(({ requests }) => requests > 0).map((one, m) => ({
      name: `${runs[n].name}: ${one.application}`, color: runs[n].color, dash: dash(m), requests: one.requests, points: one.cdf, told: one,
    })));
    if (!series.length) return null;
    const body = h('div');
    const draw = () => body.replaceChildren(distribution({ series, ...axis, label: 'Distributions of latency' }));
    tools.replaceChildren(choice('Axis of parts', [[true, 'tail'], [false, 'linear']], axis.tail, (value) => { axis.tail = value; draw(); }), ' ',
      choice('Axis of latency', [[false, 'linear'], [true, 'log']], axis.logarithmic, (value) => { axis.logarithmic = value; draw(); }));
    draw();
    return h('div', {}, body, percentiles(series.map(({ name, told }) => ({ name, requests: told.requests, ...told.latencyUsec }))));
  });

  /** A plot over time of what `pick` takes from the series of each run. */
  const overlay = (title, what, from, load, pick, unit, name, span) => section({ title, what, rows: rows(...from), empty: ['Nothing recorded', ''] }, async () => {
    const all = await load();
    const picked = all.flatMap((found, n) => [found ?? []].flat().flatMap((data) => data.series.filter(pick).map((one) => ({ one, data }))).map(({ one, data }, m, them) => ({
      ...thinned(data, one), unit: one.unit, color: runs[n].color, dash: dash(m),
      name: them.length > 1 ? `${runs[n].name}: ${one.application ?? `${one.tier} ${one.direction}`}` : runs[n].name,
    })));
    if (!picked.some(({ values }) => values.some((value) => value > 0))) return null;
    const { times, values } = joined(picked);
    return lines({ times, span, unit: unit ?? picked[0].unit, name, label: title, series: picked.map((one, n) => ({ name: one.name, color: one.color, dash: one.dash, values: values[n] })) });
  });
  const series = (metric, more) => () => Promise.all(runs.map((run) => run.data({ metric, mode: 'timeSeries', ...more })));
  const goodput = overlay('Goodput over time', 'Payload of the requests that completed.', ['rdma-perf', 'perf'], () => loaded('timeSeries'), ({ name }) => name === 'goodput', 'Gbps', 'Goodput');
  const p99 = overlay('Latency over time', '99th percentile of the requests that completed in a thousandth of the run.', ['rdma-perf', 'perf'], () => loaded('timeSeries'), ({ name }) => name === 'p99 latency', 'us', 'Latency, p99', true);
  const rack = overlay('Rack downlinks', 'Greatest utilization of a port towards a host.', ['nd-stats'], series('nd-stats', { tier: 'rack' }), ({ name, direction }) => name === 'max tx_link_percent_util' && direction === 'down', '%', 'Utilization');
  const paused = overlay('PFC pauses', 'All ports of a tier together, in each report interval.', ['ecn-pfc-stats'], series('pfc'), ({ name }) => name === 'sum interval_total_time_xoff_usec', 'us', 'Paused time');

  const settings = h('div', {}, waiting());
  const configuration = card({ title: 'What differs', what: 'Each value of the configurations that is not the same in all of them, with every default written out.' }, settings);
  Promise.all(runs.map(({ id }) => server.document(id).catch(() => null))).then((documents) => {
    if (documents.filter(Boolean).length < 2) {
      settings.replaceChildren(message('The configurations are not known', 'They are in configuration.json beside the records, which these runs do not have.'));
      return;
    }
    const rows = differences(documents);
    settings.replaceChildren(rows.length ? table({
      rows, label: 'Differences', find: 'Find a value', sort: 0,
      columns: [{ name: 'Where', value: (row) => row.path, show: (row) => h('code', {}, row.path) }, ...runs.map((run, n) => ({
        name: run.name, value: (row) => row.values[n], show: (row) => h('span', { class: row.values[n] !== row.values[0] && 'differs' }, row.values[n]),
      }))],
    }).element : message('Nothing differs', 'These runs are of the same configuration.'));
  }).catch((failure) => settings.replaceChildren(failed(failure)));

  place.replaceChildren(h('div', { class: 'head' }, h('h1', {}, 'Compare'), h('span', { class: 'faint' }, `${runs.length} simulations`)), figures,
    h('div', { class: 'two' }, latency.element, goodput.element), configuration,
    h('div', { class: 'two' }, p99.element, rack.element), paused.element);
}
