// One simulation: how it stands, what it came to, and how that developed.

import { figureList, message } from '../card.js';
import { h, say } from '../dom.js';
import { between, count, instant, number, quantity, seconds } from '../format.js';
import { FINAL, progress, status } from './simulations.js';
import { drops, files, fileOf, latency, logs, network, overTime, pauses, utilization, worst } from './sections.js';
import { timeline } from './timeline.js';

/** How often plots of what runs are drawn anew, in milliseconds; the time that takes comes on top. */
const AGAIN = 4_000;

/** A run as the parts of the view want it. */
export function runOf(source, details, results, go) {
  const run = {
    source, id: details.id, details, files: results.files,
    final: () => FINAL.includes(run.details.status),
    data: (wanted) => source.data(details.id, wanted, run.final()),
    results: async () => {
      const found = await source.results(details.id);
      run.files = found.files;
      return found;
    },
    open: go && ((name) => go(`/simulations/${details.id}/component/${encodeURIComponent(name)}`)),
  };
  return run;
}

/** The figures of a run: `[name, value, remark]`. */
export function figures(details, results, told) {
  const summary = results?.summary ?? {};
  const sum = (key) => told?.applications?.reduce((all, one) => all + (one[key] ?? 0), 0);
  const simulated = told?.simulated_seconds ? seconds(told.simulated_seconds) : details.metrics && details.metrics.simulatedTime !== '0s' ? spaced(details.metrics.simulatedTime) : null;
  const took = told?.wall_seconds ? seconds(told.wall_seconds, 3)
    : details.startedAt && details.metrics?.eventsProcessed ? between(details.startedAt, details.completedAt ?? new Date().toISOString()) : null;
  const one = told?.applications?.length === 1 ? told.applications[0] : null;
  const goodput = told?.applications?.some(({ goodput_gbps: rate }) => rate !== null && rate !== undefined) ? sum('goodput_gbps') : null;
  return [
    ['Goodput', goodput ? quantity(goodput, 'Gbps') : spaced(details.metrics?.throughput ?? summary.throughput), 'payload, in the recording window'],
    ['Mean latency', one?.latency_us ? quantity(one.latency_us.mean, 'us') : spaced(summary.avgLatency), 'of requests'],
    one?.latency_us && ['99th percentile', quantity(one.latency_us.p99, 'us'), 'of the latency'],
    Boolean(told?.applications?.length) && ['Requests', count(sum('recorded')), 'completed in the recording window'],
    summary.totalPackets !== undefined && ['Packet-hops', count(summary.totalPackets), 'frames sent, at each port'],
    told?.drops !== undefined && ['Dropped', count(told.drops), 'packets'],
    told?.pfc_pauses !== undefined && ['PFC pauses', count(told.pfc_pauses), 'sent'],
    told?.packets_resent !== undefined ? ['Sent again', count(told.packets_resent), 'packets']
      : told?.retransmissions !== undefined && ['Retransmissions', count(told.retransmissions), 'times that packets were sent again'],
    simulated && ['Simulated', simulated, details.duration ? `of which ${windowOf(details)} recorded` : ''],
    Boolean(details.metrics?.eventsProcessed) && ['Events', count(details.metrics.eventsProcessed), details.metrics.packetsPerSecond ? `${number(details.metrics.packetsPerSecond / 1e6, 3)} M packet-hops a second` : ''],
    took && ['Took', took, 'of real time'],
    told?.peak_rss_bytes && ['Memory', quantity(told.peak_rss_bytes, 'B', 3), 'at most'],
  ].filter((one) => one && one[1] !== undefined && one[1] !== null);
}

/** The length of the recording window as people read it. */
function windowOf({ duration }) {
  const nanoseconds = duration?.match(/^(\d+)ns$/);
  return nanoseconds ? seconds(Number(nanoseconds[1]) / 1e9) : spaced(duration);
}

/** A value of the server with its unit apart: `9 ms`. */
export const spaced = (text) => text?.replace(/^([\d.]+)([a-zA-Z])/, '$1 $2');

export async function simulation({ server, place, go, signal }, id) {
  const details = await server.simulation(id);
  const none = { summary: {}, files: [] };
  const results = await server.results(id).catch((failure) => { if (failure.status === 404) return none; throw failure; });
  const run = runOf(server, details, results, server.still ? null : go);
  document.title = `${details.name} – Packetloom`;

  const state = h('span', {});
  const actions = h('div', { class: 'right' });
  const top = h('div');
  const parts = h('div');
  let made = [];
  place.replaceChildren(h('div', { class: 'head' }, h('h1', {}, details.name), state, server.viewer ? null : h('span', { class: 'faint code' }, details.id), actions), top, parts);

  async function overview() {
    const told = run.final() ? await server.told(id).catch(() => null) : null;
    const found = run.final() ? await run.results().catch(() => none) : results;
    show(run.details, told, found);
  }

  function show(details, told, found) {
    state.replaceChildren(status(details.status));
    const waits = ['validating', 'provisioning'].includes(details.status);
    actions.replaceChildren(...[
      !server.viewer && (waits || details.status === 'running') && h('button', { type: 'button', onclick: (event) => stop(event.currentTarget) }, 'End it now'),
      !server.viewer && FINAL.includes(details.status) && h('button', { type: 'button', onclick: (event) => remove(event.currentTarget) }, 'Delete'),
    ].filter(Boolean));
    const list = figures(details, found, told);
    top.replaceChildren(h('section', { class: 'card', id: 'overview', 'aria-label': 'Overview' },
      details.status === 'running' && progress(details, true),
      details.failureReason && h('p', { class: 'note bad', role: 'alert' }, details.failureReason),
      waits && message('It waits for its turn', 'It begins when one that runs has ended.'),
      list.length > 0 && figureList(list),
      told?.warnings?.length ? h('div', {}, told.warnings.map((text) => h('p', { class: 'note' }, text))) : null,
      h('p', { class: 'faint when' }, server.viewer ? `Written ${instant(details.completedAt)}.` : `Asked for ${instant(details.createdAt)}${details.completedAt ? `, ended ${instant(details.completedAt)}` : ''}.`)));
  }

  /** The parts, once there is something to draw. */
  function build() {
    if (made.length) return;
    const portals = run.files.some(({ name }) => name === 'operations.csv') && !fileOf(run, 'topology-report');
    if (portals) {
      made = [timeline(run), files(run)];
      parts.replaceChildren(...made.map(({ element }) => element));
      return;
    }
    const [one, two, three, four, five, six, seven, eight, nine] = [latency, overTime, utilization, pauses, drops, network, worst, files, logs].map((part) => part(run));
    // Only the server's jobs keep a log.
    const logged = !server.viewer || run.files.some(({ name }) => name === 'logs.jsonl');
    made = [one, two, three, four, five, six, seven, eight, ...(logged ? [nine] : [])];
    const jump = h('nav', { class: 'jump', 'aria-label': 'Parts of this page' }, made.map(({ element }) => h('a', {
      href: `#${element.id}`, onclick: (event) => { event.preventDefault(); element.scrollIntoView({ behavior: 'instant' }); element.setAttribute('tabindex', '-1'); element.focus({ preventScroll: true }); },
    }, element.getAttribute('aria-label'))));
    parts.replaceChildren(jump, h('div', { class: 'two' }, one.element, two.element), three.element, h('div', { class: 'two' }, four.element, five.element), six.element, seven.element, logged ? h('div', { class: 'two' }, eight.element, nine.element) : eight.element);
  }

  async function stop(button) {
    button.disabled = true;
    await server.terminate(id).catch((failure) => { say(failure.message); });
  }

  async function remove(button) {
    if (button.dataset.sure !== 'yes') {
      button.dataset.sure = 'yes';
      button.textContent = 'Delete with all its files?';
      setTimeout(() => { button.dataset.sure = ''; button.textContent = 'Delete'; }, 5_000);
      return;
    }
    button.disabled = true;
    await server.remove(id);
    go('/');
  }

  await overview();
  if (details.startedAt || run.files.length) build();
  if (!run.final()) follow();

  async function follow() {
    refresh();
    while (!signal.aborted && !run.final()) {
      await server.follow(id, (now) => {
        if (now.status !== run.details.status) say(`${now.name}: ${now.status}`);
        run.details = now;
        if (!run.final()) show(now, null, results);
      }, signal).catch(() => null);
      if (!run.final()) await new Promise((done) => { setTimeout(done, 2_000); });
    }
    if (signal.aborted) return;
    await overview();
    build();
    await Promise.all(made.map((part) => part.again()));
  }

  /** Draws what runs anew now and then. */
  async function refresh() {
    while (!signal.aborted && !run.final()) {
      if (run.details.status === 'running') {
        await run.results().catch(() => null);
        if (run.files.length) build();
        if (!document.hidden) await Promise.all(made.map((part) => part.again()));
      }
      await new Promise((done) => { setTimeout(done, AGAIN); });
    }
  }
}
