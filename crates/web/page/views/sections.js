// The parts of the view of one simulation. Each is made once, loads when it comes near, and can load again while the simulation runs.

import { COLORS, card, choice, failed, message, waiting } from '../card.js';
import { objects } from '../csv.js';
import { h, whenNear } from '../dom.js';
import { fabric } from '../fabric.js';
import { count, exact, natural, number, quantity, seconds } from '../format.js';
import { coarse, joined, mean, merged } from '../series.js';
import { table } from '../table.js';
import { distribution } from '../plots/distribution.js';
import { heat } from '../plots/heat.js';
import { lines } from '../plots/line.js';
import { topology } from '../plots/topology.js';

/** The file of a record, by name; undefined if there is none. */
export function fileOf(run, record) {
  // Names begin with that of the simulation, which files have that every run writes.
  const always = /^(.*-)(run\.json|(topology-report|application-report|beacon)-0\.(csv|parquet))$/;
  const start = run.files.map(({ name }) => name.match(always)?.[1]).find(Boolean);
  const named = (ending) => run.files.find(({ name }) => name === `${start}${record}-0.${ending}`)?.name;
  return named('csv') ?? named('parquet');
}

/** The way to the rows of a record; `filter` are values of columns. */
export function rowsOf(run, record, filter) {
  const name = fileOf(run, record);
  if (!name) return [];
  return [{ name: `rows of ${record}`, href: run.source.still ? null : `#/simulations/${run.id}/rows/${encodeURIComponent(name)}${filter ? `?${new URLSearchParams(filter)}` : ''}`, title: `${name}: the rows this is drawn from` }];
}

/** A part: `{element, load}`. `make()` gives the content, or null if there is nothing to show, of which `empty` then says so. */
export function section(options, make) {
  const content = h('div', {}, waiting());
  const tools = h('span', {});
  const element = card({ ...options, tools }, content);
  let asked = false;
  let turn = 0;
  async function load() {
    const mine = ++turn;
    asked = true;
    try {
      const found = await make(tools);
      if (mine !== turn) return;
      content.replaceChildren(found ?? message(options.empty?.[0] ?? 'Nothing recorded', options.empty?.[1]));
    } catch (failure) {
      if (mine !== turn || failure.name === 'AbortError') return;
      if (!failure.status && failure.status !== 0) console.error(failure);
      content.replaceChildren(failed(failure, load));
    }
  }
  whenNear(element, load);
  return { element, load, again: () => (asked ? load() : undefined) };
}

/** The records of requests there are, as data of `mode`: those over RDMA, and those over TCP. */
export async function requests(run, mode) {
  const both = await Promise.all(['rdma-perf', 'perf'].map((metric) => run.data({ metric, mode })));
  return both.filter(Boolean);
}

const DASH = ['', 'dashed', 'dotted'];

export function latency(run) {
  const state = { tail: true, logarithmic: false };
  return section({
    id: 'latency', title: 'Latency of requests', what: 'Which part of the requests that completed in the recording window took at most how long.', rows: [...rowsOf(run, 'rdma-perf'), ...rowsOf(run, 'perf')],
    empty: ['No request has completed', 'Latency is told of requests that completed in the recording window.'],
  }, async (tools) => {
    const applications = (await requests(run, 'summary')).flatMap(({ applications }) => applications.filter(({ requests }) => requests > 0));
    if (!applications.length) return null;
    const place = h('div');
    const draw = () => place.replaceChildren(distribution({
      ...state, label: 'Distribution of latency',
      series: applications.map((one, n) => ({ name: one.application, color: COLORS[n % COLORS.length], dash: DASH[Math.floor(n / COLORS.length)], requests: one.requests, points: one.cdf })),
    }));
    tools.replaceChildren(
      choice('Axis of parts', [[true, 'tail'], [false, 'linear']], state.tail, (value) => { state.tail = value; draw(); }), ' ',
      choice('Axis of latency', [[false, 'linear'], [true, 'log']], state.logarithmic, (value) => { state.logarithmic = value; draw(); }));
    draw();
    return h('div', {}, place, percentiles(applications.map((one) => ({ name: one.application, requests: one.requests, ...one.latencyUsec }))));
  });
}

/** Percentiles as a table. */
export function percentiles(rows) {
  const columns = [['min', 'Min'], ['mean', 'Mean'], ['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99'], ['p999', 'p99.9'], ['max', 'Max']];
  return h('div', { class: 'wider' }, h('table', { 'aria-label': 'Percentiles of latency' }, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Latency [us]'), h('th', { class: 'right', scope: 'col' }, 'Requests'),
    columns.map(([, name]) => h('th', { class: 'right', scope: 'col' }, name)))),
  h('tbody', {}, rows.map((row) => h('tr', {}, h('td', {}, row.name), h('td', { class: 'right' }, count(row.requests)),
    columns.map(([key]) => h('td', { class: 'right', title: exact(row[key], 'us') }, number(row[key], 5))))))));
}

/** What can be seen over time of requests. */
const KINDS = {
  goodput: { name: 'Goodput', pick: ({ name }) => name === 'goodput' },
  requests: { name: 'Completed', pick: ({ name }) => name === 'requests', unit: '1/s' },
  latency: { name: 'Latency', pick: ({ name }) => ['p50 latency', 'p99 latency', 'max latency'].includes(name) },
  wire: { name: 'Rate', pick: ({ name, tier }) => name === 'sum tx_rate_Gbps' && tier === 'nic' },
};

export function overTime(run) {
  let kind = 'goodput';
  return section({
    id: 'time', title: 'Throughput over time', what: 'Of all requests of an application together. Drag to look closer.', rows: [...rowsOf(run, 'rdma-perf'), ...rowsOf(run, 'perf')],
    empty: ['No request has completed yet', ''],
  }, async (tools) => {
    const all = await requests(run, 'timeSeries');
    if (!all.length) return null;
    const wire = fileOf(run, 'perf') ? await run.data({ metric: 'nd-stats', mode: 'timeSeries', tier: 'nic' }) : null;
    const pools = (one) => (one === 'wire' ? [wire].filter(Boolean) : all);
    const offered = Object.keys(KINDS).filter((one) => pools(one).some(({ series }) => series.some(KINDS[one].pick)));
    if (!offered.length) return null;
    if (!offered.includes(kind)) [kind] = offered;
    const place = h('div');
    const remark = h('p', { class: 'faint' });
    const draw = () => {
      const steps = new Set();
      const picked = pools(kind).flatMap((data) => {
        const [bin, each] = coarse(data, data.series, kind);
        const times = each > 1 ? merged(data.timesSec, each, (part) => part.at(-1)) : data.timesSec;
        const own = data.series.filter(KINDS[kind].pick);
        if (own.length) steps.add(seconds(bin * each, 3));
        return own.map((one) => ({
          one, times, values: kind === 'requests' ? merged(one.values, each, (part) => mean(part) / bin) : each > 1 ? merged(one.values, each, mean) : one.values,
        }));
      });
      const names = [...new Set(picked.map(({ one }) => one.application ?? one.component))];
      remark.textContent = `A point is ${[...steps].join(' or ')} of the run.`;
      const { times, values } = new Set(picked.map(({ times }) => times)).size > 1 ? joined(picked) : { times: picked[0].times, values: picked.map(({ values }) => values) };
      place.replaceChildren(lines({
        span: kind === 'latency', times, unit: KINDS[kind].unit ?? picked[0].one.unit, name: KINDS[kind].name, label: `${KINDS[kind].name} over time`,
        series: picked.map(({ one }, n) => {
          const how = ['p50 latency', 'p99 latency', 'max latency'].indexOf(one.name);
          const at = names.indexOf(one.application ?? one.component);
          return {
            name: kind === 'wire' ? 'sent by all NICs, headers included' : how >= 0 ? `${one.application} ${one.name.replace(' latency', '')}` : one.application,
            values: values[n], color: COLORS[(names.length > 1 ? at : Math.max(how, 0)) % COLORS.length], dash: names.length > 1 ? DASH[Math.max(how, 0)] : '',
          };
        }),
      }));
    };
    tools.replaceChildren(choice('What is drawn', offered.map((one) => [one, { goodput: 'goodput', requests: 'requests', latency: 'latency', wire: 'on the wire' }[one]]), kind, (value) => { kind = value; draw(); }));
    draw();
    return h('div', {}, place, remark);
  });
}

/** Series of tiers and directions with their names and colours. */
function tiers(data, name) {
  return data.series.filter((one) => one.name === name).map((one) => ({
    name: `${one.tier} ${one.direction}`, values: one.values, color: `--c${{ spine: 0, fabric: 1, rack: 2, nic: 3 }[one.tier] ?? 4}`, dash: one.direction === 'up' ? '' : 'dashed', unit: one.unit,
  }));
}

export function utilization(run) {
  let how = 'heat';
  return section({
    id: 'links', title: 'Link utilization', what: 'What ports send, as a part of what their links can carry. "up" is towards the spine; a NIC sends up.', rows: rowsOf(run, 'nd-stats'),
    empty: ['No port has reported', 'Ports report each NDStatsReportInterval, if EnableNetDeviceStatLogging is true.'],
  }, async (tools) => {
    const place = h('div');
    const draw = async () => {
      if (how === 'heat') {
        const data = await run.data({ metric: 'nd-stats', mode: 'heatMap' });
        if (!data?.rows.length) return false;
        place.replaceChildren(heat({ data, most: 100, label: 'Utilization of links over time', open: run.open && ((row) => run.open(row.component)) }));
      } else {
        const data = await run.data({ metric: 'nd-stats', mode: 'timeSeries' });
        if (!data?.series.length) return false;
        const series = tiers(data, `${how} tx_link_percent_util`);
        place.replaceChildren(lines({ times: data.timesSec, series, unit: '%', name: `Utilization, ${how} of the ports`, label: 'Utilization by tier over time' }));
      }
      return true;
    };
    tools.replaceChildren(choice('What is drawn', [['heat', 'heat map'], ['mean', 'mean by tier'], ['max', 'most by tier']], how, (value) => { how = value; draw(); }));
    return (await draw()) ? place : null;
  });
}

export function pauses(run) {
  let how = 'time';
  return section({
    id: 'pauses', title: 'PFC pauses', what: 'For how long ports were told to send nothing, all classes of all ports of a tier together, in each report interval.', rows: rowsOf(run, 'ecn-pfc-stats'),
    empty: ['No port was paused', 'No switch or NIC has sent a pause: buffers stayed below their thresholds, or PFC is off.'],
  }, async (tools) => {
    const [data, map] = await Promise.all([run.data({ metric: 'pfc', mode: 'timeSeries' }), run.data({ metric: 'pfc', mode: 'heatMap' })]);
    const some = data?.series.some((one) => one.name === 'sum interval_total_time_xoff_usec' && one.values.some((value) => value > 0));
    if (!some) {
      tools.replaceChildren();
      return null;
    }
    const place = h('div');
    const draw = () => place.replaceChildren(how === 'time'
      ? lines({ times: data.timesSec, series: tiers(data, 'sum interval_total_time_xoff_usec'), unit: 'us', name: 'Paused time', label: 'Paused time by tier' })
      : how === 'count' ? lines({ times: data.timesSec, series: tiers(data, 'rise pfcxoff_tx'), unit: '', name: 'Pauses sent', label: 'Pauses sent by tier' })
        : heat({ data: map, most: 100, label: 'Share of time paused, by port', open: run.open && ((row) => run.open(row.component)) }));
    tools.replaceChildren(choice('What is drawn', [['time', 'paused time'], ['count', 'pauses'], ...(map?.rows.length ? [['heat', 'heat map']] : [])], how, (value) => { how = value; draw(); }));
    draw();
    return place;
  });
}

export function drops(run) {
  return section({
    id: 'drops', title: 'Dropped packets', what: 'At all ports of a tier together, in each report interval.', rows: rowsOf(run, 'nd-stats'),
    empty: ['No packet was dropped', 'Every packet that came to a port went on from there.'],
  }, async () => {
    const data = await run.data({ metric: 'nd-stats', mode: 'timeSeries' });
    const all = data ? ['tx', 'rx'].flatMap((side) => tiers(data, `rise ${side}_drops`).map((one) => ({ ...one, name: `${one.name} ${side === 'tx' ? 'leaving' : 'arriving'}`, dash: side === 'tx' ? 'dashed' : '' }))) : [];
    const some = all.filter(({ values }) => values.some((value) => value > 0));
    if (!some.length) return null;
    return lines({ times: data.timesSec, series: some, unit: 'packets', name: 'Dropped', label: 'Dropped packets over time' });
  });
}

/** What ports can be coloured and sorted by. */
const MEASURES = [
  ['mean', 'mean utilization', 'nd-stats', 'tx_link_percent_util', 'values', '%'],
  ['max', 'greatest utilization', 'nd-stats', 'tx_link_percent_util', 'peaks', '%'],
  ['drops', 'drops', 'nd-stats', 'drops', 'values', 'packets'],
  ['paused', 'paused time', 'pfc', 'pfc_time_paused_usec', 'values', 'us'],
];

/** What each port did in the recording window, by `name port`. */
async function ports(run) {
  const [load, paused] = await Promise.all([run.data({ metric: 'nd-stats', mode: 'ports' }), run.data({ metric: 'pfc', mode: 'ports' })]);
  const found = new Map();
  if (!load) return found;
  const column = (data, name) => data.columns.findIndex((one) => one.column === name);
  const [util, rate, tx, rx] = ['tx_link_percent_util', 'tx_rate_Gbps', 'tx_drops', 'rx_drops'].map((name) => column(load, name));
  for (const one of load.ports) {
    found.set(`${one.component} ${one.port}`, {
      name: one.component, port: one.port, tier: one.tier, direction: one.direction,
      mean: one.values[util], max: one.peaks[util], rate: one.values[rate], drops: one.values[tx] + one.values[rx], paused: 0,
    });
  }
  if (paused) {
    const time = column(paused, 'pfc_time_paused_usec');
    for (const one of paused.ports) {
      const port = found.get(`${one.component} ${one.port}`);
      if (port) port.paused += one.values[time] ?? 0;
    }
  }
  return found;
}

async function graph(run) {
  const file = fileOf(run, 'topology-report');
  if (!file?.endsWith('.csv')) return null;
  run.graph ??= (async () => {
    const text = await run.source.text(run.id, file);
    return text && fabric(await objects(text));
  })();
  return run.graph;
}

export function network(run) {
  let measure = 'mean';
  return section({
    id: 'topology', title: 'Topology', what: `Links and nodes by what their ports did in the recording window.${run.open ? ' Choose a node or a link to see it over time.' : ''}`, rows: rowsOf(run, 'topology-report'),
    empty: ['There is no record of the topology to draw', 'It is drawn from the CSV file of topology-report.'],
  }, async (tools) => {
    const [known, all] = await Promise.all([graph(run), ports(run)]);
    if (!known?.nodes.length) return null;
    const place = h('div');
    const draw = () => {
      const [key, name, , , , unit] = MEASURES.find(([one]) => one === measure);
      const most = unit === '%' ? 100 : Math.max(1, ...[...all.values()].map((one) => one[key] ?? 0));
      place.replaceChildren(topology({
        fabric: known, unit, most, known: `${name}; a node has the colour of its greatest link`, label: `The fabric: ${known.nodes.length} nodes and ${known.links.length} pairs of them linked, by ${name}. The table of links has the same figures.`,
        value: (port) => all.get(port)?.[key] ?? null, open: run.open,
      }));
    };
    const pick = h('select', { 'aria-label': 'Coloured by', onchange: () => { measure = pick.value; draw(); } }, MEASURES.map(([key, name]) => h('option', { value: key, selected: key === measure }, name)));
    tools.replaceChildren(h('label', {}, 'coloured by ', pick));
    draw();
    return place;
  });
}

export function worst(run) {
  return section({
    id: 'worst', title: 'Worst links', what: 'What each port did in the recording window, the busiest first. A heading sorts by its column.', rows: [...rowsOf(run, 'nd-stats'), ...rowsOf(run, 'ecn-pfc-stats')],
    empty: ['No port has reported', ''],
  }, async () => {
    const [all, known] = await Promise.all([ports(run), graph(run)]);
    if (!all.size) return null;
    const rows = [...all.values()];
    const peer = (row) => known?.peers.get(`${row.name} ${row.port}`);
    const columns = [
      { name: 'Switch or host', value: (row) => row.name, show: (row) => (run.open ? h('a', { href: `#/simulations/${run.id}/component/${encodeURIComponent(row.name)}` }, row.name) : row.name) },
      { name: 'Port', right: true, value: (row) => row.port },
      { name: 'Tier', value: (row) => `${row.tier} ${row.direction}` },
      { name: 'Leads to', value: (row) => peer(row)?.name ?? '', show: (row) => (peer(row) ? `${peer(row).name} port ${peer(row).port}` : '–') },
      { name: 'Mean util.', unit: '%', right: true, value: (row) => row.mean, show: (row) => bar(row.mean) },
      { name: 'Max util.', unit: '%', right: true, value: (row) => row.max, show: (row) => bar(row.max) },
      { name: 'Mean rate', unit: 'Gbps', right: true, value: (row) => row.rate, show: (row) => h('span', { title: exact(row.rate, 'Gbps') }, number(row.rate)) },
      { name: 'Drops', unit: 'packets', right: true, value: (row) => row.drops, show: (row) => count(row.drops) },
      { name: 'Paused', unit: 'us', right: true, value: (row) => row.paused, show: (row) => h('span', { title: exact(row.paused, 'us') }, number(row.paused, 5)) },
    ];
    return table({ rows, columns, sort: 5, down: true, label: 'Links, the busiest first', find: 'Find a switch, host or tier' }).element;
  });
}

function bar(value) {
  return h('span', { title: exact(value, '%') }, number(value, 4));
}

export function files(run) {
  return section({
    id: 'files', title: 'Files', what: run.source.still ? 'What the run has written, which is not in this report.' : 'Everything the run has written. A link holds for 15 minutes; load the page again for new ones.', empty: ['There are no files', ''],
  }, async () => {
    const { files } = await run.results();
    if (!files.length) return null;
    // What runs on disk are shown with is not theirs.
    if (run.source.viewer) files.splice(0, files.length, ...files.filter(({ name }) => !name.startsWith('data/')));
    // What was computed comes behind what the run has written.
    const computed = ({ name }) => Number(name.startsWith('data/'));
    files.sort((a, b) => computed(a) - computed(b) || natural(a.name, b.name));
    return table({
      rows: files, label: 'Files', find: 'Find a file', height: 320,
      columns: [
        { name: 'Name', value: (file) => file.name, show: (file) => (file.downloadUrl ? h('a', { href: file.downloadUrl, download: file.name.split('/').at(-1) }, file.name) : file.name) },
        { name: 'Type', value: (file) => file.type },
        { name: 'Size', right: true, value: (file) => file.sizeBytes, show: (file) => h('span', { title: exact(file.sizeBytes, 'B') }, quantity(file.sizeBytes, 'B', 3)) },
        ...(run.source.still ? [] : [{ name: 'Rows', value: () => '', show: (file) => (file.name.endsWith('.csv') ? h('a', { href: `#/simulations/${run.id}/rows/${encodeURIComponent(file.name)}` }, 'look at') : '') }]),
      ],
    }).element;
  });
}

export function logs(run) {
  return section({ id: 'logs', title: 'Log', what: '', empty: ['The log is empty', ''] }, async () => {
    const found = await run.source.logs(run.id);
    if (!found?.logs.length) return null;
    const item = (line) => h('li', { class: line.level }, h('time', { datetime: line.timestamp, title: line.timestamp }, new Date(line.timestamp).toLocaleTimeString('en-GB')), h('span', { class: 'level' }, line.level), h('span', { class: 'faint' }, line.component), h('span', {}, line.message));
    const list = h('ol', { class: 'log', tabindex: '0', 'aria-label': 'Log' }, found.logs.map(item));
    let next = found.pagination.nextCursor;
    const more = h('button', { type: 'button', hidden: !found.pagination.hasMore, onclick: async () => {
      const page = await run.source.logs(run.id, next);
      next = page.pagination.nextCursor;
      more.hidden = !page.pagination.hasMore;
      list.append(...page.logs.map(item));
    } }, 'Show more');
    return h('div', {}, list, more);
  });
}

