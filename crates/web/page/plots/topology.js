// The fabric drawn, coloured by what is chosen.

import { h, hideTip, showTip, style } from '../dom.js';
import { quantity } from '../format.js';
import { drawing } from '../card.js';
import { arrange } from '../fabric.js';
import { ramp, rgb } from './colors.js';

const NAMES = { spine: 'Spine', fabric: 'Fabric', rack: 'Rack', nic: 'Hosts' };

/**
 * The fabric. `options`: `fabric` (of fabric.js), `value` (a function of a port's key, `name port`, to its value, or null), `unit`, `most`,
 * `label`, `open` (called with the name that was chosen), `known` (what colours stand for).
 */
export function topology(options) {
  const { fabric, value, unit, most } = options;
  const tiers = arrange(fabric);
  const weights = new Map();
  for (const link of fabric.links) {
    link.value = greatest([...link.ports].map(value));
  }
  for (const node of fabric.nodes) weights.set(node, greatest(node.links.map((link) => link.value)));
  const links = [...fabric.links].sort((a, b) => (a.value ?? -1) - (b.value ?? -1));
  const height = 60 + (tiers.length - 1) * 110 + 50;
  const shade = (amount) => (amount === null ? style('--none') : rgb(amount / (most || 1)));

  const place = drawing((place, width) => {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const canvas = h('canvas', { width: Math.round(width * ratio), height: Math.round(height * ratio), role: 'img', 'aria-label': options.label });
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    const context = canvas.getContext('2d');
    context.scale(ratio, ratio);
    const left = 70;
    const spots = [];
    tiers.forEach((tier, n) => {
      const room = (width - left - 20) / tier.nodes.length;
      const host = tier.name === 'nic';
      const size = Math.max(2, Math.min(host ? 16 : 60, room * 0.8));
      for (const node of tier.nodes) {
        node.at = { x: left + node.x * (width - left - 20), y: 34 + n * 110, w: size, h: host ? Math.min(16, Math.max(6, size)) : 20 };
        spots.push(node);
      }
    });
    context.lineWidth = links.length > 2_000 ? 0.7 : links.length > 200 ? 1.2 : 2.5;
    for (const link of links) {
      context.strokeStyle = shade(link.value);
      context.globalAlpha = links.length > 400 ? 0.55 : 0.9;
      context.beginPath();
      context.moveTo(link.upper.at.x, link.upper.at.y + link.upper.at.h / 2);
      context.lineTo(link.lower.at.x, link.lower.at.y - link.lower.at.h / 2);
      context.stroke();
    }
    context.globalAlpha = 1;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'middle';
    tiers.forEach((tier, n) => {
      context.fillStyle = style('--faint');
      context.textAlign = 'left';
      context.fillText(NAMES[tier.name], 0, 28 + n * 110);
      context.fillText(String(tier.nodes.length), 0, 43 + n * 110);
      for (const node of tier.nodes) {
        const { x, y, w, h: tall } = node.at;
        context.fillStyle = shade(weights.get(node));
        context.beginPath();
        context.roundRect(x - w / 2, y - tall / 2, w, tall, Math.min(4, w / 3));
        context.fill();
        if (w > 8) {
          context.strokeStyle = style('--faint');
          context.lineWidth = 1;
          context.stroke();
        }
      }
    });
    const find = (event) => {
      const box = canvas.getBoundingClientRect();
      const [x, y] = [event.clientX - box.left, event.clientY - box.top];
      const near = spots.filter(({ at }) => Math.abs(at.y - y) <= at.h / 2 + 4 && Math.abs(at.x - x) <= at.w / 2 + 2)
        .sort((a, b) => Math.abs(a.at.x - x) - Math.abs(b.at.x - x))[0];
      if (near) return { node: near };
      let best = null;
      for (const link of links) {
        const [a, b] = [link.upper.at, link.lower.at];
        if (y < a.y || y > b.y) continue;
        const away = Math.abs(a.x + ((y - a.y) / (b.y - a.y)) * (b.x - a.x) - x);
        if (away < 5 && (!best || away <= best.away)) best = { link, away };
      }
      return best;
    };
    canvas.addEventListener('mousemove', (event) => {
      const found = find(event);
      canvas.style.cursor = found && options.open ? 'pointer' : 'default';
      if (!found) return hideTip();
      if (found.node) return showTip(event.clientX, event.clientY, [found.node.name, { name: `most of its ${found.node.links.length === 1 ? 'link' : 'links'}`, value: quantity(weights.get(found.node), unit, 9) }]);
      const { upper, lower, ports, rate, delay } = found.link;
      return showTip(event.clientX, event.clientY, [
        `${upper.name} – ${lower.name}`,
        { name: ports.size > 2 ? `${ports.size / 2} links, most of any` : 'the greater of both directions', value: quantity(found.link.value, unit, 9) },
        { name: 'each', value: `${quantity(rate, 'Gbps')}, ${quantity(delay / 1e3, 'us')}` },
      ]);
    });
    canvas.addEventListener('mouseleave', hideTip);
    canvas.addEventListener('click', (event) => {
      const found = find(event);
      if (!found || !options.open) return;
      hideTip();
      options.open((found.node ?? found.link.upper).name);
    });
    place.replaceChildren(canvas);
  });
  return h('div', {}, place, h('div', { class: 'scale' }, quantity(0, unit), ramp(), quantity(most, unit), h('span', {}, options.known)));
}

function greatest(values) {
  const there = values.filter((value) => value !== null && value !== undefined);
  return there.length ? Math.max(...there) : null;
}
