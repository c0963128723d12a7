import { createHash } from 'node:crypto'
import { encodeLinkPath, type Locale } from '#plugin-api'
import type { StoredFile } from '../../agents/agents/types.ts'
import type { Block } from '../chat/documents.ts'
import type { EarlierTurn } from '../chat/threads/earlier-turns.ts'
import type { Conversation, ConversationFile, ConversationMessage, ImportKind } from './conversation.ts'

const LEFT_OUT: Record<Locale, (name: string) => string> = {
  en: (name) => `[File not imported: ${name}]`,
  zh: (name) => `[文件未导入：${name}]`,
}

/** The text of a message without content, because models accept no empty message. */
const NOTHING = '…'

/** The stored files of messages; those that could not be stored are missing. */
export type StoredFiles = ReadonlyMap<ConversationFile, StoredFile>

/** Groups messages to turns, each of which begins with a message of the user. */
export function groupMessages(messages: readonly ConversationMessage[]): ConversationMessage[][] {
  const groups: ConversationMessage[][] = []
  for (const message of messages) {
    const group = groups.at(-1)
    if (!group || message.role === 'user') groups.push([message])
    else group.push(message)
  }
  return groups
}

/** Returns a hash of the texts of a turn, which is the same in every archive that has the turn. */
export function hashMessages(messages: readonly ConversationMessage[]): string {
  const texts = messages.map(({ role, text }) => [role, text])
  return createHash('sha256').update(JSON.stringify(texts)).digest('base64url').slice(0, 16)
}

/** Returns messages of one turn as a turn of a thread. Their times must rise. */
export function toTurn(
  messages: readonly ConversationMessage[],
  { files, kind, locale }: { files: StoredFiles; kind: ImportKind; locale: Locale },
): EarlierTurn {
  const [first] = messages
  const question = first!.role === 'user' ? first : undefined
  const answers = question ? messages.slice(1) : messages
  const text = answers.map((answer) => toAnswerText(answer, files, locale)).join('\n\n')
  const model = answers.findLast((answer) => answer.model !== undefined)?.model
  const ts = answers.at(-1)?.ts
  return {
    input: question ? toBlocks(question, files, locale) : [{ type: 'text', text: NOTHING }],
    documents: [],
    is_copied: true,
    ...(first!.ts !== undefined && { ts: first!.ts }),
    steps:
      text === ''
        ? []
        : [
            {
              ...{ text, calls: [], results: [] },
              ...(ts !== undefined && { ts }),
              ...(model !== undefined && { model: `${kind}:${model.slice(0, 200)}` }),
            },
          ],
  }
}

function toBlocks({ text, files }: ConversationMessage, stored: StoredFiles, locale: Locale): Block[] {
  const blocks: Block[] = text === '' ? [] : [{ type: 'text', text }]
  for (const file of files) {
    const copy = stored.get(file)
    if (!copy) {
      blocks.push({ type: 'text', text: `${blocks.length > 0 ? '\n\n' : ''}${LEFT_OUT[locale](file.name)}` })
      continue
    }
    const { path, filename, media_type } = copy
    blocks.push({ type: isPicture(copy) ? 'image' : 'file', path, filename, media_type })
  }
  return blocks
}

function toAnswerText({ text, files }: ConversationMessage, stored: StoredFiles, locale: Locale): string {
  const links = files.map((file) => {
    const copy = stored.get(file)
    if (!copy) return LEFT_OUT[locale](file.name)
    const label = copy.filename.replace(/[[\]\\]/g, '\\$&')
    return `${isPicture(copy) ? '!' : ''}[${label}](${encodeLinkPath(copy.path)})`
  })
  return [...(text === '' ? [] : [text]), ...links].join('\n\n')
}

const isPicture = ({ media_type }: StoredFile) => /^image\/(?:png|jpeg|gif|webp)$/.test(media_type)

/** Returns messages whose times rise and are not in the future; a missing time is that of the message before. */
export function withRisingTimes(
  { messages, created_at }: Pick<Conversation, 'messages' | 'created_at'>,
  now: number,
): ConversationMessage[] {
  const firstTime = messages.find(({ ts }) => ts !== undefined)?.ts
  let last = Math.min(now, firstTime ?? created_at ?? now)
  return messages.map((message) => {
    last = Math.min(now, Math.max(last, message.ts ?? last))
    return { ...message, ts: last }
  })
}
