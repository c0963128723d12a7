import { createHash } from 'node:crypto'
import { isObject } from '#plugin-api'
import type { ElementFailure, JsonElement } from '../archive/elements.ts'
import type { Conversation, ImportKind } from '../conversation.ts'
import { isChatGpt, readChatGpt } from './chatgpt.ts'
import { isClaude, readClaude } from './claude.ts'
import { isLibreChat, readLibreChat } from './librechat.ts'
import { isOpenWebUi, readOpenWebUi } from './open-webui.ts'

/** The readers of the kinds; the first one that fits reads a conversation. */
const READERS = [
  { kind: 'claude', fits: isClaude, read: readClaude },
  { kind: 'librechat', fits: isLibreChat, read: readLibreChat },
  { kind: 'openwebui', fits: isOpenWebUi, read: readOpenWebUi },
  { kind: 'chatgpt', fits: isChatGpt, read: readChatGpt },
] as const

/** Words that show the kind of a conversation that cannot be read. */
const SIGNS: [ImportKind, RegExp][] = [
  ['claude', /"chat_messages"\s*:/],
  ['librechat', /"conversationId"\s*:/],
  ['openwebui', /"history"\s*:\s*\{/],
  ['chatgpt', /"mapping"\s*:/],
]

/** An element of a file: a conversation, one that cannot be read, or null for anything else. */
export type ReadElement =
  | { conversation: Conversation }
  | { kind: ImportKind | null; title: string | null; failure: ElementFailure | 'not_json' }
  | null

/** Reads an element of a file, whatever its kind. */
export function readElement(element: JsonElement): ReadElement {
  if ('failure' in element) return describeUnread(element.head.toString('utf8'), element.failure)
  const text = element.json.toString('utf8')
  let exported: unknown
  try {
    exported = JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return describeUnread(text.slice(0, 16_384), 'not_json')
    throw error
  }
  if (!isObject(exported)) return null
  for (const { kind, fits, read } of READERS) {
    if (!fits(exported)) continue
    const { id = idOf(element.json), ...conversation } = read(exported)
    return { conversation: { kind, id, ...conversation } }
  }
  return null
}

/** Returns the id of a conversation that has none: the same one for the same bytes. */
const idOf = (json: Buffer) => createHash('sha256').update(json).digest('base64url')

function describeUnread(head: string, failure: ElementFailure | 'not_json'): ReadElement {
  const [kind = null] = SIGNS.find(([, sign]) => sign.test(head)) ?? []
  const [, title] = /"(?:title|name)"\s*:\s*("(?:[^"\\]|\\.){1,400}")/.exec(head) ?? []
  return { kind, title: title === undefined ? null : readTitle(title), failure }
}

function readTitle(json: string): string | null {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
