// How fast the page comes, and how long its tasks are, with many hosts and with many points. Prints a table; asserts nothing.

import path from 'node:path';
import { Browser, Server, folder, packetloom, open, pause } from './lab.mjs';

const lab = folder();
const runs = path.join(lab, 'runs');
const progress = (text) => process.stderr.write(`${text}\n`);

/** Times of a page, in milliseconds: from asking for it to the first paint, to all plots drawn; and the longest tasks. */
async function measure(browser, base, url, act) {
  const page = await browser.page(base);
  await page.addInitScript(() => {
    window.tasks = [];
    new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((one) => Math.round(one.duration)))).observe({ type: 'longtask', buffered: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector('main h1'));
  const begun = Date.now();
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  for (let y = 0; y < await height(); y += 300) {
    await page.mouse.wheel(0, 300);
    await pause(60);
  }
  await page.waitForFunction(() => !document.querySelector('main .wait'), null, { timeout: 300_000 });
  const drawn = Date.now() - begun;
  const first = await page.evaluate(() => Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime));
  const loading = await page.evaluate(() => window.tasks.splice(0));
  if (act) await act(page);
  await pause(300);
  const acting = await page.evaluate(() => window.tasks.splice(0));
  const { complaints } = page;
  await page.context().close();
  if (complaints.length) throw new Error(complaints.join('\n'));
  const longest = (all) => (all.length ? Math.max(...all) : '< 50');
  return { first, drawn, loading: longest(loading), acting: longest(acting) };
}

/** Scrolls the tables, hovers over the plots, switches between them. */
async function use(page) {
  for (const box of await page.locator('.rows').all()) {
    await box.scrollIntoViewIfNeeded();
    await box.hover();
    for (let n = 0; n < 20; n++) {
      await page.mouse.wheel(0, 900);
      await pause(16);
    }
  }
  for (const plot of await page.locator('.drawing').all()) {
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    for (let n = 1; n < 25; n++) {
      await page.mouse.move(box.x + (box.width * n) / 25, box.y + box.height * 0.4);
      await pause(16);
    }
  }
  const section = page.locator('#links');
  for (const name of ['mean by tier', 'most by tier', 'heat map']) {
    await section.getByRole('button', { name }).click();
    await pause(200);
  }
  // Closer, and back.
  await section.getByRole('button', { name: 'mean by tier' }).click();
  const plot = section.locator('.u-over');
  await plot.waitFor();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 8 });
  await page.mouse.up();
  await plot.dblclick();
}

async function run(name, template, sets) {
  progress(`simulating ${name}`);
  await packetloom('run', `template:${template}`, '--quiet', '--name', name, '--out', path.join(runs, name), ...Object.entries(sets).flatMap(([key, value]) => ['--set', `${key}=${value}`]));
}

const browser = await Browser.start();
const rows = [];
const server = await Server.start();
await server.run('small', 'rdma-16-hosts', '1ms');
rows.push(['list of simulations', await measure(browser, server.base, `${server.base}/#token=${server.token}`)]);
await server.stop();

await run('hosts', 'rdma-three-tier', {});
// 65,536 reports of each of 10 ports, in a recording window of 6.5536 ms.
await run('points', 'rdma-incast', { 'SimulationParameters.RunTime': 0.0065536, 'SimulationParameters.NDStatsReportInterval': 1e-7, 'Rdma.NumConnections': 4 });
for (const [name, title] of [['hosts', '1,024 hosts'], ['points', '65,536 points a series']]) {
  progress(`looking at ${title}`);
  const shown = await open(path.join(runs, name));
  const base = shown.url.split('/#')[0];
  rows.push([`${title}, first time`, await measure(browser, base, shown.url)]);
  rows.push([`${title}, again`, await measure(browser, base, shown.url, use)]);
  await shown.stop();
}
await browser.stop();

const head = ['', 'First paint [ms]', 'All plots [ms]', 'Longest task loading [ms]', 'Longest task in use [ms]'];
const table = [head, ...rows.map(([name, { first, drawn, loading, acting }]) => [name, first, drawn, loading, acting].map(String))];
const widths = head.map((_, n) => Math.max(...table.map((row) => row[n].length)));
for (const row of table) console.log(row.map((cell, n) => (n ? cell.padStart(widths[n]) : cell.padEnd(widths[n]))).join('  '));
