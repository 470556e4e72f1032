// One switch or host of a run: its ports, its NIC, over time.

import { COLORS } from '../card.js';
import { h } from '../dom.js';
import { count, exact, number } from '../format.js';
import { lines } from '../plots/line.js';
import { table } from '../table.js';
import { runOf } from './simulation.js';
import { rowsOf, section } from './sections.js';

/** Most ports that are drawn at once; the others can be switched on. */
const DRAWN = 6;

export async function component({ server, place }, id, name) {
  const details = await server.simulation(id);
  const results = await server.results(id);
  const run = runOf(server, details, results, null);
  document.title = `${name} – ${details.name} – Packetloom`;

  /** Series of each port by one name, the greatest first. */
  const series = (data, wanted) => data.series.filter((one) => one.name === wanted)
    .map((one) => ({ one, peak: one.values.reduce((most, value) => (value > most ? value : most), 0) }))
    .sort((a, b) => b.peak - a.peak)
    .map(({ one, peak }, n) => ({
      name: (one.component ?? name).replace(`${name} `, ''), values: one.values, color: COLORS[n % COLORS.length], dash: ['', 'dashed', 'dotted'][Math.floor(n / COLORS.length) % 3], hidden: n >= DRAWN, peak,
    }));
  const plot = (title, what, metric, wanted, unit, axis, empty) => section({ title, what, rows: rowsOf(run, metric === 'pfc' ? 'ecn-pfc-stats' : metric, { component_name: name }), empty }, async () => {
    const data = await run.data({ metric, mode: 'timeSeries', component: name });
    const found = data ? series(data, wanted) : [];
    if (!found.some(({ peak }) => peak > 0)) return null;
    return lines({ times: data.timesSec, series: found, unit, name: axis, label: `${title} of ${name}` });
  });
  const parts = [
    plot('Sent', `What each port sends; the ${DRAWN} that send most are drawn, a click on a name shows another.`, 'nd-stats', 'mean tx_link_percent_util', '%', 'Utilization', ['Nothing was sent', '']),
    plot('Received', 'What comes in at each port.', 'nd-stats', 'mean rx_link_percent_util', '%', 'Utilization', ['Nothing was received', '']),
    plot('Paused', 'For how long each class of a port was told to send nothing, in each report interval.', 'pfc', 'sum interval_total_time_xoff_usec', 'us', 'Paused time', ['It was never paused', '']),
    plot('Dropped', 'Packets dropped on their way out, in each report interval.', 'nd-stats', 'rise tx_drops', 'packets', 'Dropped', ['It dropped nothing on the way out', '']),
    plot('Round trips', 'Mean time from a packet to its acknowledgement, of its NIC.', 'roce-transport-stats', 'mean ivl_avg_calc_rtt_usec', 'us', 'Round-trip time', ['Nothing known', 'Only RoCE NICs measure round trips.']),
    section({ title: 'Ports', what: 'In the recording window.', rows: rowsOf(run, 'nd-stats', { component_name: name }) }, async () => {
      const data = await run.data({ metric: 'nd-stats', mode: 'ports' });
      const rows = data?.ports.filter((one) => one.component === name) ?? [];
      if (!rows.length) return null;
      return table({
        rows, label: 'Ports', height: 320, sort: 0,
        columns: [
          { name: 'Port', right: true, value: (row) => row.port }, { name: 'Direction', value: (row) => row.direction },
          ...data.columns.map((column, n) => ({
            name: column.column.replace(new RegExp(`_${column.unit === 'us' ? 'usec' : column.unit}$`), '').replaceAll('_', ' '), unit: column.unit, right: true, title: column.description,
            value: (row) => row.values[n], show: (row) => h('span', { title: exact(row.values[n], column.unit) }, column.kind === 'total' ? count(row.values[n]) : number(row.values[n])),
          })),
        ],
      }).element;
    }),
  ];
  const known = await run.data({ metric: 'nd-stats', mode: 'ports' });
  const host = known?.ports.some((one) => one.component === name && one.tier === 'nic');
  const [sent, received, paused, dropped, trips, all] = parts.map(({ element }) => element);
  place.replaceChildren(...[
    h('div', { class: 'head' }, h('h1', {}, name), h('span', { class: 'faint' }, 'in ', h('a', { href: `#/simulations/${id}` }, details.name))),
    h('div', { class: 'two' }, sent, received), h('div', { class: 'two' }, paused, dropped), host ? trips : null, all,
  ].filter(Boolean));
}

