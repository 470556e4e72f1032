// The page: which view is shown, who may see it, and in which light.

import { Failure, Server, events, token } from './api.js';
import { failed, message, waiting } from './card.js';
import { h, hideTip } from './dom.js';
import { simulations } from './views/simulations.js';
import { simulation } from './views/simulation.js';
import { component } from './views/component.js';
import { icon, still } from './still.js';
import { start, templates } from './views/start.js';
import { compare } from './views/compare.js';
import { rows } from './views/rows.js';

const server = still() ?? new Server();
const THEME = 'packetloom-theme';
let shown = null;

/** What can be seen, and by which address. */
const VIEWS = [
  [/^\/?$/, simulations],
  [/^\/new$/, templates],
  [/^\/new\/([^/]+)$/, start],
  [/^\/simulations\/([^/]+)$/, simulation],
  [/^\/simulations\/([^/]+)\/component\/([^/]+)$/, component],
  [/^\/simulations\/([^/]+)\/rows\/([^/]+)$/, rows],
  [/^\/compare\/([^/]+)$/, compare],
];

function address() {
  const [path, query] = (location.hash.slice(1) || '/').split('?');
  return { path, query: new URLSearchParams(query) };
}

/** Goes to another view. */
export function go(path) {
  if (location.hash === `#${path}`) show();
  else location.hash = path;
}

function theme(wanted) {
  if (wanted) document.documentElement.dataset.theme = wanted;
  const chosen = document.documentElement.dataset.theme;
  return chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

const main = h('main', { id: 'main', tabindex: '-1' });
const lost = h('div', { class: 'lost', role: 'alert', hidden: true }, 'The server does not answer. It is asked again every few seconds.');
const menu = h('nav', { 'aria-label': 'Main' });
const out = h('button', { type: 'button', class: 'plain', onclick: () => { token.forget(); server.kept.clear(); show(); } }, 'Sign out');
const light = h('button', {
  type: 'button', class: 'plain',
  onclick: () => {
    localStorage.setItem(THEME, theme(theme() === 'dark' ? 'light' : 'dark'));
    names();
    show();
  },
});
document.body.append(
  h('a', { class: 'skip', href: '#main', onclick: (event) => { event.preventDefault(); main.focus(); } }, 'Skip to the content'),
  h('header', { class: 'bar' },
    h('a', { class: 'brand', href: '#/' }, h('img', { src: icon ?? '/page/icon.svg', alt: '' }), h('span', {}, 'Packetloom')), menu,
    h('div', { class: 'right' }, server.still ? null : h('a', { class: 'button plain', href: '/docs/', target: '_blank', rel: 'noopener' }, 'API'), light, out)),
  lost, main, h('div', { id: 'said', class: 'unseen', role: 'status', 'aria-live': 'polite' }));

function names() {
  light.textContent = theme() === 'dark' ? 'Light' : 'Dark';
  light.setAttribute('aria-label', `Use ${theme() === 'dark' ? 'light' : 'dark'} colours`);
  const { path } = address();
  const item = (href, name, current) => h('a', { href: `#${href}`, 'aria-current': current && 'page' }, name);
  menu.replaceChildren(...[
    item('/', server.viewer ? 'Runs' : 'Simulations', path === '/' || path.startsWith('/simulations')),
    server.viewer ? null : item('/new', 'New', path.startsWith('/new')),
  ].filter(Boolean));
  out.hidden = !token.get() || server.viewer;
}

/** Asks for a token; `why` says what was wrong with the one there was. */
function ask(why) {
  document.title = 'Sign in – Packetloom';
  const field = h('input', { id: 'token', type: 'password', autocomplete: 'off', spellcheck: 'false', required: true, 'aria-invalid': why ? 'true' : null, 'aria-describedby': why && 'why' });
  const keep = h('input', { id: 'keep', type: 'checkbox' });
  const form = h('form', { onsubmit: (event) => {
    event.preventDefault();
    token.forget();
    token.set(field.value.trim(), keep.checked);
    show();
  } },
  h('h1', {}, 'Sign in'),
  h('p', { class: 'faint' }, 'This server asks for a token. ', h('code', {}, 'packetloom token create NAME'), ' makes one; the first start of the server printed one too.'),
  h('label', { for: 'token' }, 'Token'), field,
  why && h('p', { id: 'why', class: 'note bad', role: 'alert' }, why),
  h('p', {}, h('label', {}, keep, ' Keep it in this browser')),
  h('button', { class: 'first' }, 'Sign in'));
  main.replaceChildren(h('div', { class: 'card token' }, form));
  field.focus();
}

/** Shows the view of the address. */
async function show() {
  shown?.abort();
  hideTip();
  const control = new AbortController();
  shown = control;
  const { path, query } = address();
  const found = VIEWS.map(([pattern, view]) => [path.match(pattern), view]).find(([match]) => match);
  names();
  if (!found) {
    main.replaceChildren(message('There is no such page', path, h('a', { class: 'button', href: '#/' }, 'All simulations')));
    return;
  }
  const [match, view] = found;
  let place;
  try {
    place = h('div', {}, waiting());
    main.replaceChildren(place);
    await view({ server, place, go, query, signal: control.signal }, ...match.slice(1).map(decodeURIComponent));
  } catch (failure) {
    if (control.signal.aborted || failure.name === 'AbortError') return;
    if (failure.status === 401) {
      const had = token.get();
      token.forget();
      names();
      ask(had ? 'The server does not know this token. It may have been revoked, or belong to another server.' : '');
      return;
    }
    if (!(failure instanceof Failure)) console.error(failure);
    place.replaceChildren(failed(failure, failure.status === 404 ? null : show), failure.status === 404 ? h('p', { class: 'message' }, h('a', { class: 'button', href: '#/' }, server.viewer ? 'All runs' : 'All simulations')) : '');
  }
}

events.addEventListener('gone', () => {
  if (!lost.hidden) return;
  lost.hidden = false;
  const again = setInterval(async () => {
    if (await server.health().catch(() => null)) {
      clearInterval(again);
      show();
    }
  }, 3_000);
});
events.addEventListener('there', () => { lost.hidden = true; });
addEventListener('hashchange', () => {
  if (!take()) {
    scrollTo(0, 0);
    show().then(() => { if (document.activeElement === document.body) main.focus({ preventScroll: true }); });
  }
});

/** Takes a token from the address, where it does not stay. */
function take() {
  const given = location.hash.match(/^#token=([^&]+)$/);
  if (!given) return false;
  token.forget();
  token.set(decodeURIComponent(given[1]), false);
  history.replaceState(null, '', `${location.pathname}#/`);
  show();
  return true;
}

if (localStorage.getItem(THEME)) theme(localStorage.getItem(THEME));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => show());
names();
server.health().then((health) => { server.viewer = health.mode === 'open'; }).catch(() => {}).then(async () => {
  names();
  if (!take()) show();
  // Of one run alone a list tells nothing.
  if (!server.viewer || address().path !== '/') return;
  const found = await server.simulations({ limit: 2 }).catch(() => null);
  if (found?.simulations.length === 1 && address().path === '/') go(`/simulations/${found.simulations[0].id}`);
});
