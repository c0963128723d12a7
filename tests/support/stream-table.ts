import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { BEHAVIOURS, readFixtures, STREAM_KINDS, STREAMS, type StreamFixture } from './stream-fixtures.ts'

/** The document that contains the table. */
export const TABLE_DOCUMENT = `${STREAMS}README.md`

const MARK = /(?<=<!-- table -->\n)[\s\S]*?(?=\n<!-- end -->)/

/** Returns the document with the number of fixtures of each behaviour and provider kind. */
export function withStreamTable(document: string, fixtures: readonly StreamFixture[]): string {
  const count = (isCounted: (fixture: StreamFixture) => boolean) =>
    String(fixtures.filter(isCounted).length || '')
  const row = (title: string, isOfRow: (fixture: StreamFixture) => boolean) =>
    `| ${[title, ...STREAM_KINDS.map((kind) => count((one) => one.kind === kind && isOfRow(one))), count(isOfRow)].join(' | ')} |`
  const table = [
    `| Behaviour | ${STREAM_KINDS.join(' | ')} | all |`,
    `|---|${'--:|'.repeat(STREAM_KINDS.length + 1)}`,
    ...Object.entries(BEHAVIOURS).map(([behaviour, title]) =>
      row(`${title} (\`${behaviour}\`)`, (one) => one.behaviour === behaviour),
    ),
    row('All', () => true),
  ]
  return document.replace(MARK, () => `\n${table.join('\n')}\n`)
}

// `npm run docs`
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(TABLE_DOCUMENT, withStreamTable(readFileSync(TABLE_DOCUMENT, 'utf8'), readFixtures()))
