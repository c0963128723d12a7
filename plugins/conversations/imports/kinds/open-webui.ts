import { isObject, type Json, toFilledText, toObject, toObjects, toText } from '#plugin-api'
import type { Conversation, ConversationFile, ConversationMessage } from '../conversation.ts'
import {
  findNewestLeaf,
  firstText,
  joinTexts,
  readDataUrl,
  removeBetween,
  type TreeNode,
  toTime,
  walkToRoot,
} from './fields.ts'

/** The beginnings of what Open WebUI folds: thoughts and calls of tools. */
const FOLDED = /<details\s+type="(?:reasoning|tool_calls|code_interpreter)"/g
const FOLDED_END = '</details>'

/** Returns the part of a conversation of Open WebUI with the messages: in exports of all chats it is a field. */
const chatOf = (exported: Json): Json => (isObject(exported.chat) ? exported.chat : exported)

/** True for a conversation of Open WebUI. */
export function isOpenWebUi(exported: Json): boolean {
  const { history, messages } = chatOf(exported)
  const { chat } = exported
  return isObject(toObject(history).messages) || (isObject(chat) && Array.isArray(messages))
}

/** Reads a conversation of Open WebUI. */
export function readOpenWebUi(
  exported: Json,
): Omit<Conversation, 'kind' | 'id'> & { id: string | undefined } {
  const chat = chatOf(exported)
  return {
    id: toFilledText(exported.id) ?? toFilledText(chat.id),
    title: toFilledText(exported.title) ?? toFilledText(chat.title) ?? null,
    created_at: toTime(exported.created_at) ?? toTime(chat.timestamp),
    updated_at: toTime(exported.updated_at),
    is_archived: exported.archived === true,
    is_pinned: exported.pinned === true,
    messages: listShown(chat).flatMap(readMessage),
  }
}

/** Lists the messages of the path that was shown. */
function listShown({ history, messages }: Json): Json[] {
  const { messages: tree, currentId } = toObject(history)
  if (!isObject(tree) || Object.keys(tree).length === 0) return toObjects(messages)
  const nodes = new Map<string, TreeNode<Json>>()
  for (const [id, value] of Object.entries(tree)) {
    const message = toObject(value)
    nodes.set(id, { parent: toFilledText(message.parentId), message })
  }
  const current = toText(currentId)
  const leaf = nodes.has(current) ? current : findNewestLeaf(nodes, ({ timestamp }) => toTime(timestamp))
  return walkToRoot(nodes, leaf!)
}

function readMessage({ role, content, timestamp, model, modelName, files }: Json): ConversationMessage[] {
  if (role !== 'user' && role !== 'assistant') return []
  const parts = Array.isArray(content) ? content.map(toObject) : []
  const written = parts.length > 0 ? joinTexts(parts.map(({ text }) => text)) : toText(content)
  const text = removeBetween(written, FOLDED, FOLDED_END).trim()
  const pictures = parts.flatMap(({ image_url }) => readFile({ type: 'image', ...toObject(image_url) }))
  const attached = [...toObjects(files).flatMap(readFile), ...pictures]
  if (text === '' && attached.length === 0) return []
  const name = toFilledText(model) ?? toFilledText(modelName)
  return [
    { role, text, ts: toTime(timestamp), ...(role === 'assistant' && { model: name }), files: attached },
  ]
}

function readFile(file: Json): ConversationFile[] {
  const { type, url } = file
  const picture = readDataUrl(toText(url))
  if (picture) return [{ name: `picture.${picture.media_type.split('/')[1]}`, ...picture }]
  // Knowledge bases and web pages are chosen like files, but are none.
  if (type !== 'file' && type !== 'image') return []
  const stored = toObject(file.file)
  const name = firstText(file, 'name', 'filename') ?? firstText(stored, 'filename')
  const text = toFilledText(toObject(stored.data).content)
  if (text !== undefined) {
    const filename = name ?? 'document'
    const content = Buffer.from(text)
    return [
      { name: `${filename}${filename.endsWith('.txt') ? '' : '.txt'}`, media_type: 'text/plain', content },
    ]
  }
  return [{ name: name ?? toText(type), names: [toText(file.id), toText(name)].filter(Boolean) }]
}
