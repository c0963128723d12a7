import type { IndexDescription } from '../types.ts'
import type { Lance, LanceTable } from './lance.ts'
import { isOf, toStored } from './passage-rows.ts'
import { indexWords } from './passage-table.ts'

/** The base of a row that is added for a moment. */
const NO_BASE = ''

/**
 * Writes the data of a table again without the rows that were removed. LanceDB leaves a file as it is while fewer than
 * a tenth of its rows were removed and it has no neighbour to be joined with, so a row is added as one. Files are only
 * joined when the same indexes contain them, which the first `optimize` sees to.
 */
export async function rewriteTable(
  table: LanceTable,
  { dimensions }: Pick<IndexDescription, 'dimensions'>,
  lance: Lance['lance'],
): Promise<void> {
  const text = { base_id: NO_BASE, document_id: '', run: '', text: '', words: '' }
  const vector = dimensions !== null && { vector: new Array<number>(dimensions).fill(1) }
  await table.add([toStored({ ...text, ordinal: 0, start: 0, end: 0, places: [], ...vector })])
  try {
    for (let round = 0; round < 2; round += 1) await optimize(table, lance)
  } finally {
    await table.delete(isOf({ base_id: NO_BASE }))
  }
}

/** Removes the files of versions before a moment, and files of no version, which a killed process leaves behind. */
export const removeOldFiles = (table: LanceTable, until: Date): Promise<unknown> =>
  table.optimize({ cleanupOlderThan: until, deleteUnverified: true })

/** After removals, LanceDB 0.30 may fail to merge the parts of the index of words, and then always does. */
async function optimize(table: LanceTable, lance: Lance['lance']): Promise<void> {
  try {
    await table.optimize()
  } catch {
    await indexWords(table, lance)
    await table.optimize()
  }
}
