// A simulation from a template: choose one, change the few values people change, start.

import { message } from '../card.js';
import { h, say } from '../dom.js';
import { count } from '../format.js';

/** Templates to choose from. */
export async function templates({ server, place }) {
  document.title = 'New simulation – Packetloom';
  const { templates: all } = await server.templates();
  place.replaceChildren(h('div', { class: 'head' }, h('h1', {}, 'New simulation'), h('span', { class: 'faint' }, 'Choose what to start from.')),
    all.length ? h('div', { class: 'cards' }, all.map((one) => h('a', { class: 'button pick', href: `#/new/${one.id}` }, h('b', {}, one.name), h('p', {}, one.description), h('em', {}, one.category))))
      : message('There are no templates', ''));
}

/** Attributes of applications that people change, and what to call them. */
const ATTRIBUTES = {
  NumConnections: 'Connections per pair',
  MaxPendingWQEs: 'Outstanding requests',
  TransferSize: 'Size of a request',
  RequestRate: 'Requests a second',
  AverageRequestSize: 'Mean size of a request',
  AverageReplySize: 'Mean size of a reply',
};
const RATES = { UplinkNetworkInterface: 'uplink rate', DownlinkNetworkInterface: 'downlink rate' };
const CHILDREN = { server: 'Hosts', rack: 'Racks', switch: 'Switches', pod: 'Pods', layer: 'Planes' };

/** What of a document can be changed here: `{label, hint, unit, path, get, set, kind, group}`. */
function fields(document) {
  const found = [];
  const add = (group, label, path, holder, key, more) => found.push({
    group, label, path, kind: typeof holder[key], get: () => holder[key], set: (value) => { holder[key] = value; }, ...more,
  });
  const parameters = document.globalParameters?.SimulationParameters ?? {};
  for (const [name, label, hint] of [['RunTime', 'Run time', 'length of the recording window, in simulated time'], ['RandomSeed', 'Seed', 'the same seed gives the same run']]) {
    if (parameters[name]) add('Run', label, `$.globalParameters.SimulationParameters.${name}`, parameters[name], 'value', { unit: name === 'RunTime' ? 's' : '', hint });
  }
  const counts = (owner, path, where) => owner.components?.forEach((child, n) => {
    if (CHILDREN[child.type]) add('Fabric', `${CHILDREN[child.type]}${where}`, `${path}.components[${n}]`, child, 'count', { hint: child.name, host: child.type });
  });
  counts(document.topology, '$.topology', '');
  const rank = ({ type }) => ['pod', 'rack'].indexOf(type);
  [...(document.containers ?? []).entries()].sort(([, a], [, b]) => rank(a) - rank(b)).forEach(([n, container]) => counts(container, `$.containers[${n}]`, ` in a ${container.type}`));
  document.links?.forEach((layer, n) => counts(layer, `$.links[${n}]`, ' in a plane'));
  document.components?.forEach((one, n) => {
    for (const [name, label] of Object.entries(RATES)) {
      const rate = one.typedParameters?.NetworkInterface?.[name]?.DataRate;
      if (rate) add('Rates', `${one.name}: ${label}`, `$.components[${n}].typedParameters.NetworkInterface.${name}.DataRate`, rate, 'value', { unit: rate.unit });
    }
  });
  document.applications?.forEach((one, n) => {
    for (const [name, label] of Object.entries(ATTRIBUTES)) {
      const parameter = one.typedParameters?.[name];
      if (parameter && typeof parameter.value === 'number') add(`Application ${one.name}`, label, `$.applications[${n}].typedParameters.${name}`, parameter, 'value', { unit: parameter.unit, hint: name });
    }
  });
  return found;
}

/** How many hosts a document has; 0 if that cannot be told. */
function hosts(document) {
  const containers = new Map((document.containers ?? []).map((one) => [one.name, one]));
  const of = (children) => (children ?? []).reduce((sum, child) => sum + (child.type === 'server' ? child.count : containers.has(child.name) ? child.count * of(containers.get(child.name).components) : 0), 0);
  return of(document.topology?.components);
}

/** Only what a document to store has. */
function plain(configuration, name) {
  const parts = ['components', 'containers', 'applications', 'links', 'topology', 'globalParameters'];
  return { name, ...Object.fromEntries(parts.map((part) => [part, configuration[part]])) };
}

/** The form. */
export async function start({ server, place, go, signal }, id) {
  const template = await server.template(id);
  document.title = `${template.name} – Packetloom`;
  const wanted = structuredClone(template.configuration);
  const all = fields(wanted);
  let stored = null;

  const total = h('p', { class: 'faint', role: 'status' });
  const findings = h('div', { 'aria-live': 'assertive' });
  const name = h('input', { id: 'name', value: template.name, required: true, pattern: '[0-9A-Za-z][0-9A-Za-z_\\-]*', maxlength: '200', autocomplete: 'off' });
  const begin = h('button', { class: 'first' }, 'Start');
  const inputs = all.map((field, n) => {
    const whole = field.label === 'Seed' || field.group === 'Fabric';
    const input = h('input', { id: `field-${n}`, value: field.get(), inputmode: 'decimal', autocomplete: 'off', 'aria-describedby': `hint-${n} wrong-${n}` });
    const wrong = h('span', { class: 'wrong', id: `wrong-${n}` });
    input.addEventListener('input', () => {
      const value = Number(input.value.trim());
      const bad = input.value.trim() === '' || !Number.isFinite(value) ? 'Give a number.'
        : value < 0 ? 'Give a number that is not negative.' : whole && !Number.isInteger(value) ? 'Give a whole number.' : '';
      tell(bad);
      if (!bad) field.set(value);
      field.bad = bad;
      summary();
    });
    function tell(text) {
      wrong.textContent = text;
      if (text) input.setAttribute('aria-invalid', 'true');
      else input.removeAttribute('aria-invalid');
    }
    return {
      field, tell, input,
      element: h('div', { class: 'field' }, h('label', { for: `field-${n}` }, field.label), h('div', { class: 'with' }, input, field.unit && h('span', {}, field.unit)),
        h('small', { id: `hint-${n}` }, field.hint ?? ''), wrong),
    };
  });
  const nameWrong = h('span', { class: 'wrong', id: 'wrong-name' });

  function summary() {
    const many = hosts(wanted);
    total.textContent = many ? `${count(many)} hosts in all.` : '';
  }

  /** Puts each finding at its field; those without one come first. */
  function put(list) {
    const others = [];
    for (const finding of list) {
      const at = finding.path && inputs.find(({ field }) => finding.path.startsWith(field.path) || (finding.parameter && field.path.endsWith(`.${finding.parameter}`) && field.path.startsWith(finding.path)));
      if (at) at.tell(finding.message);
      else others.push(finding);
    }
    findings.replaceChildren(...others.map((finding) => h('p', { class: 'note bad' }, finding.path ? h('code', {}, `${finding.path}: `) : null, finding.message)));
    const first = inputs.find(({ input }) => input.getAttribute('aria-invalid'));
    (first?.input ?? findings).scrollIntoView({ block: 'center' });
    first?.input.focus();
  }

  async function submit(event) {
    event.preventDefault();
    findings.replaceChildren();
    nameWrong.textContent = '';
    const wrong = inputs.find(({ field }) => field.bad);
    if (wrong) return wrong.input.focus();
    inputs.forEach(({ tell }) => tell(''));
    if (!/^[0-9A-Za-z][0-9A-Za-z_-]*$/.test(name.value)) {
      nameWrong.textContent = 'Letters, digits, - and _, beginning with a letter or digit.';
      return name.focus();
    }
    begin.disabled = true;
    begin.textContent = 'Checking…';
    try {
      const body = plain(wanted, name.value);
      stored = stored ? await server.replaceConfiguration(stored.id, stored.version, body) : await server.createConfiguration(body);
      const verdict = await server.validate(stored.id);
      if (!verdict.valid) {
        put(verdict.errors);
        say(`${verdict.errors.length} values are wrong`);
        return;
      }
      const seconds = all.find(({ label }) => label === 'Run time')?.get();
      const duration = seconds === undefined ? '10ms' : `${Number((seconds * 1e9).toFixed(3))}ns`;
      const run = await server.startSimulation({ configurationId: stored.id, name: name.value, duration });
      if (!signal.aborted) go(`/simulations/${run.id ?? run.simulationId}`);
    } catch (failure) {
      if (failure.status === 401) throw failure;
      put([{ message: failure.message }]);
    } finally {
      begin.disabled = false;
      begin.textContent = 'Start';
    }
  }

  const groups = [...new Set(all.map(({ group }) => group))];
  summary();
  place.replaceChildren(h('div', { class: 'head' }, h('h1', {}, template.name), h('span', { class: 'faint' }, template.description)),
    h('form', { class: 'card', novalidate: true, onsubmit: submit }, findings,
      h('fieldset', {}, h('legend', {}, 'Name'), h('div', { class: 'field' }, h('label', { for: 'name', class: 'unseen' }, 'Name'), name, h('small', {}, 'Names of files begin with it.'), nameWrong)),
      groups.map((group) => h('fieldset', {}, h('legend', {}, group), h('div', { class: 'fields' }, inputs.filter(({ field }) => field.group === group).map(({ element }) => element)), group === 'Fabric' && total)),
      h('div', { class: 'head' }, begin, h('a', { href: '#/new' }, 'Another template'), h('span', { class: 'faint' }, 'Every other value stays as the template has it.'))));
  begin.focus({ preventScroll: true });
}
