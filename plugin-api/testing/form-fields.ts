import type { IncomingHttpHeaders } from 'node:http'

/** A file of a multipart form. */
export interface FormFile {
  filename: string
  media_type: string
  bytes: Uint8Array
}

/** Reads the body of a request: the fields of a form with its files, or JSON; undefined without a body. */
export async function readFields(bytes: Uint8Array, headers: IncomingHttpHeaders): Promise<unknown> {
  const type = headers['content-type'] ?? ''
  if (bytes.byteLength === 0) return undefined
  if (!type.startsWith('multipart/form-data')) return JSON.parse(Buffer.from(bytes).toString())
  const body = new Uint8Array(bytes)
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const fields: Record<string, unknown> = {}
  for (const name of new Set(form.keys())) {
    const values = await Promise.all(form.getAll(name).map(readValue))
    fields[name] = values.length > 1 ? values : values[0]
  }
  return fields
}

const readValue = async (value: ReturnType<FormData['getAll']>[number]): Promise<string | FormFile> =>
  typeof value === 'string'
    ? value
    : { filename: value.name, media_type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) }
