import { isObject, type Json, toFilledText, toObject, toObjects, toText } from '#plugin-api'
import type { Conversation, ConversationFile, ConversationMessage } from '../conversation.ts'
import {
  findNewestLeaf,
  firstText,
  joinTexts,
  removeBetween,
  type TreeNode,
  toStoredTime,
  walkToRoot,
} from './fields.ts'

/** The marks of thoughts within the text of older versions. */
const THOUGHTS = /:::thinking\b/g
const THOUGHTS_END = ':::\n'

const listOf = ({ messages, messagesTree }: Json): Json[] =>
  toObjects(Array.isArray(messagesTree) ? messagesTree : messages)

/** True for a conversation of LibreChat. */
export const isLibreChat = (exported: Json): boolean =>
  typeof exported.conversationId === 'string' &&
  (Array.isArray(exported.messages) || Array.isArray(exported.messagesTree))

/** Reads a conversation of LibreChat, as a list or as a tree. */
export function readLibreChat(
  exported: Json,
): Omit<Conversation, 'kind' | 'id'> & { id: string | undefined } {
  const model = toFilledText(toObject(exported.options).model) ?? toFilledText(exported.model)
  const messages = listShown(listOf(exported))
  return {
    id: toFilledText(exported.conversationId),
    title: toFilledText(exported.title) ?? null,
    created_at: toStoredTime(exported.createdAt) ?? toStoredTime(messages[0]?.createdAt),
    updated_at: toStoredTime(exported.updatedAt) ?? toStoredTime(messages.at(-1)?.createdAt),
    is_archived: exported.isArchived === true,
    is_pinned: exported.isPinned === true || exported.pinned === true,
    messages: messages.flatMap((message) => readMessage(message, model)),
  }
}

/** Lists the messages of the path that was shown: of versions, the newest one. */
function listShown(roots: readonly Json[]): Json[] {
  const nodes = new Map<string, TreeNode<Json>>()
  const open: { message: Json; parent: string | undefined }[] = roots.map((message) => ({
    message,
    parent: toFilledText(message.parentMessageId),
  }))
  // A tree may be deeper than a stack.
  for (let index = 0; index < open.length; index += 1) {
    const { message, parent } = open[index]!
    const id = toFilledText(message.messageId) ?? `message ${index}`
    nodes.set(id, { parent, message })
    for (const child of toObjects(message.children)) open.push({ message: child, parent: id })
  }
  const isLinked = [...nodes.values()].some(({ parent }) => parent !== undefined && nodes.has(parent))
  if (!isLinked) return [...roots]
  const leaf = findNewestLeaf(nodes, ({ createdAt }) => toStoredTime(createdAt))
  return walkToRoot(nodes, leaf!)
}

function readMessage(message: Json, conversationModel: string | undefined): ConversationMessage[] {
  const { isCreatedByUser, sender, content, createdAt, files, attachments } = message
  const isUser =
    typeof isCreatedByUser === 'boolean' ? isCreatedByUser : toText(sender).toLowerCase() === 'user'
  const parts = joinTexts(toObjects(content).map(readPart))
  const text = parts || removeBetween(toText(message.text), THOUGHTS, THOUGHTS_END).trim()
  const attached = [...toObjects(files), ...toObjects(attachments)].flatMap(readFile)
  if (text === '' && attached.length === 0) return []
  const ts = toStoredTime(createdAt)
  if (isUser) return [{ role: 'user', text, ts, files: attached }]
  const model = toFilledText(message.model) ?? conversationModel
  return [{ role: 'assistant', text, ts, model, files: attached }]
}

function readPart({ type, text }: Json): string {
  if (type !== 'text') return ''
  return isObject(text) ? toText(text.value) : toText(text)
}

function readFile(file: Json): ConversationFile[] {
  const name = firstText(file, 'filename', 'name')
  if (name === undefined) return []
  const stored = toText(file.filepath)
  const names = [toText(file.file_id), stored.slice(stored.lastIndexOf('/') + 1), name].filter(Boolean)
  return [{ name, media_type: toFilledText(file.type), names }]
}
