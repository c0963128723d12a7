import type { components } from '#client'
import { client } from '../server/client.ts'

/** The result of a row of a file: a new account, or the reason why there is none. */
export type ImportResult = components['schemas']['ImportResult']

/** Creates the accounts of a CSV file, and calls `onResult` for each row as soon as the server has done it. */
export async function importFile(file: File, onResult: (result: ImportResult) => void): Promise<void> {
  const reply = await client.POST('/users/import', {
    headers: { 'content-type': 'text/csv' },
    // The types have no name for the bytes of a file.
    body: file as never,
    bodySerializer: (body: unknown) => body as File,
    parseAs: 'stream',
  })
  if (!reply.data) throw reply.error
  const reader = reply.data.getReader()
  const decoder = new TextDecoder()
  let partialLine = ''
  for (;;) {
    const { value, done } = await reader.read()
    const parts = `${partialLine}${decoder.decode(value, { stream: !done })}`.split('\n')
    partialLine = done ? '' : parts.pop()!
    for (const line of parts) {
      // The list has a line for each row.
      const result = line.replace(/^\[|[,\]]$/g, '')
      if (result !== '') onResult(JSON.parse(result))
    }
    if (done) return
  }
}

/** The link with which the person of a new account sets the first password; undefined if the file has a password. */
export const linkOf = ({ set_password_url }: ImportResult): string | undefined =>
  set_password_url && new URL(set_password_url, location.origin).href
