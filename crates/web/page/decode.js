// A worker: unpacks what the server computed, so that the page stays smooth meanwhile.

import { packed } from './packed.js';
import { decompress } from './vendor/fzstd.js';

onmessage = ({ data: { id, bytes } }) => {
  try {
    const moved = [];
    const value = packed(JSON.parse(new TextDecoder().decode(decompress(new Uint8Array(bytes)))), moved);
    postMessage({ id, value }, moved);
  } catch (error) {
    postMessage({ id, error: String(error) });
  }
};
