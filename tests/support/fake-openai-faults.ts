import { sealOf } from './fake-openai-events.ts'
import type { VendorWords } from './fake-openai-refusals.ts'
import type { FakeModel } from './fake-openai-responses.ts'

/** By call id: which thoughts a call came with, and its item's id. */
export type IssuedThoughts = Map<string, { call: string; thought: string }>

interface Context {
  // biome-ignore lint/suspicious/noExplicitAny: a request as it came
  body: any
  model: FakeModel
  issued: IssuedThoughts
  isVerified: boolean
}

const bad = (
  message: string,
  param: string | null,
  code: string | null = null,
  status = 400,
): VendorWords => ({
  status,
  error: { message, type: 'invalid_request_error', param, code },
})

/** Returns OpenAI's refusal of a request to the Responses API, in its words. */
export function findResponsesFault(context: Context): VendorWords | undefined {
  const { body, model, isVerified } = context
  if (!Array.isArray(body.input))
    return bad(
      'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.',
      'input',
    )
  if (body.max_output_tokens < 16)
    return bad(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${body.max_output_tokens} instead.`,
      'max_output_tokens',
      'integer_below_min_value',
    )
  if (!model.isReasoning) {
    if (body.include?.includes('reasoning.encrypted_content'))
      return bad('Encrypted content is not supported with this model.', 'include')
    const [field] = Object.keys(body.reasoning ?? {})
    if (field) return unsupported(`reasoning.${field}`)
  }
  if (body.reasoning?.summary && !isVerified)
    return bad(
      'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization. If you just verified, it can take up to 15 minutes for access to propagate.',
      'reasoning.summary',
      'unsupported_value',
    )
  for (const [index, { type, name, parameters }] of (body.tools ?? []).entries())
    if (type !== 'function' || !name || !parameters) return missing(`tools[${index}].name`)
  return findItemFault(context)
}

const unsupported = (param: string) =>
  bad(`Unsupported parameter: '${param}' is not supported with this model.`, param, 'unsupported_parameter')

const missing = (param: string) =>
  bad(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter')

const PARTS: Record<string, string[]> = {
  user: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
}

// biome-ignore lint/suspicious/noExplicitAny: items have many forms
type Item = any

function findItemFault({ body, issued }: Context): VendorWords | undefined {
  const items: Item[] = body.input
  const turn = items.findLastIndex(({ role }) => role === 'user')
  const called = new Set(items.flatMap(({ type, call_id }) => (type === 'function_call' ? [call_id] : [])))
  const answered = new Set(
    items.flatMap(({ type, call_id }) => (type === 'function_call_output' ? [call_id] : [])),
  )
  for (const [index, item] of items.entries()) {
    const { type = 'message', id, call_id, role, content } = item
    switch (type) {
      case 'message':
        for (const [n, part] of (Array.isArray(content) ? content : []).entries())
          if (!(PARTS[role] ?? PARTS.user!).includes(part.type))
            return bad(`Invalid value: '${part.type}'.`, `input[${index}].content[${n}]`, 'invalid_value')
        break
      case 'reasoning': {
        const next = items[index + 1]
        if (!item.encrypted_content)
          return bad(
            `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
            'input',
            null,
            404,
          )
        if (item.encrypted_content !== sealOf(id))
          return bad(
            `The encrypted content for item ${id} could not be verified.`,
            null,
            'invalid_encrypted_content',
          )
        if (next?.type !== 'reasoning' && next?.type !== 'function_call' && next?.role !== 'assistant')
          return bad(
            `Item '${id}' of type 'reasoning' was provided without its required following item.`,
            'input',
          )
        break
      }
      case 'function_call': {
        if (!answered.has(call_id)) return bad(`No tool output found for function call ${call_id}.`, 'input')
        const { call, thought } = issued.get(call_id) ?? {}
        if (index > turn && thought && !items.slice(0, index).some(({ id }) => id === thought))
          return bad(
            `Item '${call}' of type 'function_call' was provided without its required 'reasoning' item: '${thought}'.`,
            'input',
          )
        break
      }
      case 'function_call_output':
        if (!called.has(call_id))
          return bad(`No tool call found for function call output with call_id ${call_id}.`, 'input')
        break
      default:
        return bad(`Invalid value: '${type}'.`, `input[${index}]`, 'invalid_value')
    }
  }
  return undefined
}

/** Returns OpenAI's refusal of a request to Chat Completions, in its words. */
export function findChatFault({ body, model }: Context): VendorWords | undefined {
  const { messages } = body
  if (!Array.isArray(messages)) return missing('messages')
  if (model.isReasoning && body.max_tokens !== undefined)
    return bad(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    )
  if (!model.isReasoning && body.reasoning_effort !== undefined)
    return bad('Unrecognized request argument supplied: reasoning_effort', null)
  const open = new Set<string>()
  for (const [index, { role, tool_calls = [], tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      if (open.delete(tool_call_id)) continue
      return bad(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        `messages.[${index}].role`,
      )
    }
    if (open.size > 0) return unanswered(open)
    for (const { id } of tool_calls) open.add(id)
  }
  return open.size > 0 ? unanswered(open) : undefined
}

const unanswered = (ids: Set<string>) =>
  bad(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    'messages',
  )
