// Values over time, before they are drawn.

import { number } from './format.js';

/** Values over times of their own, `[{times, values}]`, over all of those times. */
export function joined(all) {
  const times = [...new Set(all.flatMap(({ times }) => [...times]))].sort((a, b) => a - b);
  const place = new Map(times.map((time, n) => [time, n]));
  return {
    times,
    values: all.map(({ times: own, values }) => {
      const found = new Array(times.length).fill(null);
      own.forEach((time, n) => { found[place.get(time)] = values[n]; });
      // Between two points of its own, a series goes on in a straight line where only others have points.
      let last = -1;
      for (const time of own) {
        const at = place.get(time);
        if (last >= 0 && at - last > 1 && number(found[at]) !== '–' && number(found[last]) !== '–') {
          for (let n = last + 1; n < at; n++) found[n] = found[last] + ((times[n] - times[last]) / (times[at] - times[last])) * (found[at] - found[last]);
        }
        last = at;
      }
      return found;
    }),
  };
}

/** How long a part of the run is, in seconds, and how many of them become one point: so many that rates are of some twenty requests. */
export function coarse({ timesSec: times }, series, kind) {
  const bin = times.length > 1 ? times[1] - times[0] : times[0];
  if (kind !== 'goodput' && kind !== 'requests') return [bin, 1];
  const all = series.filter(({ name }) => name === 'requests').reduce((sum, { values }) => sum + values.reduce((one, value) => one + (value || 0), 0), 0);
  const points = Math.max(50, Math.min(times.length, all / 20));
  return [bin, Math.max(1, Math.round(times.length / points))];
}

export const mean = (part) => {
  const known = part.filter((value) => value !== null && !Number.isNaN(value));
  return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
};

/** Every `each` values as one. */
export function merged(values, each, how) {
  return Array.from({ length: Math.ceil(values.length / each) }, (_, n) => how(Array.from(values.slice(n * each, (n + 1) * each))));
}
