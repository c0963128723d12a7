// `node dist/bench/corpus-score.js [--json FILE] [PATH …]` prints the words and cells that the server's reader misses.
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { type CorpusDocument, listDocuments } from './corpus.ts'
import { type DocumentScore, scoreServer } from './corpus-readers.ts'
import { formatShare, sumScores } from './corpus-totals.ts'

const MAX_PRINTED_CHARS = 600
const MAX_PRINTED_ROWS = 8

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } })
const scores: (CorpusDocument & DocumentScore)[] = []
for (const document of listDocuments(positionals.length > 0 ? positionals : undefined)) {
  const score = { ...document, ...(await scoreServer(document)) }
  scores.push(score)
  if (positionals.length > 0 || !isPerfect(score)) print(score)
}
const { documents, wrong, ...totals } = sumScores(scores)
console.log(
  `${documents} documents: words ${formatShare(totals.words)}, surplus ${formatShare(totals.surplus)}, ` +
    `cells ${formatShare(totals.cells)}, ${wrong} refused wrongly or with a wrong number of pages`,
)
if (values.json) writeFileSync(values.json, `${JSON.stringify(scores, null, 2)}\n`)

function isPerfect({ words, cells, isRight }: DocumentScore): boolean {
  return isRight && words.missing.length + words.surplus.length + cells.missing.length === 0
}

function print(score: CorpusDocument & DocumentScore): void {
  const { path, expected, words, cells, isRight } = score
  const { words: share, surplus, cells: cellShare } = sumScores([score])
  console.log(
    `${relative(process.cwd(), path)}  words ${formatShare(share)}  surplus ${formatShare(surplus)}  ` +
      `cells ${formatShare(cellShare)}`,
  )
  console.log(`  ${expected.language}: ${expected.note}`)
  if (!isRight) {
    console.log(`  refused: ${score.refused ?? 'no'}, expected ${expected.refused ?? 'no'}`)
    console.log(`  pages: ${score.pages}, expected ${expected.pages}`)
  }
  for (const [name, list] of Object.entries({ missing: words.missing, surplus: words.surplus }))
    if (list.length > 0) console.log(`  ${name}: ${list.join(' ').slice(0, MAX_PRINTED_CHARS)}`)
  for (const row of cells.missing.slice(0, MAX_PRINTED_ROWS)) console.log(`  row: ${row}`)
}
