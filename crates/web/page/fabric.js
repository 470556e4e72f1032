// The fabric as a graph: what is connected with what, from the record `topology-report`.

import { natural } from './format.js';

export const TIERS = ['spine', 'fabric', 'rack', 'nic'];

/** Nodes by name and links between them, of the rows of the record. */
export function fabric(rows) {
  const nodes = new Map();
  const links = new Map();
  const peers = new Map();
  const node = (name, tier) => {
    if (!nodes.has(name)) nodes.set(name, { name, tier: Math.min(Number(tier), 3), links: [] });
    return nodes.get(name);
  };
  for (const row of rows) {
    const [a, b] = [node(row.component_name, row.tier), node(row.peer_component_name, row.peer_tier)];
    peers.set(`${a.name} ${row.dev_id}`, { name: b.name, port: Number(row.peer_dev_id) });
    peers.set(`${b.name} ${row.peer_dev_id}`, { name: a.name, port: Number(row.dev_id) });
    const [upper, lower] = a.tier <= b.tier ? [a, b] : [b, a];
    const key = `${upper.name} ${lower.name}`;
    if (!links.has(key)) {
      const link = { upper, lower, ports: new Set(), rate: Number(row.linkspeed_Gbps), delay: Number(row.prop_delay_ns) };
      links.set(key, link);
      upper.links.push(link);
      lower.links.push(link);
    }
    links.get(key).ports.add(`${a.name} ${row.dev_id}`).add(`${b.name} ${row.peer_dev_id}`);
  }
  return { nodes: [...nodes.values()], links: [...links.values()], peers };
}

/** Gives each node a place: `x` from 0 to 1 within its tier, in an order in which links cross little. */
export function arrange({ nodes }) {
  const tiers = TIERS.map((name, tier) => ({ name, nodes: nodes.filter((node) => node.tier === tier) })).filter((tier) => tier.nodes.length);
  const hosts = tiers.at(-1);
  const above = (node) => node.links.map(({ upper }) => upper.name).sort(natural)[0] ?? '';
  hosts.nodes.sort((a, b) => natural(above(a), above(b)) || natural(a.name, b.name));
  hosts.nodes.forEach((node, n) => { node.x = (n + 0.5) / hosts.nodes.length; });
  for (let at = tiers.length - 2; at >= 0; at--) {
    const tier = tiers[at].nodes;
    for (const node of tier) {
      const below = node.links.filter(({ upper }) => upper === node).map(({ lower }) => lower.x);
      node.middle = below.length ? below.reduce((sum, x) => sum + x, 0) / below.length : 0.5;
    }
    tier.sort((a, b) => a.middle - b.middle || natural(a.name, b.name));
    tier.forEach((node, n) => { node.x = (n + 0.5) / tier.length; });
  }
  return tiers;
}
