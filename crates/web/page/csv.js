// Records as text: rows of cells, as they come.

/** The rows of a text that comes in pieces: lists of cells, the heading first. */
export async function* rows(text) {
  let rest = '';
  for await (const piece of text) {
    rest += piece;
    // Cells with quotes can hold line ends: then everything up to the last quote that closes is looked at together.
    let from = 0;
    for (;;) {
      const end = rest.indexOf('\n', from);
      if (end < 0) break;
      const line = rest.slice(0, end);
      if (quotes(line) % 2) {
        from = end + 1;
        continue;
      }
      yield cells(line);
      rest = rest.slice(end + 1);
      from = 0;
    }
  }
  // A file that is being written may end in the middle of a row, which is then none.
}

function quotes(line) {
  let many = 0;
  for (let at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) many++;
  return many;
}

function cells(line) {
  const plain = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (!plain.includes('"')) return plain.split(',');
  const found = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/g;
  for (let match = pattern.exec(plain); match; match = pattern.exec(plain)) {
    found.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
    if (match[3] === '') break;
  }
  return found;
}

/** All rows as objects by column. */
export async function objects(text) {
  const found = [];
  let names = null;
  for await (const row of rows(text)) {
    if (names) found.push(Object.fromEntries(names.map((name, n) => [name, row[n]])));
    else names = row;
  }
  return found;
}
