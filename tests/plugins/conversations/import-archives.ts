import { makeZip, type ZipEntry } from '../../support/zip.ts'

const DAY = 1_700_000_000

/** A message of ChatGPT as its exports have it; without metadata as in newer ones. */
export const chatGptMessage = (
  role: string,
  parts: unknown[],
  fields: object = {},
  content: object = {},
): object => ({
  author: { role, name: null, metadata: {} },
  content: { content_type: 'text', parts, ...content },
  status: 'finished_successfully',
  weight: 1,
  recipient: 'all',
  ...fields,
})

/** A conversation of ChatGPT whose messages follow each other. */
export function chatGptConversation(id: string, messages: (object | null)[], fields: object = {}): object {
  const mapping: Record<string, object> = { root: { id: 'root', message: null, parent: null, children: [] } }
  let parent = 'root'
  for (const [index, message] of messages.entries()) {
    const node = `${id}-${index}`
    mapping[node] = { id: node, message: message && { id: node, ...message }, parent, children: [] }
    ;(mapping[parent] as { children: string[] }).children.push(node)
    parent = node
  }
  return {
    title: `Chat ${id}`,
    create_time: DAY,
    update_time: DAY + 60,
    mapping,
    current_node: parent,
    conversation_id: id,
    id,
    default_model_slug: 'gpt-5',
    is_archived: false,
    ...fields,
  }
}

/** A conversation of Claude. */
export const claudeConversation = (id: string, chat_messages: object[], fields: object = {}): object => ({
  uuid: id,
  name: `Claude ${id}`,
  created_at: '2025-03-01T10:00:00.000000Z',
  updated_at: '2025-03-01T10:05:00.000000Z',
  account: { uuid: 'account' },
  chat_messages: chat_messages.map((message, index) => ({
    uuid: `${id}-${index}`,
    created_at: `2025-03-01T10:0${index % 10}:00.000000Z`,
    attachments: [],
    files: [],
    ...message,
  })),
  ...fields,
})

/** A chat of Open WebUI whose messages follow each other. */
export function openWebUiChat(
  id: string,
  messages: { role: string; content: string; [field: string]: unknown }[],
  fields: object = {},
): object {
  const tree = messages.map((message, index) => ({
    id: `${id}-${index}`,
    parentId: index === 0 ? null : `${id}-${index - 1}`,
    childrenIds: index === messages.length - 1 ? [] : [`${id}-${index + 1}`],
    timestamp: DAY + index,
    ...message,
  }))
  const byId = Object.fromEntries(tree.map((message) => [message.id, message]))
  return {
    id,
    user_id: 'somebody',
    title: `WebUI ${id}`,
    chat: {
      title: `WebUI ${id}`,
      models: ['llama3'],
      history: { messages: byId, currentId: tree.at(-1)?.id ?? null },
      messages: tree,
    },
    created_at: DAY,
    updated_at: DAY + 100,
    archived: false,
    pinned: false,
    ...fields,
  }
}

/** A conversation of LibreChat as a list, or nested as its option for trees exports it. */
export function libreChatConversation(
  id: string,
  texts: string[],
  { recursive = false, ...fields }: { recursive?: boolean; [field: string]: unknown } = {},
): object {
  const list = texts.map((text, index) => ({
    messageId: `${id}-${index}`,
    parentMessageId: index === 0 ? '00000000-0000-0000-0000-000000000000' : `${id}-${index - 1}`,
    conversationId: id,
    sender: index % 2 === 0 ? 'User' : 'GPT-4o',
    isCreatedByUser: index % 2 === 0,
    text,
    createdAt: new Date((DAY + index) * 1000).toISOString(),
    model: index % 2 === 0 ? null : 'gpt-4o',
  }))
  const nest = (index: number): object[] =>
    index === list.length ? [] : [{ ...list[index], children: nest(index + 1) }]
  return {
    conversationId: id,
    endpoint: 'openAI',
    title: `Libre ${id}`,
    exportAt: '10:00:00 GMT',
    branches: recursive,
    recursive,
    options: { model: 'gpt-4o' },
    ...(recursive ? { messagesTree: nest(0) } : { messages: list }),
    ...fields,
  }
}

/** A ZIP archive of JSON and other files. */
export const archiveOf = (
  files: Record<string, unknown>,
  others: readonly ZipEntry[] = [],
): Buffer<ArrayBuffer> =>
  makeZip([
    ...Object.entries(files).map(([name, content]) => ({ name, content: JSON.stringify(content) })),
    ...others,
  ]) as Buffer<ArrayBuffer>
