// The texts that consolidate.mjs prints.
export const text = {
  usage: 'Usage: node consolidate.mjs --out merged.csv [--map mapping.json] [--key "A,B"] file.csv ...',
  brokenQuote: (file) => `${file}: a quotation mark is not closed`,
  noHeader: (file) => `${file}: there is no header line`,
  unnamed: (file, column) => `${file}: column ${column} has no name`,
  twice: (file, name) => `${file}: two columns are named "${name}"`,
  reserved: (file, name) => `${file}: the column name "${name}" is used by this script; map it to another`,
  tooLong: (file, row) => `${file}: row ${row} has more cells than the header`,
  unknownKey: (name) => `No file has the key column "${name}"`,
  exists: (file) => `${file} exists already; choose another name or move it away`,
  file: ({ name, rows, blank, encoding }) =>
    `${name}: ${rows} rows, ${blank} empty rows left out (${encoding})`,
  lacks: (name, columns) => `  ${name} lacks: ${columns}`,
  total: (rows, columns, out) => `${rows} rows and ${columns} columns were written to ${out}`,
  repeated: (key, places) => `Key "${key}" is repeated: ${places}`,
  emptyKey: (place) => `Key is empty: ${place}`,
}
