// What the tests of the page share: a server, a browser, records as they stand in files, and a place for screenshots.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { chromium } from 'playwright-core';

export const PROGRAM = process.env.PACKETLOOM;
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** Screenshots go there. */
export const SHOTS = process.env.SHOTS ?? fs.mkdtempSync(path.join(os.tmpdir(), 'packetloom-shots-'));

/** A folder that is gone when the tests are. */
export function folder() {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'packetloom-page-'));
  process.on('exit', () => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Runs the program to its end; what it prints. */
export async function packetloom(...words) {
  const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (data) => { out += data; });
  child.stderr.on('data', (data) => { errors += data; });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`packetloom ${words.join(' ')} ended with ${code}: ${errors}`);
  return out;
}

/** What was started and may still run. */
const children = new Set();

/** Ends everything that a test which failed has left: nothing would end otherwise. */
export async function stopAll() {
  await Promise.all([...children].map(ended));
}

/** Starts the program and reads `many` lines of what it says. */
async function started(words, many) {
  const child = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  process.on('exit', () => child.kill());
  const lines = [];
  for await (const line of readline.createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length >= many) break;
  }
  if (lines.length < many) throw new Error(`packetloom ${words.join(' ')} said only ${lines.join(' / ')}`);
  return { child, lines };
}

async function ended(child) {
  children.delete(child);
  if (child.exitCode !== null) return child.exitCode;
  child.kill();
  const [code] = await once(child, 'close');
  return code;
}

/** A server of its own. */
export class Server {
  static async start(data = path.join(folder(), 'data'), listen = '127.0.0.1:0') {
    const known = fs.existsSync(data);
    const { child, lines } = await started(['serve', '--listen', listen, '--data', data, '--jobs', '2'], known ? 2 : 4);
    const server = new Server();
    Object.assign(server, { child, data, base: lines[0].replace('listening on ', ''), token: known ? null : lines[3] });
    return server;
  }

  stop = () => ended(this.child);

  async call(method, route, body) {
    const answer = await fetch(`${this.base}/api/v1${route}`, {
      method, headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' }, body: body && JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`);
    return text ? JSON.parse(text) : null;
  }

  /** A simulation of a template that has come to its end; `change` may edit the document. */
  async run(name, template, duration, change = () => {}) {
    const { templates } = await this.call('GET', '/templates?limit=100');
    const { configuration } = await this.call('GET', `/templates/${templates.find((one) => one.name === template).id}`);
    const parts = ['components', 'containers', 'applications', 'links', 'topology', 'globalParameters'];
    const document = { name, ...Object.fromEntries(parts.map((part) => [part, configuration[part]])) };
    change(document);
    const { id: configurationId } = await this.call('POST', '/configurations', document);
    const verdict = await this.call('POST', `/configurations/${configurationId}/validate`);
    if (!verdict.valid) throw new Error(JSON.stringify(verdict));
    const { id } = await this.call('POST', '/simulations', { configurationId, name, duration });
    for (;;) {
      const details = await this.call('GET', `/simulations/${id}`);
      if (details.status === 'completed') return id;
      if (['failed', 'terminated'].includes(details.status)) throw new Error(JSON.stringify(details));
      await pause(100);
    }
  }

  /** A file of a simulation as it stands on the server's disk. */
  file = (id, name) => path.join(this.data, 'results', id, name);

  /** The rows of a record as objects; numbers where there are numbers. */
  rows = (id, name, record) => rowsOf(this.file(id, `${name}-${record}-0.csv`));
}

/** Runs on disk that are shown. */
export async function open(shown) {
  const { child, lines } = await started(['open', shown], 2);
  return { url: lines[1], stop: () => ended(child) };
}

/** The rows of a CSV file without quotes, as objects. */
export function rowsOf(file) {
  const [names, ...rows] = fs.readFileSync(file, 'utf8').trimEnd().split('\n').map((line) => line.split(','));
  return rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n] !== '' && Number.isFinite(Number(row[n])) ? Number(row[n]) : row[n]])));
}

export const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

/** A browser that complains of everything that goes wrong on a page. */
export class Browser {
  static async start() {
    const browser = new Browser();
    browser.inner = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    return browser;
  }

  stop = () => this.inner.close();

  /** A new tab. `complaints` has exceptions, breaches of the policy and requests to anything but `base`. */
  async page(base, options = {}) {
    const context = await this.inner.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    page.complaints = [];
    page.on('pageerror', (error) => page.complaints.push(`exception: ${error.message}`));
    page.on('console', (message) => {
      // That something is not there or not allowed is said by the page itself.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) page.complaints.push(`console: ${message.text()}`);
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(base) && !/^(data|blob):/.test(request.url())) page.complaints.push(`request to ${request.url()}`);
    });
    return page;
  }

  /** A tab in which somebody has signed in to the server. */
  async signedIn(server, route = '/', options = {}) {
    const page = await this.page(server.base, options);
    await page.goto(`${server.base}/#token=${server.token}`);
    await page.locator('h1', { hasText: 'Simulations' }).waitFor();
    if (route !== '/') await page.goto(`${server.base}/#${route}`);
    return page;
  }
}

/** A screenshot of the whole page, after everything has been seen once. */
export async function shot(page, name) {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < height; y += 400) {
    await page.evaluate((top) => scrollTo(0, top), y);
    await pause(30);
  }
  await page.waitForFunction(() => !document.querySelector('main .wait'), null, { timeout: 60_000 });
  await page.evaluate(() => scrollTo(0, 0));
  await pause(250);
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });
}

/** Waits until nothing that is seen waits for anything. */
export async function drawn(page) {
  await page.waitForFunction(() => document.querySelector('main h1')
    && [...document.querySelectorAll('main .wait')].every((one) => one.getBoundingClientRect().top > innerHeight), null, { timeout: 60_000 });
  await pause(250);
}

/** Brings a part of the page near, and waits until it is drawn. */
export async function part(page, id) {
  const found = page.locator(`#${id}`);
  await found.scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => {
    const section = document.getElementById(id);
    return section && !section.querySelector('.wait');
  }, id, { timeout: 60_000 });
  await pause(250);
  // What came in above it may have moved it.
  await found.evaluate((section) => section.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await pause(100);
  return found;
}

/** What the box at the pointer says: its heading, and values by name. */
export async function tip(page) {
  const box = page.locator('.tip');
  await box.waitFor({ state: 'visible' });
  return box.evaluate((element) => ({
    title: element.firstElementChild.textContent,
    values: Object.fromEntries([...element.querySelectorAll('.pair')].map((pair) => [pair.children[1].textContent, pair.querySelector('b').textContent])),
  }));
}

const SCALES = { ps: 1e-12, ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, kbps: 1e3, Mbps: 1e6, Gbps: 1e9, Tbps: 1e12, B: 1, kB: 1e3, MB: 1e6, GB: 1e9 };

/** The number in a text with its unit, in seconds, bits a second, bytes or as it is. */
export function value(text) {
  const [, number, unit] = text.replaceAll(',', '').match(/^([-\d.e+]+) ?(\S*)/);
  return Number(number) * (SCALES[unit] ?? 1);
}

/** Whether two numbers are the same but for rounding to `digits` digits. */
export function close(a, b, digits = 4) {
  return Math.abs(a - b) <= Math.abs(b) * 10 ** (1 - digits) + 1e-15;
}

/** The least of the values that a part of them does not exceed. */
export function nearestRank(values, part) {
  const ordered = [...values].sort((a, b) => a - b);
  return ordered[Math.max(0, Math.ceil(part * ordered.length - 1e-9) - 1)];
}
