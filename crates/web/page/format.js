// Values as people read them, with their units.

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A number with `digits` significant digits at most, without an exponent where it can be read without one. */
export function number(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e15 || size < 1e-6) return value.toExponential(Math.max(0, digits - 1));
  if (size >= 10 ** (digits - 1)) return grouped.format(value);
  return String(Number(value.toPrecision(digits)));
}

/** A whole number with its thousands apart. */
export function count(value) {
  return value === null || value === undefined ? '–' : grouped.format(value);
}

const TIMES = [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns'], [1e-12, 'ps']];

/** A time given in seconds: `66.25 us`. */
export function seconds(value, digits = 4) {
  if (value === null || value === undefined) return '–';
  if (value === 0) return '0 s';
  const [size, unit] = TIMES.find(([size]) => Math.abs(value) >= size) ?? TIMES.at(-1);
  return `${number(value / size, digits)} ${unit}`;
}

/** The unit in which times up to `most` seconds are best told, as [seconds in it, its name]. */
export function timeUnit(most) {
  return TIMES.find(([size]) => most >= size) ?? TIMES.at(-1);
}

const LARGE = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

function large(value, unit, digits) {
  const [size, prefix] = LARGE.find(([size]) => Math.abs(value) >= size) ?? [1, ''];
  return `${number(value / size, digits)} ${prefix}${unit}`;
}

/** A value with its unit as the server names units: `%`, `Gbps`, `us`, `MB`, `packets` and so on. */
export function quantity(value, unit, digits = 4) {
  if (value === null || value === undefined) return '–';
  switch (unit) {
    case '': return number(value, Math.max(digits, 6));
    case '%': return `${number(value, digits)} %`;
    case 'us': return seconds(value / 1e6, digits);
    case 's': return seconds(value, digits);
    case 'Gbps': return large(value * 1e9, 'bps', digits);
    case 'MBps': return large(value * 1e6, 'B/s', digits);
    case 'MB': return large(value * 1e6, 'B', digits);
    case 'GB': return large(value * 1e9, 'B', digits);
    case 'B': return large(value, 'B', digits);
    case '1/s': return large(value, '/s', digits);
    case 'packets': return `${Number.isInteger(value) ? count(value) : number(value, digits)} packets`;
    default: return `${number(value, digits)} ${unit}`;
  }
}

const STEPS = {
  Gbps: [[1e3, 'Tbps'], [1, 'Gbps'], [1e-3, 'Mbps'], [1e-6, 'kbps']],
  us: [[1e6, 's'], [1e3, 'ms'], [1, 'us'], [1e-3, 'ns']],
  s: [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']],
  MB: [[1e3, 'GB'], [1, 'MB'], [1e-3, 'kB'], [1e-6, 'B']],
  MBps: [[1e3, 'GB/s'], [1, 'MB/s'], [1e-3, 'kB/s']],
  B: [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB'], [1, 'B']],
  packets: [[1e9, 'G packets'], [1e6, 'M packets'], [1e3, 'k packets'], [1, 'packets']],
};

/** How values of a unit up to `most` are best written at an axis: [what one of them is in the unit, its name]. */
export function axisUnit(unit, most) {
  const steps = STEPS[unit];
  if (!steps || !(most > 0)) return [1, unit];
  return steps.find(([size]) => most >= size) ?? steps.at(-1);
}

/** The value with all its digits, for who wants to know exactly. */
export function exact(value, unit) {
  return value === null || value === undefined ? '–' : `${value} ${unit}`.trim();
}

/** An instant as people here write it. */
export function instant(text) {
  if (!text) return '–';
  const at = new Date(text);
  return at.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
}

/** How long ago an instant is. */
export function ago(text) {
  const since = (Date.now() - new Date(text).getTime()) / 1e3;
  if (!(since >= 0)) return instant(text);
  if (since < 60) return 'just now';
  const units = [[86_400, 'day'], [3_600, 'hour'], [60, 'minute']];
  const [size, unit] = units.find(([size]) => since >= size);
  const many = Math.floor(since / size);
  return many > 30 && unit === 'day' ? instant(text) : `${many} ${unit}${many === 1 ? '' : 's'} ago`;
}

/** How much time lies between two instants. */
export function between(from, to) {
  if (!from || !to) return '–';
  return seconds((new Date(to) - new Date(from)) / 1e3, 3);
}

/** Names with numbers in them in the order in which people count. */
export const natural = new Intl.Collator('en', { numeric: true }).compare;

/** Steps for an axis from `low` to `high`: about `many`, at 1, 2 or 5 times a power of ten. */
export function ticks(low, high, many) {
  const raw = (high - low) / Math.max(1, many);
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw * 0.999);
  const found = [];
  for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) found.push(Number((n * step).toPrecision(12)));
  return found;
}
