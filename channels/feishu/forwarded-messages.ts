import type { InboundFile, QuotedMessage } from '#plugin-api'
import { attributeWords } from '#toolbox'
import type { FetchedMessage } from './fetched-message.ts'
import { toFile } from './inbound-message.ts'
import { describeContent } from './message-content.ts'

/** Limits for reading forwarded messages. */
const MAX_MESSAGES = 100
const MAX_FILES = 20
const MAX_DEPTH = 5

const INDENT = '  '

/** Writes forwarded messages, which may be nested, one after the other with their senders, and lists their files. */
export function writeForwarded(root: FetchedMessage, messages: readonly FetchedMessage[]): QuotedMessage {
  const names = new Map(messages.flatMap((message) => [...message.names]))
  const parts = messages.filter((message) => message !== root)
  const containers = new Set(parts.filter(({ type }) => type === 'merge_forward').map(({ id }) => id))
  const lines: string[] = []
  const files: InboundFile[] = []
  let count = 0

  function add(message: FetchedMessage, depth: number): void {
    const { id, type, content, sender_id = '', is_from_app, upper_id } = message
    count += 1
    if (count > MAX_MESSAGES) return
    const isNested = type === 'merge_forward' && depth < MAX_DEPTH
    const words = isNested ? 'forwarded messages:' : describeContent(content)
    const indent = INDENT.repeat(depth)
    const name = is_from_app ? 'a bot' : (names.get(sender_id) ?? (sender_id || 'somebody'))
    lines.push(indent + attributeWords(name, words).replaceAll('\n', `\n${indent}`))
    // The platform keeps the files with the whole, some also with the original message.
    for (const resource of content.resources)
      if (files.length < MAX_FILES) files.push(toFile(resource, root.id ?? upper_id ?? '', id))
    if (isNested) addPartsOf(id, depth + 1)
  }

  function addPartsOf(container: string | undefined, depth: number): void {
    for (const part of parts
      .filter(({ upper_id }) => upper_id === container || (depth === 0 && !containers.has(upper_id)))
      .toSorted((one, other) => one.created_at - other.created_at))
      add(part, depth)
  }

  addPartsOf(root.id, 0)
  if (count > MAX_MESSAGES) lines.push(`[${count - MAX_MESSAGES} more messages]`)
  return { text: lines.join('\n'), ...(files.length > 0 && { files }) }
}
