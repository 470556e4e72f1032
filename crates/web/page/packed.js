// Long lists of numbers as the page has them.

/** Long lists of numbers in `value` as Float64Array; NaN stands for null. `moved` gets their memory, which can move to the page at no cost. */
export function packed(value, moved) {
  if (Array.isArray(value)) {
    if (value.length >= 64 && value.every((one) => one === null || typeof one === 'number')) {
      const numbers = Float64Array.from(value, (one) => one ?? NaN);
      moved.push(numbers.buffer);
      return numbers;
    }
    return value.map((one) => packed(one, moved));
  }
  if (value && typeof value === 'object') {
    for (const name of Object.keys(value)) value[name] = packed(value[name], moved);
  }
  return value;
}
