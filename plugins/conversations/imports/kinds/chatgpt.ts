import {
  isObject,
  type Json,
  parseLoosely,
  parseObject,
  toFilledText,
  toObject,
  toObjects,
  toText,
} from '#plugin-api'
import type { Conversation, ConversationFile, ConversationMessage } from '../conversation.ts'
import {
  findNewestLeaf,
  firstText,
  joinTexts,
  type TreeNode,
  toCodeBlock,
  toTime,
  walkToRoot,
} from './fields.ts'

/** The marks around citations, entities and links, which ChatGPT writes with characters for private use. */
const MARKED = /([ \t]?)\uE200([^\uE200\uE201]*)\uE201/g
const MARK_SEPARATOR = '\uE202'
const STRAY_MARKS = /[\uE200-\uE206]/g
const SOURCE_MARKS = /【\d{1,4}(?::\d{1,4})?†[^【】]*】/g

/** Kinds of content that ChatGPT does not show as a message. */
const HIDDEN_CONTENT = new Set([
  'app_pairing_content',
  'model_editable_context',
  'reasoning_recap',
  'system_error',
  'thoughts',
  'user_editable_context',
])

/** The tool that creates a document beside the conversation. */
const NEW_CANVAS = 'canmore.create_textdoc'

/** True for a conversation of ChatGPT: a tree of messages, or in some exports their list. */
export const isChatGpt = ({ mapping, messages }: Json): boolean =>
  (typeof mapping === 'object' && mapping !== null) ||
  (Array.isArray(messages) && messages.some((message) => isObject(toObject(message).author)))

/** Reads a conversation of ChatGPT, of exports with and without metadata of messages. */
export function readChatGpt(exported: Json): Omit<Conversation, 'kind' | 'id'> & { id: string | undefined } {
  const model = firstText(exported, 'default_model_slug', 'model_slug')
  return {
    id: firstText(exported, 'conversation_id', 'id'),
    title: toFilledText(exported.title) ?? null,
    created_at: toTime(exported.create_time),
    updated_at: toTime(exported.update_time),
    is_archived: exported.is_archived === true,
    is_pinned: exported.is_starred === true || toTime(exported.pinned_time) !== undefined,
    messages: listShown(exported).flatMap((message) => readMessage(message, model)),
  }
}

/** Lists the messages of the path that was shown. */
function listShown({ mapping, messages, current_node }: Json): Json[] {
  if (typeof mapping !== 'object' || mapping === null) return toObjects(messages)
  const nodes = new Map<string, TreeNode<Json>>()
  // Newer exports leave out some links to children, older ones some to parents.
  const parents = new Map<string, string>()
  for (const [key, value] of Object.entries(mapping)) {
    const node = toObject(value)
    const id = Array.isArray(mapping) ? (toFilledText(node.id) ?? key) : key
    for (const child of Array.isArray(node.children) ? node.children : []) parents.set(toText(child), id)
    const message = isObject(node.message) ? node.message : isObject(node.author) ? node : {}
    nodes.set(id, { parent: toFilledText(node.parent), message })
  }
  for (const [id, node] of nodes) node.parent ??= parents.get(id)
  const current = toFilledText(current_node)
  const leaf =
    current !== undefined && nodes.has(current)
      ? current
      : findNewestLeaf(nodes, ({ create_time }) => toTime(create_time))
  return leaf === undefined ? [] : walkToRoot(nodes, leaf)
}

function readMessage(message: Json, conversationModel: string | undefined): ConversationMessage[] {
  const role = toText(toObject(message.author).role)
  const metadata = toObject(message.metadata)
  const content = toObject(message.content)
  const type = toText(content.content_type)
  const recipient = toFilledText(message.recipient) ?? 'all'
  const isHidden = metadata.is_visually_hidden_from_conversation === true || HIDDEN_CONTENT.has(type)
  if (isHidden || (role !== 'user' && role !== 'assistant' && role !== 'tool')) return []
  const parts = Array.isArray(content.parts) ? content.parts : []
  const files = [...parts.flatMap(readPicture), ...toObjects(metadata.attachments).flatMap(readAttachment)]
  const ts = toTime(message.create_time)
  // Tools are not shown, but the pictures that they made are.
  if (role === 'tool')
    return files.length > 0 ? [{ role: 'assistant', text: '', ts, files: withoutDoubles(files) }] : []
  const text =
    recipient === 'all'
      ? cleanText(readText(content, type, parts))
      : recipient === NEW_CANVAS
        ? readCanvas(joinTexts([...parts, content.text]))
        : ''
  if (text === '' && files.length === 0) return []
  const model = toFilledText(metadata.model_slug) ?? conversationModel
  return [{ role, text, ts, ...(role === 'assistant' && { model }), files: withoutDoubles(files) }]
}

/** Returns the document that a call of the canvas created. */
function readCanvas(call: string): string {
  const { name, type, content } = parseObject(call) ?? {}
  const text = toText(content)
  if (text === '') return ''
  const [kind, language] = toText(type).split('/')
  return joinTexts([name && `**${toText(name)}**`, kind === 'code' ? toCodeBlock(text, language) : text])
}

function readText(content: Json, type: string, parts: readonly unknown[]): string {
  if (type === 'code') return toCodeBlock(toText(content.text), toText(content.language))
  if (parts.length === 0) return joinTexts([content.text, content.result])
  return joinTexts(parts.map((part) => (typeof part === 'string' ? part : toObject(part).text)))
}

/** Removes the marks of citations; of entities and links, the name stays. */
function cleanText(text: string): string {
  const clean = text.replace(MARKED, (marked, space: string, content: string, offset: number) => {
    const name = readMark(content)
    const isBeforeWord = /[\p{L}\p{N}]/u.test(text.charAt(offset + marked.length))
    return name !== '' || isBeforeWord ? space + name : ''
  })
  return clean.replace(SOURCE_MARKS, '').replace(STRAY_MARKS, '').trim()
}

/** Returns the part of a mark that people see. */
function readMark(content: string): string {
  const [kind, value = ''] = content.split(MARK_SEPARATOR)
  if (kind === 'url' || kind === 'link_title') return value
  if (kind !== 'entity') return ''
  const entity = parseLoosely(value)
  return Array.isArray(entity) ? toText(entity[1]) : ''
}

const POINTER = /^(?:file-service|sediment):\/\//

function readPicture(part: unknown): ConversationFile[] {
  const { asset_pointer } = toObject(part)
  const pointer = toText(asset_pointer)
  if (!POINTER.test(pointer) || toObject(part).content_type !== 'image_asset_pointer') return []
  const [id] = pointer.replace(POINTER, '').split(/[#?]/)
  return id ? [{ name: id, names: [id] }] : []
}

function readAttachment({ id, name, mime_type, mimeType }: Json): ConversationFile[] {
  const file_id = toFilledText(id)
  if (file_id === undefined) return []
  const filename = toFilledText(name) ?? file_id
  const media_type = toFilledText(mime_type) ?? toFilledText(mimeType)
  return [{ name: filename, media_type, names: [file_id, `${file_id}-${filename}`] }]
}

/** Keeps each file once, by the id that its parts share; an attachment knows its name. */
function withoutDoubles(files: readonly ConversationFile[]): ConversationFile[] {
  const byId = new Map<string, ConversationFile>()
  for (const file of files) byId.set(file.names![0]!, file)
  return [...byId.values()]
}
