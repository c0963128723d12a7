import { ReadingFailure } from '../../../plugins/tools/documents/reading/reading-failure.ts'
import { type Cell, type TableOptions, toRows } from '../../../plugins/tools/documents/reading/tables.ts'
import t, { type Test } from '../../run/file-test.ts'

/**
 * Reads a cell: `Harbour r2` covers two rows, `Route c2` two columns, `*Name` is marked as a head; a number at the end
 * of any other cell is text.
 */
function toCell(source: string): Cell {
  const { mark, text, columns, rows } =
    /^(?<mark>\*?)(?<text>.*?)(?: c(?<columns>\d+))?(?: r(?<rows>\d+))?$/.exec(source)!.groups!
  return {
    text: text!,
    ...(columns && { columns: Number(columns) }),
    ...(rows && { rows: Number(rows) }),
    ...(mark && { isHead: true }),
  }
}

/** Returns the rows that are read from a table; its cells are separated by bars. */
const read = (table: string[], options?: TableOptions) =>
  [
    ...toRows(
      table.map((row) => (row === '' ? [] : row.split('|').map((cell) => toCell(cell.trim())))),
      options,
    ),
  ].map(({ text }) => text)

const cases = (
  t: Test,
  list: [name: string, table: string[], expected: string[], options?: TableOptions][],
) => {
  for (const [name, table, expected, options] of list) t.strictSame(read(table, options), expected, name)
}

t.test('A cell that covers several places counts in each row', async (t) => {
  cases(t, [
    [
      'rows',
      ['Dept | Name | Pay', 'Harbour r2 | Ann | 51', 'Bob | 67'],
      ['Dept: Harbour | Name: Ann | Pay: 51', 'Dept: Harbour | Name: Bob | Pay: 67'],
    ],
    [
      'a head over two columns',
      ['Route c2 | Fare', 'Brno | Ostrava | 12'],
      ['Route: Brno | Route: Ostrava | Fare: 12'],
    ],
    [
      'a value over two columns',
      ['Room | Mon | Tue | Wed', 'Blue | closed c2 | open', 'Red | open | open | shut'],
      ['Room: Blue | Mon, Tue: closed | Wed: open', 'Room: Red | Mon: open | Tue: open | Wed: shut'],
    ],
    [
      'both',
      ['Day | From | To', 'Monday r2 | away c2 r2', '', 'Tuesday | 9 | 17'],
      ['Day: Monday | From, To: away', 'Day: Tuesday | From: 9 | To: 17'],
    ],
    [
      'rows at the right',
      ['A | B | C', 'x | y | z r2', 'v | w'],
      ['A: x | B: y | C: z', 'A: v | B: w | C: z'],
    ],
  ])
})

t.test('Heads of several rows are joined', async (t) => {
  const expected = ['Zone: 1 | Fare › Adult: 12 | Fare › Child: 6']
  cases(t, [
    ['that are declared', ['Zone r2 | Fare c2', 'Adult | Child', '1 | 12 | 6'], expected, { heads: 2 }],
    ['that spans show', ['Zone r2 | Fare c2', 'Adult | Child', '1 | 12 | 6'], expected],
    ['that leave a place empty', ['Zone | Fare c2', ' | Adult | Child', '1 | 12 | 6'], expected],
    [
      'that begin with an empty place',
      [' | Fare c2', 'Zone | Adult | Child', '1 | 12 | 6'],
      ['Zone: 1 | Fare › Adult: 12 | Fare › Child: 6'],
    ],
    ['that are marked', ['*Zone r2 | *Fare c2', '*Adult | *Child', '1 | 12 | 6'], expected],
    [
      'over all columns',
      ['Name c2 | Address c2', 'First | Last | Street | City', 'Ann | Lee | Quay | Brno'],
      ['Name › First: Ann | Name › Last: Lee | Address › Street: Quay | Address › City: Brno'],
    ],
    ['with years', ['Region | 2023 | 2024', 'North | 5 | 7'], ['Region: North | 2023: 5 | 2024: 7']],
    ['with weeks', ['Boat | 1 | 2 | 3', 'Ida | 4 | 4 | 9'], ['Boat: Ida | 1: 4 | 2: 4 | 3: 9']],
    [
      'with dates above numbers',
      ['Item | 2024-01-31 | 2024-02-29', 'Oil | 5 | 6'],
      ['Item: Oil | 2024-01-31: 5 | 2024-02-29: 6'],
    ],
    ['with colons', ['Name: | Pay:', 'Ann | 51'], ['Name: Ann | Pay: 51']],
  ])
})

t.test('Titles, captions, notes and totals are rows of their own', async (t) => {
  cases(t, [
    ['a title', ['Stanley Cups', 'Team | Cups', 'Blues | 2'], ['Stanley Cups', 'Team: Blues | Cups: 2']],
    [
      'a title over the width',
      ['*Fleet c3 r2', '', '*2024 c3', '*Boat | *Year | *Crew', 'Ida | 1990 | 4'],
      ['Fleet', '2024', 'Boat: Ida | Year: 1990 | Crew: 4'],
    ],
    [
      'a title in the middle',
      [' | Fleet', 'Boat | Year | Crew', 'Ida | 1990 | 4'],
      ['Fleet', 'Boat: Ida | Year: 1990 | Crew: 4'],
    ],
    [
      'a title within declared heads',
      ['Fleet c2', 'Boat | Year', 'Ida | 1990'],
      ['Fleet', 'Boat: Ida | Year: 1990'],
      { heads: 2 },
    ],
    [
      'captions and a note',
      [
        'Boat | Year | Crew',
        'North c3',
        'Ida | 1990 | 4',
        'South',
        'Eva | 1991 | 5',
        'Total | | 9',
        'As of May.',
      ],
      [
        'North',
        'Boat: Ida | Year: 1990 | Crew: 4',
        'South',
        'Boat: Eva | Year: 1991 | Crew: 5',
        'Boat: Total | Crew: 9',
        'As of May.',
      ],
    ],
    [
      'a row that lacks values',
      ['Boat | Year | Crew', 'Ida', 'Eva', 'Ada | 1990 | 4'],
      ['Boat: Ida', 'Boat: Eva', 'Boat: Ada | Year: 1990 | Crew: 4'],
    ],
  ])
})

t.test('Only a certain or usual head is one', async (t) => {
  cases(t, [
    ['numbers', ['Ann | 51', 'Bob | 67'], ['Ann | 51', 'Bob | 67']],
    ['numbers alone', ['1 | 2', '3 | 4'], ['1 | 2', '3 | 4']],
    ['years', ['Founded | 1990', 'Closed | 2001'], ['Founded | 1990', 'Closed | 2001']],
    ['none declared', ['Ann | Lee', 'Bob | Roe'], ['Ann | Lee', 'Bob | Roe'], { heads: 0 }],
    ['a repeated value', ['Harbour | Ann', 'Harbour | Bob'], ['Harbour | Ann', 'Harbour | Bob']],
    ['a tall value', ['Harbour r2 | Ann', 'Bob'], ['Harbour | Ann', 'Harbour | Bob']],
    ['a list', ['Apples', 'Pears'], ['Apples', 'Pears']],
    ['a list of numbers', ['Fare', '12', '14'], ['Fare: 12', 'Fare: 14']],
    ['labels', ['Name: | Ann | Phone: | 12', 'City： | Brno'], ['Name: Ann | Phone: 12', 'City: Brno']],
    [
      'marks in the first column',
      ['*Name | Ann', '*Born | 1990-02-01', '*Pay | 51'],
      ['Name: Ann', 'Born: 1990-02-01', 'Pay: 51'],
    ],
    [
      'values of all kinds',
      ['Name | Ann', 'Born | 1990-02-01', 'City | Brno'],
      ['Name | Ann', 'Born | 1990-02-01', 'City | Brno'],
    ],
    [
      'marks in two columns',
      ['*Name | Ann | *Phone | 12', '*City | Brno'],
      ['Name: Ann | Phone: 12', 'City: Brno'],
    ],
    ['marks at two sides', [' | *Adult | *Child', '*Brno | 12 | 6'], ['Brno | Adult: 12 | Child: 6']],
    [
      'long texts',
      [`${'Words of a page '.repeat(9)} | and others`, 'a | b'],
      [`${'Words of a page '.repeat(9).trim()} | and others`, 'a | b'],
    ],
  ])
})

t.test('Heads are neither lost nor taken for rows', async (t) => {
  cases(t, [
    ['rows that are all the same', ['Signature | Date', 'Signature | Date'], ['Signature | Date']],
    ['of a form', ['No | Name | Signed', '1', '2'], ['No | Name | Signed', 'No: 1', 'No: 2']],
    ['of an empty form', ['Name | Signed', ' | '], ['Name | Signed']],
    ['that are declared', ['Name | Signed', ' | '], ['Name | Signed'], { heads: 1 }],
    [
      'that are repeated on each page',
      ['Boat | Crew', 'Ida | 4', 'Boat | Crew', 'Eva | 5'],
      ['Boat: Ida | Crew: 4', 'Boat: Eva | Crew: 5'],
    ],
    ['that are equal', ['Sum | Sum', '1 | 2'], ['Sum: 1 | Sum: 2']],
  ])
})

t.test('Spans are bounded', async (t) => {
  t.strictSame(
    [...toRows([[{ text: 'A', columns: 1e9, rows: 1e9 }], [{ text: 'b', columns: 1e9 }, { text: 'c' }]])]
      .length,
    2,
  )
  const row = Array.from({ length: 16_384 }, () => ({ text: 'x', rows: 1e6 }))
  t.throws(
    () => [...toRows([row, ...Array.from({ length: 1000 }, () => [])])],
    new ReadingFailure('DOCUMENT_TOO_LARGE'),
  )
  const heads = Array.from({ length: 3000 }, (_, index) => ({ text: `${index}${'long '.repeat(60)}` }))
  const rows = [
    ...toRows([heads, ...Array.from({ length: 20 }, () => [{ text: 'x', columns: 3000 }])], { heads: 1 }),
  ]
  t.ok(rows.slice(1).every(({ text }) => text.length < 400))
})
