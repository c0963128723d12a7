import { setImmediate } from 'node:timers/promises'
import { AppError, type ErrorCode } from '#plugin-api'
import { type Archive, explaining, type JsonFile } from './archive/archive.ts'
import { MAX_ELEMENT_BYTES, readElements } from './archive/elements.ts'
import type { Conversation, ImportKind } from './conversation.ts'
import { type ReadElement, readElement } from './kinds/recognize.ts'

/** The time for which reading an archive may keep other work waiting, in milliseconds. */
const MAX_TURN_MS = 10

/** A conversation of an archive, or the reason why it cannot be read. */
export type ArchivedConversation = {
  kind: ImportKind | null
  title: string | null
  /** Of its JSON. */
  bytes: number
} & ({ conversation: Conversation } | { failure: AppError })

/** The codes of failures of single conversations. */
const FAILURES = {
  too_large: 'CONVERSATION_TOO_LARGE',
  too_complex: 'CONVERSATION_TOO_COMPLEX',
  cut_off: 'CONVERSATION_CUT_OFF',
  not_json: 'CONVERSATION_NOT_JSON',
  unknown: 'CONVERSATION_UNKNOWN',
} as const satisfies Record<string, ErrorCode | string>

/**
 * Yields the conversations of all JSON files of an archive in their order, one at a time, whatever the names of the files;
 * `onRead` hears of bytes that were read. Files without conversations are skipped. Throws ARCHIVE_DAMAGED.
 */
export async function* readConversations(
  { files }: Pick<Archive, 'files'>,
  onRead: (bytes: number) => void,
): AsyncGenerator<ArchivedConversation, void, void> {
  for (const file of files) {
    let kind: ImportKind | null = null
    const elements = readElements(readPaced(file, onRead))
    for (;;) {
      // The generator would end with the first error that is thrown into it.
      const { value: element, done } = await explaining(() => elements.next())
      if (done) break
      const archived = toConversation(readElement(element), kind, 'json' in element ? element.json.length : 0)
      if (!archived) continue
      kind ??= archived.kind
      yield archived
    }
  }
}

/** Returns null for what is no conversation, in a file that had none before. */
function toConversation(
  read: ReadElement,
  kindOfFile: ImportKind | null,
  bytes: number,
): ArchivedConversation | null {
  if (read && 'conversation' in read) {
    const { conversation } = read
    return { kind: conversation.kind, title: conversation.title, bytes, conversation }
  }
  const kind = read?.kind ?? kindOfFile
  if (kind === null) return null
  const code = FAILURES[read?.failure ?? 'unknown']
  const failure = new AppError(code, { max_mb: MAX_ELEMENT_BYTES / 1024 / 1024 })
  return { kind, title: read?.title ?? null, bytes, failure }
}

/** Reads a file in chunks, and lets other work run in between. */
async function* readPaced(file: JsonFile, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  const stream = await file.open()
  let begunAt = performance.now()
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onRead(chunk.length)
      yield chunk
      if (performance.now() - begunAt < MAX_TURN_MS) continue
      await setImmediate()
      begunAt = performance.now()
    }
  } finally {
    stream.destroy()
  }
}
