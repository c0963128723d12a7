import { AppError } from '#plugin-api'
import type { Block, MessageDocument, Source, ThreadDocument } from '../chat/documents.ts'
import {
  isFileBlock,
  type NamedFile,
  type SharedSource,
  type StoredBlock,
  type StoredMessage,
} from './documents.ts'
import type { Cradle } from './manifest.ts'

/** The most messages of a share. */
const MAX_MESSAGES = 2000
const MAX_MB = 4
/** The most bytes of the messages of a share, as JSON. */
const MAX_TEXT_BYTES = MAX_MB * 1024 * 1024
/** The most messages of a thread that are read; those that only call tools may be left out of a share. */
const MAX_READ = 10 * MAX_MESSAGES
const PAGE = 200

const tooLarge = () => new AppError('SHARE_TOO_LARGE', { max_messages: MAX_MESSAGES, max_mb: MAX_MB })

/** Reads what is shared of a thread, oldest first. Throws SHARE_EMPTY, SHARE_TOO_LARGE. */
export async function readSharedMessages(
  thread: ThreadDocument,
  { include_steps }: { include_steps: boolean },
  { extensions, history }: Pick<Cradle, 'extensions' | 'history'>,
): Promise<StoredMessage[]> {
  /** True for calls that are shared; false for calls whose results quote other conversations. */
  const isSharedStep = (tool_name: string) =>
    include_steps && !extensions['agents.tools'].get(tool_name)?.personal
  const newestFirst: StoredMessage[] = []
  let bytes = 0
  let count = 0
  let running: string | undefined
  let beforeSeq: number | undefined
  for (;;) {
    const page = await history.page(thread, { limit: PAGE, offset: 0, beforeSeq })
    if (beforeSeq === undefined && page.turn_active) running = page.messages.at(-1)?.turn_id
    count += page.messages.length
    for (const message of page.messages.toReversed()) {
      if (message.turn_id === running) continue
      const shared = toStoredMessage(message, isSharedStep)
      if (!shared) continue
      bytes += Buffer.byteLength(JSON.stringify(shared))
      if (newestFirst.push(shared) > MAX_MESSAGES || bytes > MAX_TEXT_BYTES) throw tooLarge()
    }
    if (page.next_cursor === null) break
    if (count > MAX_READ) throw tooLarge()
    beforeSeq = Number(page.next_cursor)
  }
  if (!newestFirst.some(({ role }) => role === 'assistant')) throw new AppError('SHARE_EMPTY')
  return renumber(newestFirst.reverse())
}

/** Copies what readers may see of a message; undefined if nothing is left. */
function toStoredMessage(
  message: MessageDocument,
  isSharedStep: (tool_name: string) => boolean,
): StoredMessage | undefined {
  const { _id: id, role, timestamp, turn_id, stop_reason, artifacts = [], sources = [] } = message
  const content = message.content.flatMap((block) => toStoredBlock(block, isSharedStep))
  const files = artifacts.map(toNamedFile)
  const named = sources.map(toSharedSource)
  // A tool's message carries the files and sources of its turn, also where steps are left out.
  if (content.length === 0 && files.length === 0 && named.length === 0 && stop_reason === undefined)
    return undefined
  return {
    ...{ id, role, content, timestamp, turn_id },
    status: message.status === 'complete' ? 'complete' : 'stopped',
    ...(stop_reason && { stop_reason }),
    ...(files.length > 0 && { artifacts: files }),
    ...(named.length > 0 && { sources: named }),
  }
}

function toStoredBlock(block: Block, isSharedStep: (tool_name: string) => boolean): StoredBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'image':
    case 'file':
      return [{ type: block.type, ...toNamedFile(block) }]
    case 'tool_use': {
      const { id, name, input } = block
      return isSharedStep(name) ? [{ type: 'tool_use', id, name, input }] : []
    }
    case 'tool_result': {
      const { id, name, output, is_error } = block
      return isSharedStep(name) ? [{ type: 'tool_result', id, name, output, is_error }] : []
    }
    case 'thinking':
      return []
  }
}

const toNamedFile = ({ path, filename, media_type }: NamedFile): NamedFile => ({ path, filename, media_type })

/** Leaves the passage and the ids of a knowledge base out. */
const toSharedSource = ({ id, title, url, number }: Source): SharedSource => ({
  id,
  title,
  ...(url !== undefined && /^https?:/i.test(url) && { url }),
  ...(number !== undefined && { number }),
})

/** Replaces the ids of messages, turns, calls and sources, which mean something elsewhere on this server. */
function renumber(messages: readonly StoredMessage[]): StoredMessage[] {
  const createNames = () => {
    const names = new Map<string, string>()
    return (id: string) => {
      if (!names.has(id)) names.set(id, String(names.size + 1))
      return names.get(id)!
    }
  }
  const [turnName, callName, sourceName] = [createNames(), createNames(), createNames()]
  return messages.map(({ content, sources, ...message }, index) => ({
    ...message,
    id: String(index + 1),
    turn_id: turnName(message.turn_id),
    content: content.map((block) =>
      block.type === 'tool_use' || block.type === 'tool_result'
        ? { ...block, id: callName(block.id) }
        : block,
    ),
    ...(sources && { sources: sources.map((source) => ({ ...source, id: sourceName(source.id) })) }),
  }))
}

/** Lists the files that messages name, each once, in their order. */
export const listNamedFiles = (messages: readonly StoredMessage[]): NamedFile[] => [
  ...new Map(
    messages
      .flatMap(({ content, artifacts = [] }) => [...content.filter(isFileBlock), ...artifacts])
      .map((file) => [file.path, toNamedFile(file)]),
  ).values(),
]
