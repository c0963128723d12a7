import { type Content, toText, toUserParts } from './content-parts.ts'
import { parseArguments, type RequestMessage, unusable } from './conversation.ts'
import type { Cradle } from './manifest.ts'

/** An item of the input as it was sent. */
export interface InputItem {
  readonly type?: string
  readonly [field: string]: unknown
}

const NAME = /^[\w-]{1,64}$/

/** Converts the input of a request; throws CONTENT_UNSUPPORTED. */
export async function readInput(
  input: string | readonly InputItem[],
  user_id: string,
  { history }: Pick<Cradle, 'history'>,
): Promise<RequestMessage[]> {
  if (typeof input === 'string')
    return [{ path: '/input', role: 'user', parts: [{ type: 'text', text: input }] }]
  const messages: RequestMessage[] = []
  for (const [index, item] of input.entries()) {
    const path = `/input/${index}`
    // Thoughts are not sent to a model again.
    if (item.type === 'reasoning' || isThought(item)) continue
    messages.push(
      item.type === 'item_reference'
        ? await readReference(item, { user_id, path }, { history })
        : toRequestMessage(item, path),
    )
  }
  return joinCalls(messages)
}

const isThought = ({ type, id }: InputItem) => type === 'item_reference' && String(id).startsWith('rs_')

function toRequestMessage(item: InputItem, path: string): RequestMessage {
  const content = item.content as Content
  const contentPath = `${path}/content`
  switch (item.type ?? 'message') {
    case 'message':
      if (item.role === 'user') return { path, role: 'user', parts: toUserParts(content, contentPath) }
      if (item.role === 'assistant')
        return { path, role: 'assistant', text: toText(content, contentPath), calls: [] }
      if (item.role === 'system' || item.role === 'developer')
        return { path, role: 'system', text: toText(content, contentPath) }
      throw unusable(path, 'its role is not known')
    case 'function_call': {
      const { call_id, name, arguments: input } = item
      if (typeof call_id !== 'string' || typeof name !== 'string' || !NAME.test(name))
        throw unusable(path, 'it needs a call_id and the name of a function')
      const call = { id: call_id, name, input: parseArguments(String(input ?? '')) }
      return { path, role: 'assistant', text: '', calls: [call] }
    }
    case 'function_call_output': {
      const { call_id, output } = item
      if (typeof call_id !== 'string') throw unusable(path, 'it has no call_id')
      return { path, role: 'tool', id: call_id, output: toText(output as Content, `${path}/output`) }
    }
    default:
      throw unusable(path, 'this type of item is not read here')
  }
}

/** Reads a message that an earlier response has sent. */
async function readReference(
  { id }: InputItem,
  { user_id, path }: { user_id: string; path: string },
  { history }: Pick<Cradle, 'history'>,
): Promise<RequestMessage> {
  const message = await history.findMessage(user_id, String(id))
  if (message?.role !== 'assistant') throw unusable(path, 'there is no such item')
  const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
  return { path, role: 'assistant', text, calls: [] }
}

/** Makes one message of the calls of one answer, which are items of their own, so that their results follow all. */
function joinCalls(messages: readonly RequestMessage[]): RequestMessage[] {
  const joined: RequestMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role === 'assistant' && message.calls.length > 0 && last?.role === 'assistant')
      joined[joined.length - 1] = { ...last, calls: [...last.calls, ...message.calls] }
    else joined.push(message)
  }
  return joined
}
