import { createHash } from 'node:crypto'
import type { Tool } from '@modelcontextprotocol/client'
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

/** Returns the tools of a server as they are stored, without those that cannot be called. */
export function toStoredTools(listed: readonly Tool[]): StoredTool[] {
  const taken = new Set<string>()
  const known = new Set<string>()
  const stored: StoredTool[] = []
  let room = MAX_TOOLS_BYTES
  for (const tool of listed) {
    const { name, description = '', annotations = {}, inputSchema } = tool
    const input_schema = JSON.stringify(inputSchema)
    if (name === '' || name.length > MAX_NAME || known.has(name)) continue
    if (Buffer.byteLength(input_schema) > MAX_SCHEMA_BYTES) continue
    known.add(name)
    const title = tool.title ?? annotations.title
    const shown = {
      name: name.toWellFormed(),
      title: title === undefined ? null : title.toWellFormed().slice(0, MAX_TITLE),
      description: description.toWellFormed().slice(0, MAX_DESCRIPTION),
      read_only: annotations.readOnlyHint === true,
      destructive: annotations.readOnlyHint !== true && annotations.destructiveHint !== false,
      input_schema,
    }
    const row = { ...shown, call_name: toCallName(name, taken), fingerprint: hash(JSON.stringify(shown)) }
    room -= Buffer.byteLength(JSON.stringify(row))
    if (room < 0) break
    stored.push(row)
  }
  return stored
}

/** Returns a name that every model takes, unlike those that are taken; names that need no change stay as they are. */
function toCallName(name: string, taken: Set<string>): string {
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_')
  const mark = `_${hash(name).slice(0, 6)}`
  const isFitting = plain.length <= MAX_CALL_NAME && !taken.has(plain)
  const call_name = isFitting ? plain : `${plain.slice(0, MAX_CALL_NAME - mark.length)}${mark}`
  taken.add(call_name)
  return call_name
}

const hash = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 16)
