// What the page knows of simulations: asked of the server's public API.

const BASE = '/api/v1';
const KEY = 'packetloom-token';

/** Why something could not be had. `status` is that of HTTP, or 0 if there was no answer. */
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const token = {
  get: () => sessionStorage.getItem(KEY) ?? localStorage.getItem(KEY),
  /** Kept for this tab, or in the browser until one signs out. */
  set(text, keep) {
    (keep ? localStorage : sessionStorage).setItem(KEY, text);
  },
  forget() {
    sessionStorage.removeItem(KEY);
    localStorage.removeItem(KEY);
  },
};

/** Called when the server does not take the token. */
export const events = new EventTarget();

async function send(method, path, body, signal) {
  const headers = {};
  if (token.get()) headers.authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  let answer;
  try {
    answer = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    events.dispatchEvent(new Event('gone'));
    throw new Failure(0, 'The server does not answer. It may have ended, or the network is down.');
  }
  events.dispatchEvent(new Event('there'));
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  if (answer.status === 401) events.dispatchEvent(new Event('unknown'));
  throw new Failure(answer.status, told?.error?.message ?? `The server answered ${answer.status}`);
}

async function json(method, path, body, signal) {
  return (await send(method, BASE + path, body, signal)).json();
}

function query(parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length ? `?${new URLSearchParams(given)}` : '';
}

/** A link of the server as this page reaches it, also through a proxy. */
function here(url) {
  const link = new URL(url, location.href);
  return link.pathname + link.search;
}

/** The text of an answer, in pieces. */
async function* pieces(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

let worker = null;
const waiting = new Map();
let asked = 0;

/** What is in bytes that the server compressed; long lists of numbers come as Float64Array, with NaN for null. */
function unpacked(bytes) {
  if (!worker) {
    worker = new Worker(new URL('./decode.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data: { id, value, error } }) => {
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Failure(0, `What the server computed cannot be read: ${error}`));
      else resolve(value);
    };
  }
  return new Promise((resolve, reject) => {
    const id = ++asked;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, bytes }, [bytes]);
  });
}

/** Everything through the API of one server. */
export class Server {
  /** What of a finished simulation has been fetched: it does not change. */
  kept = new Map();

  health = () => json('GET', '/health');
  templates = () => json('GET', '/templates?limit=100');
  template = (id) => json('GET', `/templates/${id}`);
  createConfiguration = (document) => json('POST', '/configurations', document);
  replaceConfiguration = (id, version, document) => this.#edit(id, version, document);
  validate = (id) => json('POST', `/configurations/${id}/validate`);
  startSimulation = (wanted) => json('POST', '/simulations', wanted);
  terminate = (id) => json('POST', `/simulations/${id}/terminate`);
  remove = (id) => send('DELETE', `${BASE}/simulations/${id}`);
  simulations = (parameters) => json('GET', `/simulations${query(parameters)}`);
  simulation = (id) => json('GET', `/simulations/${id}`);
  logs = (id, next) => json('GET', `/simulations/${id}/logs${query({ limit: 100, next })}`);

  async #edit(id, version, document) {
    await send('DELETE', `${BASE}/configurations/${id}`).catch(() => {});
    return json('POST', '/configurations', document);
  }

  /** The figures and all files of a simulation. */
  async results(id) {
    let found = await json('GET', `/simulations/${id}/results?limit=100`);
    const files = [...found.files];
    while (found.pagination.hasMore) {
      found = await json('GET', `/simulations/${id}/results${query({ limit: 100, next: found.pagination.nextCursor })}`);
      files.push(...found.files);
    }
    return { summary: found.summary, files: files.map((file) => ({ ...file, downloadUrl: here(file.downloadUrl) })) };
  }

  /** Data computed from a record; null if the simulation has no such record. Kept if it is `final`. */
  data(id, wanted, final) {
    const key = `${id}${query(wanted)}`;
    const known = this.kept.get(key);
    if (known) return known;
    const found = this.#data(id, wanted);
    if (final) {
      this.kept.set(key, found);
      found.catch(() => this.kept.delete(key));
      if (this.kept.size > 60) this.kept.delete(this.kept.keys().next().value);
    }
    return found;
  }

  async #data(id, wanted) {
    let link;
    try {
      link = await json('GET', `/simulations/${id}/results/data${query(wanted)}`);
    } catch (failure) {
      if (failure.status === 404) return null;
      throw failure;
    }
    const answer = await send('GET', here(link.file.downloadUrl));
    return unpacked(await answer.arrayBuffer());
  }

  /** A signed link to a file, for a browser to follow. */
  async link(id, name) {
    return here((await json('GET', `/simulations/${id}/results/download-url${query({ fileName: name })}`)).downloadUrl);
  }

  /** The text of a file in pieces; null if there is none. */
  async text(id, name) {
    let link;
    try {
      link = await this.link(id, name);
    } catch (failure) {
      if (failure.status === 404) return null;
      throw failure;
    }
    return pieces(await send('GET', link));
  }

  /** The document a simulation ran, every attribute written out; null if nobody kept it. */
  async document(id) {
    const { files } = await this.results(id);
    const file = files.find(({ name }) => /(^|-)configuration\.json$/.test(name));
    const text = file && await this.text(id, file.name);
    return text ? JSON.parse(await whole(text)) : null;
  }

  /** What the program wrote about the run at its end; null before that. */
  async told(id) {
    const text = await this.text(id, 'summary.json');
    return text && JSON.parse(await whole(text));
  }

  /** Follows one simulation, or all of them: `act` gets its details each time they change. Until `signal` says to end. */
  async follow(id, act, signal) {
    const path = id ? `${BASE}/simulations/${id}/events` : `${BASE}/events`;
    const answer = await send('GET', path, undefined, signal);
    let rest = '';
    for await (const piece of pieces(answer)) {
      rest += piece;
      for (let end = rest.search(/\r?\n\r?\n/); end >= 0; end = rest.search(/\r?\n\r?\n/)) {
        const data = rest.slice(0, end).split(/\r?\n/).filter((line) => line.startsWith('data:'));
        rest = rest.slice(end).replace(/^\r?\n\r?\n/, '');
        if (data.length) act(JSON.parse(data.map((line) => line.slice(5)).join('\n')));
      }
    }
  }
}

/** All pieces of a text. */
export async function whole(text) {
  let all = '';
  for await (const piece of text) all += piece;
  return all;
}
