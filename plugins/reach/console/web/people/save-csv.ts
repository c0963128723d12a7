import { saveBlob } from '../agents/files.ts'

/** Saves rows as a CSV file on the computer of the person. */
export async function saveCsv(rows: string[][], name: string): Promise<void> {
  // It belongs to the tables of the chat, which this page does not need before.
  const { toCsvFile } = await import('../chat/markdown/csv.ts')
  saveBlob(toCsvFile(rows), `${name}.csv`)
}
