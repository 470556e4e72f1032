// Runs that are in the page itself, in place of a server: a report that is one file.

import { Failure } from './api.js';
import { quantity } from './format.js';
import { packed } from './packed.js';

/** What is written in an element of the page as JSON; null if there is no such element. */
function written(id) {
  const element = document.getElementById(id);
  return element && JSON.parse(element.textContent);
}

/** The icon, as an address that needs no server; null if there is one. */
export const icon = written('icon');

/** The runs that are in the page; null if it has a server. */
export function still() {
  const runs = written('runs');
  return runs && new Still(runs);
}

/** What `Server` of api.js is, of runs that do not change. */
class Still {
  viewer = true;
  /** There are no rows to look at. */
  still = true;
  #runs;
  kept = new Map();

  constructor({ runs }) {
    this.#runs = new Map(runs.map((run) => [run.details.id, run]));
    for (const { details, told } of runs) {
      const rates = told?.applications?.map((one) => one.goodput_gbps).filter((rate) => typeof rate === 'number') ?? [];
      details.metrics = { progress: 1, eventsProcessed: told?.events ?? 0, throughput: rates.length ? quantity(rates.reduce((sum, rate) => sum + rate, 0), 'Gbps', 3) : undefined, simulatedTime: '0s' };
    }
  }

  #run(id) {
    const run = this.#runs.get(id);
    if (!run) throw new Failure(404, `There is no run ${id} in this report.`);
    return run;
  }

  simulation = async (id) => this.#run(id).details;
  health = async () => ({ status: 'healthy', mode: 'open' });
  logs = async () => ({ logs: [], pagination: { hasMore: false } });
  told = async (id) => this.#run(id).told;
  document = async (id) => this.#run(id).document;
  results = async (id) => ({ summary: {}, files: this.#run(id).files.map((file) => ({ ...file })) });

  async simulations({ search = '', status = '' }) {
    const all = [...this.#runs.values()].map(({ details }) => details);
    const found = all.filter((one) => one.name.toLowerCase().includes(search.toLowerCase()) && (!status || one.status === status));
    return { simulations: found, pagination: { hasMore: false } };
  }

  data(id, { metric, mode, tier }) {
    const key = `${id} ${metric} ${mode}`;
    if (!this.kept.has(key)) {
      const found = this.#run(id).data[`${metric} ${mode}`];
      this.kept.set(key, Promise.resolve(found ? packed(found, []) : null));
    }
    return this.kept.get(key).then((found) => (found?.series && tier ? { ...found, series: found.series.filter((one) => one.tier === tier) } : found));
  }

  /** The text of a file; null if it is not in the page. */
  async text(id, name) {
    const text = this.#run(id).texts[name];
    return text === undefined ? null : (async function* all() { yield text; })();
  }

  /** Whether only the beginning of a file is in the page. */
  cut = (id, name) => this.#run(id).cut.includes(name);

  /** Nothing happens to them. */
  follow = (id, act, signal) => new Promise((done) => { signal.addEventListener('abort', done, { once: true }); });
}
