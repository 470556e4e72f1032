// The page as people use it: from the token to the worst link.

import assert from 'node:assert/strict';
import fs from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser, Server, close, drawn, nearestRank, part, pause, shot, stopAll, tip, value } from './lab.mjs';

let server;
let browser;
let incast;

before(async () => {
  [server, browser] = await Promise.all([Server.start(), Browser.start()]);
  incast = await server.run('incast', 'rdma-incast', '1ms', connections(4));
});
after(async () => {
  await browser?.stop();
  await stopAll();
});

/** Gives each pair so many connections, and the recording window fifty reports. */
function connections(many) {
  return (document) => {
    document.applications[0].typedParameters.NumConnections.value = many;
    document.globalParameters.SimulationParameters.NDStatsReportInterval = { type: 'double', value: 0.00002 };
  };
}

/** A tab at a route that has complained of nothing at the end. */
async function at(route, act, options) {
  const page = await browser.signedIn(server, route, options);
  await act(page);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
}

test('whoever has no token is asked for one, and a wrong one is told to be wrong', async () => {
  const page = await browser.page(server.base);
  await page.goto(server.base);
  const field = page.getByLabel('Token', { exact: true });
  await field.waitFor();
  assert.equal(await page.locator('[role=alert]:visible').count(), 0);
  await field.fill('plt_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const why = page.locator('#why');
  await why.waitFor();
  assert.match(await why.textContent(), /does not know this token/);
  assert.equal(await page.getByLabel('Token', { exact: true }).getAttribute('aria-invalid'), 'true');
  await shot(page, 'sign-in');
  await page.getByLabel('Token', { exact: true }).fill(server.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('h1', { hasText: 'Simulations' }).waitFor();
  // It is kept for this tab alone.
  assert.deepEqual(await page.evaluate(() => [sessionStorage.length, localStorage.length]), [1, 0]);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  assert.deepEqual(page.complaints, []);
  await page.context().close();
});

test('a simulation starts from a template in three clicks, and is watched to its end', () => at('/', async (page) => {
  await page.getByRole('link', { name: 'New simulation' }).click();
  await page.getByRole('link', { name: /^rdma-16-hosts/ }).click();
  await drawn(page);
  await shot(page, 'new');
  // A run that lasts a few seconds, so that there is something to watch.
  await page.getByLabel('Run time').fill('0.02');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.status.running').waitFor();
  const bar = page.getByRole('progressbar');
  await bar.waitFor();
  let last = 0;
  const seen = new Set();
  for (let n = 0; n < 100 && seen.size < 3; n++) {
    const now = await bar.evaluate((element) => element.value, null, { timeout: 2_000 }).catch(() => null);
    if (now === null) break;
    assert.ok(now >= last, `progress went from ${last} to ${now}`);
    last = now;
    seen.add(now);
    await pause(150);
  }
  assert.ok(seen.size >= 3, `progress was seen only at ${[...seen]}`);
  await page.locator('.status.completed').waitFor({ timeout: 120_000 });
  // Nobody loaded the page again: the figures and the plots are there.
  await page.locator('#latency circle').first().waitFor();
  assert.match(await page.locator('#overview').textContent(), /Goodput2\.\d+ Tbps/);
  const id = page.url().split('/').at(-1);
  const details = await server.call('GET', `/simulations/${id}`);
  assert.equal(details.status, 'completed');
  assert.equal(details.duration, '20000000ns');
}));

test('what is wrong is said at its field', () => at('/new', async (page) => {
  await page.getByRole('link', { name: /^rdma-one-rack/ }).click();
  const requests = page.getByLabel('Outstanding requests');
  await requests.fill('many');
  const wrong = page.locator('.field', { has: requests }).locator('.wrong');
  assert.equal(await wrong.textContent(), 'Give a number.');
  await page.getByRole('button', { name: 'Start' }).click();
  assert.equal(await page.evaluate(() => document.activeElement.id), await requests.getAttribute('id'));
  // What only the server knows.
  await requests.fill('4');
  const connections = page.getByLabel('Connections per pair');
  await connections.fill('0');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForFunction(() => [...document.querySelectorAll('.wrong')].some((one) => one.textContent.length > 10));
  assert.match(await page.locator('.field', { has: connections }).locator('.wrong').textContent(), /give 1 to 1024/);
  assert.deepEqual([await connections.getAttribute('aria-invalid'), await requests.getAttribute('aria-invalid')], ['true', null]);
  await shot(page, 'new-wrong');
  assert.equal((await server.call('GET', '/simulations?search=rdma-one-rack')).simulations.length, 0);
}));

test('the distribution of latency is that of the record', () => at(`/simulations/${incast}`, async (page) => {
  const { window } = await windowOf();
  const rows = server.rows(incast, 'incast', 'rdma-perf').filter((row) => row.sim_time_sec >= window[0] && row.sim_time_sec <= window[1]);
  const latencies = rows.map((row) => row.perf_metric_usec);
  assert.ok(latencies.length > 100);
  const section = await part(page, 'latency');
  for (const [mark, fraction] of [['p50', 0.5], ['p90', 0.9], ['p99', 0.99], ['p99.9', 0.999]]) {
    const dot = section.locator(`circle[data-mark="${mark}"]`);
    const right = nearestRank(latencies, fraction);
    assert.ok(close(Number(await dot.getAttribute('data-value')), right, 3), `${mark} is ${await dot.getAttribute('data-value')}, and in the record ${right}`);
  }
  // Where a dot is drawn follows from its value: the axis has at least two marks.
  const axis = await section.locator('svg').evaluate((svg) => {
    const ticks = [...svg.querySelectorAll('text[text-anchor=middle]')].filter((one) => /^[\d.,]+$/.test(one.textContent));
    const dots = [...svg.querySelectorAll('circle')].map((dot) => [Number(dot.getAttribute('cx')), Number(dot.dataset.value)]);
    return { ticks: ticks.map((one) => [Number(one.getAttribute('x')), Number(one.textContent.replaceAll(',', ''))]), dots, title: svg.textContent };
  });
  const [[x0, v0], [x1, v1]] = [axis.ticks[0], axis.ticks.at(-1)];
  const scale = axis.title.includes('latency [ms]') ? 1e3 : 1;
  for (const [x, usec] of axis.dots) {
    const here = v0 + ((x - x0) / (x1 - x0)) * (v1 - v0);
    assert.ok(Math.abs(here * scale - usec) < usec * 0.01, `a dot of ${usec} us stands at ${here * scale} us`);
  }
  // The table below has the same, and the least, the mean and the greatest exactly.
  const cells = await section.locator('tbody tr td').allTextContents();
  const mean = latencies.reduce((sum, one) => sum + one, 0) / latencies.length;
  assert.equal(cells[1].replaceAll(',', ''), String(latencies.length));
  for (const [n, right] of [[2, Math.min(...latencies)], [3, mean], [8, Math.max(...latencies)]]) {
    assert.ok(close(Number(cells[n].replaceAll(',', '')), right, 5), `${cells[n]} is not ${right}`);
  }
  // The pointer reads it too.
  const box = await section.locator('svg').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.5);
  const read = await tip(page);
  assert.match(read.title, /% took at most/);
  const fraction = Number(read.title.match(/^([\d.]+) %/)[1]) / 100;
  assert.ok(close(value(Object.values(read.values)[0]) * 1e6, nearestRank(latencies, fraction), 3), JSON.stringify(read));
}));

test('goodput over time is that of the record', () => at(`/simulations/${incast}`, async (page) => {
  const rows = server.rows(incast, 'incast', 'rdma-perf');
  const section = await part(page, 'time');
  await section.getByRole('button', { name: 'requests' }).click();
  const plot = section.locator('.drawing');
  // All points, read one by one, add up to all requests.
  await plot.focus();
  let [all, at, step] = [0, 0, 0];
  const text = await section.locator('p.faint').last().textContent();
  step = value(text.match(/A point is ([\d.]+ \w+)/)[1]);
  for (let n = 0; n < 2_000; n++) {
    await page.keyboard.press('ArrowRight');
    const read = await tip(page);
    const now = value(read.title);
    if (now === at) break;
    at = now;
    const [rate] = Object.values(read.values);
    if (rate !== '–') all += value(rate.replace(' /s', '').replace(/ ([kMG])\/s/, (_, prefix) => `e${{ k: 3, M: 6, G: 9 }[prefix]}`)) * step;
  }
  assert.ok(Math.abs(all / rows.length - 1) < 0.02, `${all} requests drawn, ${rows.length} in the record`);
  assert.ok(close(at, Math.max(...rows.map((row) => row.sim_time_sec)), 2), `the last point is at ${at}`);
  // Something is drawn in the colour of the first series.
  const drawn = await section.locator('canvas').first().evaluate((canvas) => {
    const wanted = getComputedStyle(document.documentElement).getPropertyValue('--c0').trim();
    const [r, g, b] = [1, 3, 5].map((at) => parseInt(wanted.slice(at, at + 2), 16));
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let many = 0;
    for (let n = 0; n < data.length; n += 4) if (data[n + 3] > 200 && Math.abs(data[n] - r) + Math.abs(data[n + 1] - g) + Math.abs(data[n + 2] - b) < 12) many++;
    return many;
  });
  assert.ok(drawn > 200, `${drawn} pixels of the line`);
}));

test('the heat map shows the utilization of each port in each report', () => at(`/simulations/${incast}`, async (page) => {
  const rows = server.rows(incast, 'incast', 'nd-stats');
  const section = await part(page, 'links');
  const canvas = section.locator('canvas.heat');
  const box = await canvas.boundingBox();
  let [read, busy] = [0, 0];
  for (let y = 10; y < box.height - 45; y += 12) {
    for (const part of [0.15, 0.5, 0.95]) {
      await page.mouse.move(box.x + 96 + (box.width - 110) * part, box.y + y);
      if (!await page.locator('.tip').isVisible()) continue;
      const { title, values } = await tip(page);
      const [[where, shown]] = Object.entries(values);
      const [, component, port] = title.match(/^(\S+) port (\d+)$/);
      const until = value(where.match(/up to (.*)$/)[1]);
      const row = rows.find((one) => one.component_name === component && one.ifid === Number(port) && close(one.sim_time_sec, until, 6));
      assert.ok(row, `${title} has no report at ${until}`);
      assert.ok(close(value(shown), row.tx_link_percent_util, 5), `${title} ${where}: ${shown}, and in the record ${row.tx_link_percent_util}`);
      // The pixel has the colour of the value.
      const scale = await canvas.evaluate((element) => element.width / element.getBoundingClientRect().width);
      const [r, g, b] = await canvas.evaluate((element, [x, y]) => [...element.getContext('2d').getImageData(x, y, 1, 1).data], [(96 + (box.width - 110) * part) * scale, y * scale].map(Math.round));
      const brightness = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      if (row.tx_link_percent_util > 90) assert.ok(brightness > 150, `${brightness} for ${row.tx_link_percent_util} %`);
      if (row.tx_link_percent_util < 5) assert.ok(brightness < 40, `${brightness} for ${row.tx_link_percent_util} %`);
      busy += row.tx_link_percent_util > 90;
      read++;
    }
  }
  assert.ok(read > 30 && busy > 0, `${read} cells read, ${busy} of them full`);
}));

test('pauses and drops are those of the records', () => at(`/simulations/${incast}`, async (page) => {
  const rows = server.rows(incast, 'incast', 'ecn-pfc-stats');
  const times = [...new Set(rows.map((row) => row.sim_time_sec))].sort((a, b) => a - b);
  const section = await part(page, 'pauses');
  const plot = section.locator('.drawing');
  await plot.focus();
  let [paused, last] = [0, ''];
  for (let n = 0; n < 500; n++) {
    await page.keyboard.press('ArrowRight');
    const read = await tip(page);
    if (read.title === last) break;
    last = read.title;
    for (const text of Object.values(read.values)) if (text !== '–') paused += value(text) * 1e6;
  }
  const right = rows.reduce((sum, row) => sum + row.interval_total_time_xoff_usec, 0);
  assert.ok(right > 0 && close(paused, right, 4), `${paused} us drawn, ${right} us in the record`);
  assert.ok(times.length > 2);
  const drops = await part(page, 'drops');
  assert.match(await drops.textContent(), /No packet was dropped/);
}));

test('the worst link is found, and leads to its switch and to its rows', () => at(`/simulations/${incast}`, async (page) => {
  const { window } = await windowOf();
  const rows = server.rows(incast, 'incast', 'nd-stats').filter((row) => row.sim_time_sec > window[0] && row.sim_time_sec <= window[1]);
  const most = rows.reduce((best, row) => (row.tx_link_percent_util > best.tx_link_percent_util ? row : best));
  const section = await part(page, 'worst');
  const cells = await section.locator('tbody tr').first().locator('td').allTextContents();
  const head = await section.locator('thead th').allTextContents();
  const cell = (name) => cells[head.findIndex((one) => one.startsWith(name))];
  assert.ok(close(Number(cell('Max util.')), most.tx_link_percent_util, 4), `${cell('Max util.')}, and in the record ${most.tx_link_percent_util}`);
  const best = rows.filter((row) => row.tx_link_percent_util === most.tx_link_percent_util).map((row) => `${row.component_name} ${row.ifid}`);
  assert.ok(best.includes(`${cell('Switch or host')} ${cell('Port')}`), `${cells} is none of ${best}`);
  // Another order, and a search.
  await section.getByRole('button', { name: /^Paused/ }).click();
  const paused = await section.locator('tbody tr').first().locator('td').last().textContent();
  assert.ok(Number(paused.replaceAll(',', '')) > 0, paused);
  await section.getByRole('searchbox').fill('nic');
  assert.match(await section.getByRole('status').textContent(), /^9 of \d+ rows$/);
  await section.getByRole('searchbox').fill('');
  // To the switch.
  await section.getByRole('link').filter({ hasText: 'Switch' }).first().click();
  await drawn(page);
  assert.match(await page.locator('h1').textContent(), /Switch/);
  await shot(page, 'component');
  await page.getByRole('link', { name: 'rows of nd-stats' }).first().click();
  await page.getByRole('status').filter({ hasText: /rows$/ }).waitFor();
  const name = decodeURIComponent(page.url().split('component_name=')[1]);
  const wanted = server.rows(incast, 'incast', 'nd-stats').filter((row) => row.component_name === name).length;
  assert.equal(await page.getByRole('status').filter({ hasText: /rows$/ }).textContent(), `${wanted.toLocaleString('en-US')} rows`);
  await shot(page, 'rows');
}));

test('a click on the drawn fabric leads to a node', () => at(`/simulations/${incast}`, async (page) => {
  const section = await part(page, 'topology');
  const canvas = section.locator('canvas').first();
  const box = await canvas.boundingBox();
  // One switch, in the middle of the tier of racks.
  await page.mouse.move(box.x + 70 + (box.width - 90) / 2, box.y + 34);
  const read = await tip(page);
  assert.match(read.title, /^ScalaRackSwitch/);
  const rows = server.rows(incast, 'incast', 'nd-stats');
  assert.ok(rows.some((row) => row.component_name === read.title));
  await page.mouse.down();
  await page.mouse.up();
  await page.locator('h1', { hasText: read.title }).waitFor();
}));

test('a file comes down as it is', () => at(`/simulations/${incast}`, async (page) => {
  const section = await part(page, 'files');
  await section.getByRole('searchbox').fill('rdma-perf-0.csv');
  const [download] = await Promise.all([page.waitForEvent('download'), section.getByRole('link', { name: 'incast-rdma-perf-0.csv' }).click()]);
  assert.equal(download.suggestedFilename(), 'incast-rdma-perf-0.csv');
  assert.deepEqual(fs.readFileSync(await download.path()), fs.readFileSync(server.file(incast, 'incast-rdma-perf-0.csv')));
}));

test('two runs are compared, and what differs between them is found', async () => {
  const few = await server.run('few', 'rdma-incast', '1ms', connections(1));
  await at('/', async (page) => {
    await page.getByLabel('Compare incast').check();
    assert.ok(await page.getByRole('button', { name: /^Compare/ }).isDisabled());
    await page.getByLabel('Compare few').check();
    await page.getByRole('button', { name: 'Compare 2' }).click();
    await drawn(page);
    await page.getByRole('table', { name: 'Differences' }).waitFor();
    const rows = await page.getByRole('table', { name: 'Differences' }).locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
    const found = Object.fromEntries(rows.map(([where, ...values]) => [where, values]));
    const key = Object.keys(found).find((where) => where.endsWith('NumConnections'));
    assert.deepEqual(found[key], ['4', '1']);
    // Nothing else was changed but the name.
    assert.deepEqual(Object.keys(found).filter((where) => where !== key && where !== 'name'), []);
    // Both are drawn, each with its own figures.
    for (const [id, name] of [[incast, 'incast'], [few, 'few']]) {
      const latency = server.rows(id, name, 'rdma-perf');
      const line = page.locator(`svg path[data-series^="${name}: "]`);
      assert.ok((await line.getAttribute('d')).length > 20);
      assert.ok(latency.length > 0);
    }
    const figures = await page.getByRole('table', { name: 'Figures' }).textContent();
    const told = JSON.parse(fs.readFileSync(server.file(incast, 'summary.json')));
    assert.ok(figures.includes(told.pfc_pauses.toLocaleString('en-US')), figures);
    await shot(page, 'compare');
  });
});

test('what a run is called and what it logs stays text', async () => {
  const called = 'A<img src=x onerror="window.broken=1">';
  const id = await server.run('marked', 'rdma-one-rack', '50us', function rename(part) {
    for (const [key, value] of Object.entries(part)) {
      if (value === 'Rdma') part[key] = called;
      else if (value && typeof value === 'object') rename(value);
    }
  });
  const line = { timestamp: '2026-01-01T00:00:00.000Z', level: 'error', component: '<b>engine</b>', message: '<script>window.broken=1</script><img src=x onerror="window.broken=1">' };
  fs.appendFileSync(server.file(id, 'logs.jsonl'), `${JSON.stringify(line)}\n`);
  await at(`/simulations/${id}`, async (page) => {
    const logs = await part(page, 'logs');
    await logs.getByText('<script>window.broken=1</script>').waitFor();
    assert.ok((await logs.textContent()).includes('<b>engine</b>'));
    const latency = await part(page, 'latency');
    assert.ok((await latency.textContent()).includes(called), await latency.textContent());
    const box = await latency.locator('svg').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await tip(page);
    await part(page, 'time');
    assert.equal(await page.evaluate(() => window.broken), undefined);
    assert.equal(await page.locator('main img').count(), 0);
  });
});

test('scripts and styles in text do nothing: the policy allows none', async () => {
  const answer = await fetch(server.base);
  const policy = answer.headers.get('content-security-policy');
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.ok(!policy.includes('unsafe'));
  const page = await browser.signedIn(server);
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.broken = 1';
    document.body.append(script);
  });
  assert.equal(await page.evaluate(() => window.broken), undefined);
  assert.ok(page.complaints.some((one) => one.includes('Content Security Policy')), page.complaints.join());
  await page.context().close();
});

test('everything can be done with the keyboard', () => at('/', async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim() || document.activeElement.getAttribute('aria-label') || document.activeElement.id);
  async function tabTo(text, most = 60) {
    for (let n = 0; n < most; n++) {
      await page.keyboard.press('Tab');
      const here = await focused();
      if (here === text || (text instanceof RegExp && text.test(here))) return;
    }
    assert.fail(`${text} cannot be reached; the last was ${await focused()}`);
  }
  // What is focused can be seen.
  await tabTo('New simulation');
  assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  await page.keyboard.press('Enter');
  await page.locator('h1', { hasText: 'New simulation' }).waitFor();
  await tabTo(/^rdma-one-rack/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Start' }).waitFor();
  const time = page.getByLabel('Run time');
  for (let n = 0; n < 60 && !(await time.evaluate((element) => element === document.activeElement)); n++) await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('0.00005');
  await page.keyboard.press('Enter');
  await page.locator('.status.completed').waitFor({ timeout: 60_000 });
  await drawn(page);
  // A plot is read with arrows, a table sorted, a series switched off.
  await part(page, 'latency');
  await page.locator('#latency svg').focus();
  await page.keyboard.press('ArrowRight');
  assert.match((await tip(page)).title, /% took at most/);
  assert.match(await page.locator('#said').textContent(), /took at most/);
  await part(page, 'worst');
  const heading = page.locator('#worst thead button').first();
  await heading.focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('#worst th[aria-sort=ascending]').count(), 1);
  await part(page, 'links');
  await page.locator('#links').getByRole('button', { name: 'mean by tier' }).focus();
  await page.keyboard.press('Enter');
  const item = page.locator('#links .legend button').first();
  await item.focus();
  await page.keyboard.press('Space');
  assert.equal(await item.getAttribute('aria-pressed'), 'false');
  // Every control has a name, every picture a text, every field a label.
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, a, input, select, canvas.heat, [role=img]')]
    .filter((one) => !(one.textContent.trim() || one.getAttribute('aria-label') || one.labels?.length || one.closest('[role=img]'))).map((one) => one.outerHTML));
  assert.deepEqual(nameless, []);
}));

test('light and dark are what the system wants, or what was chosen', async () => {
  const brightness = (page) => page.evaluate(() => {
    const of = (name) => getComputedStyle(document.body)[name].match(/\d+/g).slice(0, 3).map((part) => { const c = part / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
    const [page, text] = ['backgroundColor', 'color'].map((name) => { const [r, g, b] = of(name); return 0.2126 * r + 0.7152 * g + 0.0722 * b; });
    return { page, contrast: (Math.max(page, text) + 0.05) / (Math.min(page, text) + 0.05) };
  });
  await at(`/simulations/${incast}`, async (page) => {
    await drawn(page);
    const dark = await brightness(page);
    assert.ok(dark.page < 0.02 && dark.contrast > 7, JSON.stringify(dark));
    await shot(page, 'simulation-dark');
    await page.getByRole('button', { name: 'Use light colours' }).click();
    const light = await brightness(page);
    assert.ok(light.page > 0.8 && light.contrast > 7, JSON.stringify(light));
    await page.reload();
    await drawn(page);
    assert.ok((await brightness(page)).page > 0.8, 'the choice is forgotten');
  }, { colorScheme: 'dark' });
});

test('every view is there at two widths, light and dark', async () => {
  const { templates } = await server.call('GET', '/templates?limit=100');
  const few = (await server.call('GET', '/simulations?search=few')).simulations[0].id;
  const views = { list: '/', templates: '/new', form: `/new/${templates.find((one) => one.name === 'mixed-rdma-tcp').id}`, simulation: `/simulations/${incast}`, comparison: `/compare/${incast},${few}` };
  for (const [width, colorScheme] of [[1280, 'light'], [1280, 'dark'], [1920, 'light'], [1920, 'dark']]) {
    await at('/', async (page) => {
      for (const [name, route] of Object.entries(views)) {
        await page.goto(`${server.base}/#${route}`);
        await drawn(page);
        await shot(page, `${name}-${width}-${colorScheme}`);
        // Nothing is wider than the window.
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} at ${width}`);
      }
    }, { viewport: { width, height: 900 }, colorScheme });
  }
});

test('addresses that lead nowhere say so', async () => {
  await at('/nothing', async (page) => {
    await page.getByText('There is no such page').waitFor();
    await page.goto(`${server.base}/#/simulations/sim_000000000000000000000000000`);
    await page.getByRole('alert').filter({ hasText: /no simulation/i }).waitFor();
    await shot(page, 'nowhere');
    await page.goto(`${server.base}/#/compare/${incast}`);
    await page.getByText('There is nothing to compare').waitFor();
  });
});

test('a server that goes is missed, and one that comes back is found', async () => {
  const other = await Server.start();
  const page = await browser.signedIn(other);
  await other.stop();
  await page.getByRole('searchbox').fill('x');
  const lost = page.locator('.lost');
  await lost.waitFor({ state: 'visible', timeout: 20_000 });
  assert.match(await lost.textContent(), /does not answer/);
  await shot(page, 'server-gone').catch(() => {});
  const again = await Server.start(other.data, other.base.replace('http://', ''));
  await lost.waitFor({ state: 'hidden', timeout: 20_000 });
  await page.locator('h1', { hasText: 'Simulations' }).waitFor();
  await page.context().close();
  await again.stop();
});

/** The recording window of the run of incast, in seconds. */
async function windowOf() {
  const run = JSON.parse(fs.readFileSync(server.file(incast, 'incast-run.json')));
  return { window: run.recording_window_ps.map((ps) => ps / 1e12) };
}
