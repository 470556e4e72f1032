// Elements. Text given to them stays text: nothing here reads HTML.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked' || name === 'selected' || name === 'disabled') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An element with attributes, listeners (`onclick`) and children. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same, of a drawing. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Calls `act` when the element's width has changed, and once at the beginning; ends when it has left the page. */
export function onWidth(element, act) {
  let last = 0;
  const watch = new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      requestAnimationFrame(() => act(width));
    }
  });
  watch.observe(element);
}

/** Calls `act` once, when the element comes near to what is seen. */
export function whenNear(element, act) {
  const watch = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) {
      watch.disconnect();
      act();
    }
  }, { rootMargin: '500px' });
  watch.observe(element);
}

/** A short text that screen readers say. */
export function say(text) {
  const place = document.getElementById('said');
  if (place) place.textContent = text;
}

/** What a style says, such as a colour. */
export function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A box that follows the pointer. One for the whole page. */
const tip = { element: null };
export function showTip(x, y, lines) {
  if (!tip.element?.isConnected) {
    tip.element = h('div', { class: 'tip', role: 'tooltip' });
    document.body.append(tip.element);
  }
  const element = tip.element;
  element.replaceChildren(...lines.map((line) => {
    if (typeof line === 'string') return h('div', {}, line);
    const mark = h('span', { class: 'mark' });
    mark.style.background = line.color ?? 'transparent';
    return h('div', { class: 'pair' }, mark, h('span', {}, line.name), h('b', {}, line.value));
  }));
  element.hidden = false;
  const box = element.getBoundingClientRect();
  const left = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
  element.style.left = `${Math.max(4, left)}px`;
  element.style.top = `${Math.max(4, Math.min(y + 12, innerHeight - box.height - 4))}px`;
}
export function hideTip() {
  if (tip.element) tip.element.hidden = true;
}
