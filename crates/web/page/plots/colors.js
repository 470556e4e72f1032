// A scale of colours in which brightness rises evenly, so that it can be read without telling hues apart.

const VIRIDIS = ['440154', '482878', '3e4989', '31688e', '26828e', '1f9e89', '35b779', '6ece58', 'b5de2b', 'fde725']
  .map((text) => [0, 2, 4].map((at) => parseInt(text.slice(at, at + 2), 16)));

/** The colour of a part from 0 to 1, as [red, green, blue]. */
export function color(part) {
  const place = Math.max(0, Math.min(1, part)) * (VIRIDIS.length - 1);
  const at = Math.min(VIRIDIS.length - 2, Math.floor(place));
  return VIRIDIS[at].map((from, n) => Math.round(from + (VIRIDIS[at + 1][n] - from) * (place - at)));
}

export function rgb(part) {
  return `rgb(${color(part).join(',')})`;
}

/** A bar with all colours, for a legend. */
export function ramp() {
  const canvas = document.createElement('canvas');
  canvas.width = 180;
  canvas.height = 1;
  const context = canvas.getContext('2d');
  for (let x = 0; x < 180; x++) {
    context.fillStyle = rgb(x / 179);
    context.fillRect(x, 0, 1, 1);
  }
  return canvas;
}
