// The texts that profile.mjs prints.
export const text = {
  usage: 'Usage: node profile.mjs [--empty "NULL,N/A,-"] file.csv ...',
  brokenQuote: 'a quotation mark is not closed',
  noHeader: 'there is no header line',
  facts: ({ rows, columns, encoding, separator }) =>
    `${rows} rows, ${columns} columns, ${encoding}, separated by ${separator}`,
  defects: ({ blank, ragged, repeated, examples }) =>
    `Empty rows: ${blank}. Rows with another number of cells than the header: ${ragged}${examples}. Repetitions of an earlier row: ${repeated}.`,
  tab: 'tab',
  rowsAt: (rows) => ` (e.g. row ${rows.join(', ')})`,
  twice: (names) => `Column names that occur more than once: ${names}`,
  head: '| Column | Empty | Distinct | Kind | Content | Exceptions to the kind |\n|---|---:|---:|---|---|---|',
  unnamed: (at) => `(column ${at})`,
  kinds: { number: 'number', date: 'date', code: 'digits as code', text: 'text', none: '(all empty)' },
  numbers: ({ min, median, mean, max, sum, negative, zero }) =>
    `min ${min}, median ${median}, mean ${mean}, max ${max}, sum ${sum}; negative ${negative}, zero ${zero}`,
  range: (first, last) => `${first} to ${last}`,
  lengths: (shortest, longest) => `${shortest} to ${longest} characters`,
  exceptions: ({ count, shown }) => `${count}, e.g. ${shown}`,
  atRow: (value, row) => `"${value}" (row ${row})`,
}
