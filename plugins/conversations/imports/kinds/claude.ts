import { isObject, type Json, toFilledText, toObject, toObjects, toText } from '#plugin-api'
import type { Conversation, ConversationFile, ConversationMessage } from '../conversation.ts'
import { firstText, joinTexts, type TreeNode, toCodeBlock, toTime, walkToRoot } from './fields.ts'

/** The text in place of a block that a device could not show. */
const UNSUPPORTED = /```\s*This block is not supported on your current device yet\.\s*```/g

/** True for a conversation of Claude. */
export const isClaude = ({ chat_messages }: Json): boolean => Array.isArray(chat_messages)

/** Reads a conversation of Claude. */
export function readClaude(exported: Json): Omit<Conversation, 'kind' | 'id'> & { id: string | undefined } {
  const model = toFilledText(exported.model)
  return {
    id: firstText(exported, 'uuid', 'id'),
    title: firstText(exported, 'name', 'title') ?? null,
    created_at: toTime(exported.created_at),
    updated_at: toTime(exported.updated_at),
    is_archived: exported.is_archived === true,
    is_pinned: exported.is_starred === true,
    messages: listShown(exported).flatMap((message) => readMessage(message, model)),
  }
}

/** Lists the messages of the path that was shown; older exports have no links, but only one path. */
function listShown({ chat_messages, current_leaf_message_uuid }: Json): Json[] {
  const messages = toObjects(chat_messages)
  const last = messages.at(-1)
  if (!messages.some(({ parent_message_uuid }) => toText(parent_message_uuid) !== '')) return messages
  const nodes = new Map<string, TreeNode<Json>>()
  for (const message of messages)
    nodes.set(toText(message.uuid), { parent: toFilledText(message.parent_message_uuid), message })
  const current = toText(current_leaf_message_uuid)
  return walkToRoot(nodes, nodes.has(current) ? current : toText(last!.uuid))
}

function readMessage(message: Json, model: string | undefined): ConversationMessage[] {
  const { sender, content, created_at, attachments, files, files_v2 } = message
  const role = sender === 'human' || sender === 'user' ? 'user' : sender === 'assistant' ? 'assistant' : null
  if (role === null) return []
  const blocks = toObjects(content)
  const text = joinTexts(blocks.map(readBlock)) || joinTexts([toText(message.text).replace(UNSUPPORTED, '')])
  const attached = [
    ...toObjects(attachments).flatMap(readAttachment),
    ...[...toObjects(files), ...toObjects(files_v2)].flatMap(readFile),
  ]
  const byName = new Map(attached.map((file) => [file.name, file]))
  if (text === '' && byName.size === 0) return []
  const files_of_message = [...byName.values()]
  return [
    {
      ...{ role, text, ts: toTime(created_at), files: files_of_message },
      ...(role === 'assistant' && { model: toFilledText(message.model) ?? model }),
    },
  ]
}

/** Returns what a block shows: text, or an artifact that a call of a tool wrote; nothing for thoughts and other calls. */
function readBlock({ type, text, name, input }: Json): string {
  if (type === 'text') return toText(text)
  if (type !== 'tool_use' || name !== 'artifacts' || !isObject(input)) return ''
  const { title, content, language } = input
  const artifact = toText(content)
  if (artifact === '') return ''
  const heading = toFilledText(title) === undefined ? '' : `**${toText(title)}**\n\n`
  const isText = toText(input.type) === 'text/markdown'
  return heading + (isText ? artifact : toCodeBlock(artifact, toText(language)))
}

/** Reads an attachment, of which the export has the text. */
function readAttachment({ file_name, file_type, extracted_content, id }: Json): ConversationFile[] {
  const content = toText(extracted_content)
  const name = toFilledText(file_name) ?? 'pasted.txt'
  const media_type = toFilledText(file_type)
  if (content === '') return [{ name, media_type, names: [name, toText(id)] }]
  const isText = /\.(?:txt|md|csv|json|html?|xml|ya?ml|[jt]sx?|py|c|cpp|h|java|go|rs|rb|sh|sql|css)$/i.test(
    name,
  )
  return [{ name: isText ? name : `${name}.txt`, media_type: 'text/plain', content: Buffer.from(content) }]
}

function readFile(value: unknown): ConversationFile[] {
  const file = toObject(value)
  const name = firstText(file, 'file_name', 'name')
  if (name === undefined) return []
  return [{ name, names: [firstText(file, 'file_uuid', 'uuid') ?? name, name] }]
}
