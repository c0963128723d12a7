import { t } from '../../i18n/words.ts'
import classes from './file-view.module.css'

const MAX_ROWS = 500

/** A CSV file as a table. */
export function CsvTable({ text }: { text: string }) {
  const [head = [], ...rows] = parseCsv(text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keys.
    <div className={classes.table} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, index) => (
              <th key={`${index}.${cell}`}>{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MAX_ROWS).map((row, index) => (
            <tr key={`${index}.${row[0]}`}>
              {row.map((cell, column) => (
                <td key={`${column}.${cell}`}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > MAX_ROWS && <p>{t('tools.cut')}</p>}
    </div>
  )
}

/** Splits a CSV file into rows of cells; the separator is the most frequent one of the first line. */
function parseCsv(text: string): string[][] {
  const [first = ''] = text.split('\n')
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: first.split(mark).length }))
  const { mark } = counts.reduce((best, one) => (one.count > best.count ? one : best))
  const rows: string[][] = [[]]
  const cell = new RegExp(`"((?:[^"]|"")*)"|([^${mark}\\r\\n]+)|(${mark})|(\\r?\\n)`, 'g')
  let isOpen = false
  for (const [, quoted, plain, separator, end] of text.matchAll(cell)) {
    const row = rows.at(-1)!
    if (quoted !== undefined || plain !== undefined) {
      row.push(quoted?.replaceAll('""', '"') ?? plain!)
      isOpen = true
    } else if (separator !== undefined) {
      if (!isOpen) row.push('')
      isOpen = false
    } else if (end !== undefined) {
      rows.push([])
      isOpen = false
    }
  }
  return rows.filter((row) => row.length > 0)
}
