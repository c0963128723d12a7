import type { Route } from '#plugin-api'
import { readImportFile } from './import-file.ts'
import { type Cradle, route } from './manifest.ts'
import { importResult } from './schemas.ts'

const MAX_FILE_BYTES = 2 * 1024 * 1024

/** The creation of many accounts. */
export const importRoute: Route<Cradle> = route({
  method: 'POST',
  path: '/users/import',
  operation_id: 'importUsers',
  summary: 'Create accounts from a file',
  description:
    'Creates an account for each row of a CSV file in UTF-8 of at most 2 MB and 5,000 rows, one after another, and sends the result of each row as soon as it is known. The first row names the columns, in any order: `username`, and as needed `display_name`, `email`, `groups` (ids or names, separated by `;`) and `password`. Cells are separated by commas or semicolons. A row that fails does not stop the others, and the same file can be sent again: accounts that exist are answered with `USERNAME_TAKEN`. For a row without a password, the result has a link with which the user sets one. If the client leaves, the import ends after the present row.',
  guard: ['permission', 'users'],
  upload: { max_bytes: MAX_FILE_BYTES, media_type: 'text/csv' },
  stream: 'response',
  response: { 200: { type: 'array', items: importResult } },
  errors: ['IMPORT_NOT_UTF8', 'IMPORT_HEADER_INVALID', 'IMPORT_DAMAGED', 'IMPORT_TOO_LONG'],
  audit: 'user.import',
}).handle(async (request, { imports }) => {
  const rows = await readImportFile(request.file.path)
  request.note({ rows: rows.length })
  return new Response(ReadableStream.from(toJson(imports.run(rows, request))), {
    headers: { 'Content-Type': 'application/json; charset=utf-8', 'X-Accel-Buffering': 'no' },
  })
})

/** Yields a list in JSON while it is made. */
async function* toJson(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  let mark = '['
  for await (const item of items) {
    yield encoder.encode(`${mark}${JSON.stringify(item)}`)
    mark = ',\n'
  }
  yield encoder.encode(mark === '[' ? '[]' : ']')
}
