// Runs on disk: shown by `packetloom open`, and in a file of `packetloom report`.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Browser, close, drawn, folder, nearestRank, open, packetloom, part, rowsOf, shot, stopAll, tip, value } from './lab.mjs';

const EXAMPLES = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '../../../examples/portals');
const lab = folder();
const runs = path.join(lab, 'runs');
let browser;

before(async () => {
  browser = await Browser.start();
  for (const [name, many] of [['many', 4], ['few', 1]]) {
    await packetloom('run', 'template:rdma-incast', '--quiet', '--name', name, '--out', path.join(runs, name), '--set', 'SimulationParameters.RunTime=0.001', '--set', `Rdma.NumConnections=${many}`);
  }
  await packetloom('run', 'template:mixed-rdma-tcp', '--quiet', '--name', 'both', '--out', path.join(runs, 'both'), '--set', 'SimulationParameters.RunTime=0.002');
  const program = path.join(lab, 'ring.so');
  await packetloom('portals', 'cc', '-o', program, path.join(EXAMPLES, 'ring.c'));
  await packetloom('portals', 'run', '--quiet', '--log', path.join(runs, 'ring'), path.join(EXAMPLES, 'star.xml'), path.join(EXAMPLES, 'ring.deploy.xml'), program, 'ring');
});
after(async () => {
  await browser?.stop();
  await stopAll();
});

async function at(url, act, options) {
  const base = url.startsWith('file:') ? url.split('#')[0] : url.split('/#')[0];
  const page = await browser.page(base, options);
  await page.goto(url);
  await act(page, base);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

/** What the page shows of `many`, which both ways have. */
async function looksRight(page) {
  const rows = rowsOf(path.join(runs, 'many/many-rdma-perf-0.csv'));
  const { recording_window_ps: window } = JSON.parse(fs.readFileSync(path.join(runs, 'many/many-run.json')));
  const latencies = rows.filter((row) => row.sim_time_sec >= window[0] / 1e12 && row.sim_time_sec <= window[1] / 1e12).map((row) => row.perf_metric_usec);
  const latency = await part(page, 'latency');
  for (const [mark, fraction] of [['p50', 0.5], ['p99', 0.99]]) {
    const shown = Number(await latency.locator(`circle[data-mark="${mark}"]`).getAttribute('data-value'));
    assert.ok(close(shown, nearestRank(latencies, fraction), 3), `${mark}: ${shown}`);
  }
  assert.match(await page.locator('#overview').textContent(), new RegExp(`Requests${latencies.length}`));
  for (const id of ['time', 'links', 'pauses', 'topology', 'worst']) {
    const section = await part(page, id);
    assert.equal(await section.locator('.message').count(), 0, `${id}: ${await section.textContent()}`);
  }
}

test('open shows the runs of a folder, and compares them', async () => {
  const shown = await open(runs);
  await at(shown.url, async (page, base) => {
    await page.locator('h1', { hasText: 'Runs' }).waitFor();
    await page.locator('tbody tr').nth(3).waitFor();
    assert.deepEqual(await page.locator('tbody tr td:nth-child(2)').allTextContents().then((all) => all.sort()), ['both', 'few', 'many', 'ring']);
    // Nothing can be started, ended or deleted.
    assert.equal(await page.getByRole('link', { name: /New/ }).count(), 0);
    await shot(page, 'open-list');
    await page.getByRole('link', { name: 'many', exact: true }).click();
    await looksRight(page);
    assert.equal(await page.getByRole('button', { name: /Delete|End it/ }).count(), 0);
    await shot(page, 'open-run');
    // Both kinds of applications of a run are shown.
    await page.goto(`${base}/#/`);
    await page.getByRole('link', { name: 'both', exact: true }).click();
    const latency = await part(page, 'latency');
    assert.deepEqual(await latency.locator('.legend button').allTextContents(), ['Rdma', 'Tcp']);
    const tcp = rowsOf(path.join(runs, 'both/both-perf-0.csv')).map((row) => row.perf_metric_usec);
    const cells = await latency.locator('tbody tr').last().locator('td').allTextContents();
    assert.equal(Number(cells[1]), tcp.length);
    assert.ok(close(Number(cells[8]), Math.max(...tcp), 5), `${cells}`);
    await page.goto(`${base}/#/`);
    await page.getByLabel('Compare many').check();
    await page.getByLabel('Compare few').check();
    await page.getByRole('button', { name: 'Compare 2' }).click();
    const differences = page.getByRole('table', { name: 'Differences' });
    await differences.waitFor();
    assert.match(await differences.textContent(), /NumConnections[41][41]/);
    await page.getByRole('link', { name: /^rows of rdma-perf of few/ }).first().click();
    await page.locator('h1', { hasText: 'few-rdma-perf-0.csv' }).waitFor();
  });
  assert.equal(await shown.stop(), 0);
});

test('a run of which only records are left is shown as far as they tell', async () => {
  const left = path.join(lab, 'left');
  fs.cpSync(path.join(runs, 'few'), left, { recursive: true });
  for (const name of ['few-run.json', 'few-configuration.json']) fs.rmSync(path.join(left, name));
  fs.writeFileSync(path.join(left, 'summary.json'), 'nonsense');
  const shown = await open(left);
  await at(shown.url, async (page) => {
    await page.locator('h1', { hasText: 'few' }).waitFor();
    await (await part(page, 'topology')).locator('canvas').first().waitFor();
    const worst = await part(page, 'worst');
    assert.match(await worst.locator('tbody tr').first().textContent(), /^ScalaRackSwitch/);
    await page.locator('#latency').getByRole('link', { name: 'rows of rdma-perf' }).click();
    await page.locator('h1', { hasText: 'few-rdma-perf-0.csv' }).waitFor();
  });
  assert.equal(await shown.stop(), 0);
});

test('the log of a Portals run is a timeline by node', async () => {
  const shown = await open(path.join(runs, 'ring'));
  const rows = rowsOf(path.join(runs, 'ring/operations.csv'));
  await at(shown.url, async (page) => {
    // Of one run, the page begins with it.
    const section = await part(page, 'timeline').catch(async () => { await page.locator('#timeline').waitFor(); return part(page, 'timeline'); });
    assert.equal(await section.getByRole('status').last().textContent(), `${rows.length} rows`);
    // The longest put is under the pointer where it should be: nodes have lanes main, TX, RX and E2E below each other.
    const put = rows.filter((row) => row.operation_type === 3 && row.initiator_nid === 0).sort((a, b) => b.end_time - b.start_time - (a.end_time - a.start_time))[0];
    const last = Math.max(...rows.map((row) => row.end_time));
    await section.locator('.drawing').scrollIntoViewIfNeeded();
    await section.evaluate((element) => element.scrollIntoView({ block: 'start' }));
    const box = await section.locator('canvas').boundingBox();
    const middle = (put.start_time + put.end_time) / 2;
    await page.mouse.move(box.x + 110 + (middle / last) * (box.width - 124), box.y + 8 + 17 * 1.5);
    const read = await tip(page);
    assert.equal(read.title, 'put');
    assert.equal(read.values.node, `0 to ${put.target_nid}`);
    assert.ok(close(value(read.values.begins), put.start_time, 6) && close(value(read.values.takes), put.end_time - put.start_time, 6), JSON.stringify(read));
    // It has the colour of puts.
    const [color, pixel] = await section.locator('canvas').evaluate((canvas, [x, y]) => {
      const ratio = canvas.width / canvas.getBoundingClientRect().width;
      return [getComputedStyle(document.documentElement).getPropertyValue('--c0').trim(), [...canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data]];
    }, [110 + (middle / last) * (box.width - 124), 8 + 17 * 1.5]);
    assert.ok(pixel[2] > pixel[0] + 50, `${pixel} for ${color}`);
    // Closer, by keyboard.
    await section.locator('.drawing').focus();
    await page.keyboard.press('+');
    assert.match(await page.locator('#said').textContent(), / to /);
    await page.keyboard.press('n');
    assert.match(await page.locator('#said').textContent(), /begins .* takes/);
    await page.keyboard.press('Home');
    await shot(page, 'timeline');
  });
  assert.equal(await shown.stop(), 0);
});

test('a report shows the same from one file, without a server', async () => {
  const file = path.join(lab, 'many.html');
  await packetloom('report', path.join(runs, 'many'), '--out', file);
  await at(pathToFileURL(file).href, async (page) => {
    await page.locator('h1', { hasText: 'many' }).waitFor();
    await looksRight(page);
    // A plot is read as on a server.
    const section = await part(page, 'links');
    const box = await section.locator('canvas.heat').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + 12);
    const { title, values } = await tip(page);
    const [[where, shown]] = Object.entries(values);
    const row = rowsOf(path.join(runs, 'many/many-nd-stats-0.csv'))
      .find((one) => `${one.component_name} port ${one.ifid}` === title && close(one.sim_time_sec, value(where.match(/up to (.*)$/)[1]), 6));
    assert.ok(close(value(shown), row.tx_link_percent_util, 5), `${title}: ${shown}`);
    await shot(page, 'report');
  });
  // Dark, and of several runs.
  const all = path.join(lab, 'all.html');
  await packetloom('report', runs, '--out', all);
  await at(pathToFileURL(all).href, async (page) => {
    await page.locator('h1', { hasText: 'Runs' }).waitFor();
    await page.getByLabel('Compare many').check();
    await page.getByLabel('Compare few').check();
    await page.getByRole('button', { name: 'Compare 2' }).click();
    assert.match(await page.getByRole('table', { name: 'Differences' }).textContent(), /NumConnections/);
    await drawn(page);
    await page.goBack();
    await page.getByRole('link', { name: 'ring' }).click();
    const section = await part(page, 'timeline');
    assert.ok((await section.locator('canvas').boundingBox()).height > 200);
    await shot(page, 'report-timeline-dark');
  }, { colorScheme: 'dark' });
});

test('a script in a report that is not its own does nothing', async () => {
  const file = path.join(lab, 'marked.html');
  await packetloom('report', path.join(runs, 'few'), '--out', file);
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace('</body>', '<script>window.broken = 1</script><img src="data:," onerror="window.broken = 1"></body>'));
  const page = await browser.page(pathToFileURL(file).href);
  await page.goto(pathToFileURL(file).href);
  await page.locator('h1', { hasText: 'few' }).waitFor();
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.ok(page.complaints.some((one) => one.includes('Content Security Policy')), page.complaints.join());
  await page.context().close();
});
