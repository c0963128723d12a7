import { createHash } from 'node:crypto'
import { isObject, type Json } from '#plugin-api'
import type { ListedTools } from '../connections/connection.ts'
import type { StoredTool } from '../types.ts'

/** The most tools of a connector. */
export const MAX_TOOLS = 1000
/** The most bytes of all tools of a connector as JSON; tools beyond them are left out. */
const MAX_TOOLS_BYTES = 1024 * 1024
const MAX_SCHEMA_BYTES = 64 * 1024
const MAX_DESCRIPTION = 8000
const MAX_TITLE = 200
const MAX_NAME = 256
/** The length of a name for models, of which a connector's name and two characters are a part. */
const MAX_CALL_NAME = 64 - 32 - 2

/** The tools of a server that can be called, and a sentence about each of the others. */
export type ToolListing = ReturnType<typeof toStoredTools>

/** Returns the tools of a server as they are stored. What a tool lacks or has in an odd form is mended if it can be. */
export function toStoredTools({ tools: listed, is_whole }: ListedTools) {
  const callNames = new Set<string>()
  const names = new Set<string>()
  const tools: StoredTool[] = []
  const left_out: string[] = []
  let room = MAX_TOOLS_BYTES
  for (const [index, tool] of listed.entries()) {
    const fields: Json = isObject(tool) ? tool : {}
    const { name, title, description, annotations, inputSchema = { type: 'object' } } = fields
    const hints: Json = isObject(annotations) ? annotations : {}
    const input_schema = JSON.stringify(toInputSchema(inputSchema), toWellFormed)
    const leaveOut = (reason: string) => {
      const label =
        typeof name === 'string' && name ? JSON.stringify(name.slice(0, MAX_NAME)) : `number ${index + 1}`
      left_out.push(`The tool ${label} is left out: ${reason}.`)
    }
    if (typeof name !== 'string' || name === '') leaveOut('it has no name')
    else if (name.length > MAX_NAME) leaveOut(`its name has more than ${MAX_NAME} characters`)
    else if (names.has(name)) leaveOut('another one has the same name')
    else if (input_schema === undefined) leaveOut('the schema of its input does not describe an object')
    else if (Buffer.byteLength(input_schema) > MAX_SCHEMA_BYTES)
      leaveOut(`the schema of its input has more than ${MAX_SCHEMA_BYTES / 1024} KiB`)
    else {
      names.add(name)
      const words = [title, hints.title].find((text) => typeof text === 'string') as string | undefined
      const shown = {
        name: name.toWellFormed(),
        title: words === undefined ? null : cut(words, MAX_TITLE),
        description: typeof description === 'string' ? cut(description, MAX_DESCRIPTION) : '',
        read_only: hints.readOnlyHint === true,
        destructive: hints.readOnlyHint !== true && hints.destructiveHint !== false,
        input_schema,
      }
      const row = {
        ...shown,
        ...(hints.idempotentHint === true && { idempotent: true }),
        call_name: toCallName(name, callNames),
        fingerprint: hash(JSON.stringify(shown)),
      }
      room -= Buffer.byteLength(JSON.stringify(row))
      if (room >= 0) tools.push(row)
      else leaveOut(`all tools together have more than ${MAX_TOOLS_BYTES / 1024 / 1024} MiB`)
    }
  }
  if (!is_whole) left_out.push(`The server lists more than ${listed.length} tools; the others are left out.`)
  return { tools, left_out }
}

/** Cuts a text; half a character at its end would have vendors refuse each request. */
const cut = (text: string, max_chars: number): string => text.slice(0, max_chars).toWellFormed()

const toWellFormed = (_key: string, value: unknown) =>
  typeof value === 'string' ? value.toWellFormed() : value

/** Returns the schema with the type that it must have; undefined for one of another type. */
function toInputSchema(schema: unknown): object | undefined {
  if (schema === null || schema === true) return { type: 'object' }
  if (!isObject(schema)) return undefined
  const types = [schema.type ?? 'object']
    .flat()
    .map((name) => (typeof name === 'string' ? name.toLowerCase() : ''))
  return types.includes('object') ? { ...schema, type: 'object' } : undefined
}

/** Returns a name that every model takes, unlike those that are taken; names that need no change stay as they are. */
function toCallName(name: string, callNames: Set<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  const mark = `_${hash(name).slice(0, 6)}`
  const isFitting = plain.length <= MAX_CALL_NAME && !callNames.has(plain)
  const call_name = isFitting ? plain : `${plain.slice(0, MAX_CALL_NAME - mark.length)}${mark}`
  callNames.add(call_name)
  return call_name
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)
