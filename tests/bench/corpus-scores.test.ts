import { type Expectation, listDocuments, replaceSame } from '../../bench/corpus.ts'
import { scoreGridCells, scorePrintedCells } from '../../bench/corpus-cells.ts'
import { scoreWords, toWords } from '../../bench/corpus-words.ts'
import t from '../run/file-test.ts'

const expecting = (text: Expectation['text'], more: Partial<Expectation> = {}): Expectation => ({
  language: 'en',
  note: '',
  text,
  ...more,
})

const STAFF = {
  heads: ['Dept', 'Name', 'Pay › gross'],
  rows: [
    ['Harbour', 'Ann', '51'],
    ['^', 'Bob', '67'],
    ['Depot', 'closed', '<'],
  ],
}

t.test('words count in their order, whatever their width, marks of direction and hyphens', async (t) => {
  t.strictSame(toWords('Ｐrice: 19.99 € (6 %)'), ['Price', '19.99', '€', '6', '%'])
  t.strictSame(toWords('会议 Raum\u00ad4\u200f'), ['会', '议', 'Raum4'])
  const { expected, matched, missing } = scoreWords(
    expecting(['one two three', 'four']),
    'one three two four',
  )
  t.equal(expected, 4)
  t.equal(matched, 3)
  t.equal(missing.length, 1)
})

t.test('surplus words are those that a document has not, or not so often', async (t) => {
  const expectation = expecting(['Call Ann today'], { optional: ['page 1'], anywhere: ['note'] })
  const { missing, surplus } = scoreWords(expectation, 'page 1 note Call Call Ann rtf1 today page 1')
  t.strictSame(missing, [])
  t.strictSame(surplus, ['Call', 'rtf1'])
  t.strictSame(scoreWords(expectation, 'Call Ann today').missing, ['note'])
})

t.test('heads and merged cells may be read once or in each row', async (t) => {
  const printed = 'Dept: Harbour | Name: Ann | Pay › gross: 51\nDept: Harbour | Name: Bob | Pay › gross: 67'
  const drawn = 'Dept Name Pay gross Harbour Ann 51 Bob 67 Depot closed'
  for (const text of [`${printed}\nDept: Depot | Name: closed`, drawn]) {
    const { missing, surplus } = scoreWords(expecting([STAFF]), text)
    t.strictSame([missing, surplus], [[], []])
  }
})

t.test('a cell counts under its head, in a line with the other cells of its row', async (t) => {
  const score = (text: string) => scorePrintedCells(expecting([STAFF]), text).matched
  t.equal(scorePrintedCells(expecting([STAFF]), '').expected, 8)
  t.equal(score('Dept: Harbour | Name: Ann | Pay › gross: 51'), 4, 'and "Harbour" of the next row')
  t.equal(score('Dept: Harbour | Name: Bob\nPay › gross: 67'), 3, 'the value is in another line')
  t.equal(score('Dept: Bob | Name: 67'), 0)
  t.equal(score('Dept: Depot | Name: closed'), 2)
  t.equal(score('Dept: Depot | Name, Pay › gross: closed'), 2)
})

t.test('a cell of a grid counts in a row below its head', async (t) => {
  const grid = [
    ['Dept', 'Name', 'Pay'],
    ['', '', 'gross'],
    ['Harbour', 'Ann', '51'],
    ['', 'Bob', '67'],
  ]
  t.equal(scoreGridCells(expecting([STAFF]), [grid]).matched, 5)
})

t.test('a text that says the same counts as the expected one', async (t) => {
  const expectation = expecting(['due 15/03/2026'], { same: { '2026-03-15': '15/03/2026' } })
  t.equal(replaceSame(expectation, 'due 2026-03-15'), 'due 15/03/2026')
})

t.test('the corpus has documents of all kinds in many languages', async (t) => {
  const documents = listDocuments()
  t.ok(documents.length >= 120)
  t.ok(new Set(documents.map(({ kind }) => kind)).size >= 14)
  t.ok(new Set(documents.map(({ expected }) => expected.language)).size >= 10)
  for (const { path, expected } of documents) t.ok(Boolean(expected.text) !== Boolean(expected.refused), path)
})
