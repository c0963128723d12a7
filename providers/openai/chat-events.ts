import {
  createId,
  type EventMender,
  findError,
  type Json,
  toArguments,
  toCount,
  toObject,
  toShare,
  toText,
} from '../event-filter.ts'

/** A call of a tool, whose deltas have this index. */
interface Call {
  /** The index that the upstream uses, which several calls may share. */
  sentIndex: unknown
  id: string | undefined
}

/**
 * Creates the mender of an answer of Chat Completions: calls get an index of their own, words of a refusal become text,
 * and fields of a wrong type are converted or left out.
 */
export function createChatMender(): EventMender {
  const calls: Call[] = []
  let hasContent = false
  let isRefused = false
  let isFinished = false

  const findCall = ({ index, id, function: part }: Json): number => {
    const byId = id ? calls.findIndex((call) => call.id === id) : -1
    if (byId >= 0) return byId
    const byIndex = index == null ? calls.length - 1 : calls.findLastIndex((call) => call.sentIndex === index)
    const last = byIndex >= 0 ? byIndex : part?.name ? -1 : calls.length - 1
    // A head with another id begins a call, whatever its index.
    const isHead = part?.name && (id || index == null)
    return isHead ? -1 : last
  }

  const mendCall = (delta: Json): Json[] => {
    if (typeof delta !== 'object' || delta === null) return []
    const id = toText(delta.id) || undefined
    const name = toText(delta.function?.name) || undefined
    let index = findCall({ ...delta, id })
    const isNew = index < 0
    // A delta without a call that has a name cannot be used.
    if (isNew && name === undefined) return []
    if (isNew) index = calls.push({ sentIndex: delta.index, id }) - 1
    const part = { ...(isNew && { name }), arguments: toArguments(delta.function?.arguments) }
    return [{ index, ...(isNew && { id: id ?? createId('call') }), function: part }]
  }

  const mendDelta = (delta: Json): Json => {
    if (typeof delta !== 'object' || delta === null) return undefined
    const refusal = toText(delta.refusal)
    if (refusal) isRefused = true
    const text = toContent(delta.content) ?? ''
    const tool_calls = (Array.isArray(delta.tool_calls) ? delta.tool_calls : []).flatMap(mendCall)
    if (text || refusal || tool_calls.length > 0) hasContent = true
    return {
      ...(text + (refusal ?? '') !== '' && { content: text + (refusal ?? '') }),
      ...(tool_calls.length > 0 && { tool_calls }),
      reasoning_content: toText(delta.reasoning_content) ?? toText(delta.reasoning),
    }
  }

  return {
    mend(event, name) {
      const error = findError(event, name)
      if (error) return [{ error }]
      const choices = Array.isArray(event.choices) ? event.choices : []
      const choice =
        choices.find((one: Json) => one?.index === 0) ?? choices.find((one: Json) => one?.index == null)
      const usage = toObject(event.usage ?? choice?.usage ?? event.x_groq?.usage)
      const finish_reason = toText(choice?.finish_reason) || undefined
      const delta = mendDelta(choice?.delta ?? choice?.message)
      if (finish_reason) isFinished = true
      return [
        {
          id: toText(event.id),
          model: toText(event.model),
          created: toCount(event.created),
          choices: choice
            ? [{ index: 0, delta, finish_reason: finish_reason && isRefused ? 'refusal' : finish_reason }]
            : [],
          usage: mendUsage(usage),
        },
      ]
    },
    // Some upstreams write the whole answer and no reason why it ends.
    end: (isDone) =>
      isDone && hasContent && !isFinished
        ? [{ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }] }]
        : [],
  }
}

/** Returns the text of a content, which may be a list of parts. */
function toContent(content: Json): string | undefined {
  if (!Array.isArray(content)) return toText(content)
  return content.map((part) => toText(part?.text) ?? toText(part?.refusal) ?? '').join('')
}

/** Returns the usage if it says what was read and written; nothing is read by no call. */
function mendUsage({
  prompt_tokens,
  completion_tokens,
  prompt_tokens_details,
  completion_tokens_details,
}: Json) {
  const input = toCount(prompt_tokens)
  const output = toCount(completion_tokens)
  if (!input || output === undefined) return undefined
  return {
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: { cached_tokens: toShare(prompt_tokens_details?.cached_tokens, input) },
    completion_tokens_details: {
      reasoning_tokens: toShare(completion_tokens_details?.reasoning_tokens, output),
    },
  }
}
