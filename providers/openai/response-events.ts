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

/** The reason of an end without a reason: an answer that is incomplete is a part, whatever has cut it. */
const CUT = 'max_output_tokens'

/**
 * Creates the mender of an answer of the Responses API. Words that come only at the end of a part, an item or the answer
 * are read there; the words of a refusal become text, and thoughts that are not summarized become a summary.
 */
export function createResponseMender(): EventMender {
  /** The items that have begun, by their place. */
  const openItems = new Map<number, { id: string; type: string }>()
  /** The calls that have begun and not ended, by the ids of their items, with the arguments so far. */
  const openCalls = new Map<string, { index: number; item: Json; input: string }>()
  const finishedCalls: Json[] = []
  /** The ids of items whose words have been read. */
  const spokenIds = new Set<string>()
  const finishedIds = new Set<string>()
  let hasText = false
  let isRefused = false

  const placeOf = ({ output_index: index }: Json): number => toCount(index) ?? Math.max(0, openItems.size - 1)

  /** Returns the events that begin an item, unless it has begun. */
  const begin = (index: number, item: Json): Json[] => {
    if (openItems.get(index)?.id === item.id) return []
    openItems.set(index, item)
    if (item.type === 'function_call') openCalls.set(item.id, { index, item, input: item.arguments })
    return [
      { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
    ]
  }

  /** Returns the events for words of an item of a type, which begins if it has not. */
  const speak = (event: Json, type: 'message' | 'reasoning', text: string | undefined): Json[] => {
    if (!text) return []
    const index = placeOf(event)
    const current = openItems.get(index)
    const id = toText(event.item_id) ?? (current?.type === type ? current.id : `${type}_${index}`)
    const start = current?.type === type && current.id === id ? [] : begin(index, { type, id })
    spokenIds.add(id)
    if (type === 'message') {
      hasText = true
      return [...start, { type: 'response.output_text.delta', item_id: id, output_index: index, delta: text }]
    }
    const summary_index = toCount(event.summary_index) ?? 0
    return [
      ...start,
      {
        type: 'response.reasoning_summary_text.delta',
        item_id: id,
        output_index: index,
        summary_index,
        delta: text,
      },
    ]
  }

  const speakOnce = (event: Json, type: 'message' | 'reasoning', text: string | undefined): Json[] => {
    const id = toText(event.item_id) ?? openItems.get(placeOf(event))?.id
    return id !== undefined && spokenIds.has(id) ? [] : speak(event, type, text)
  }

  /** Finds the call that an event belongs to, by its item or its place. */
  const findCall = (event: Json) =>
    openCalls.get(toText(event.item_id) ?? '') ?? openCalls.get(openItems.get(placeOf(event))?.id ?? '')

  const finishItem = (event: Json): Json[] => {
    const index = toCount(event.output_index) ?? findPlace(event.item)
    const item = mendItem(event.item, openItems.get(index))
    if (!item || finishedIds.has(item.id)) return []
    if (item.type === 'function_call') {
      // Some upstreams do not repeat the arguments at the end of a call.
      item.arguments ||= openCalls.get(item.id)?.input ?? ''
      openCalls.delete(item.id)
      finishedCalls.push(item)
    }
    const position = { output_index: index, item_id: item.id }
    const words =
      item.type === 'message' || item.type === 'reasoning'
        ? speakOnce(position, item.type, readWords(event.item))
        : []
    finishedIds.add(item.id)
    return [
      ...begin(index, item),
      ...words,
      {
        type: 'response.output_item.done',
        output_index: index,
        item: { ...item, status: item.status ?? 'completed' },
      },
    ]
  }

  /** Finds the place of an item that does not name it: that of its beginning, or the next one. */
  const findPlace = (item: Json): number => {
    const openIndex = [...openItems].find(([, { id }]) => id === item?.id)?.[0]
    return openIndex ?? openItems.size
  }

  /** Reads the words of an item; a part of its content may be a refusal. */
  const readWords = ({ content, summary }: Json): string => {
    const parts = [summary, content].flatMap((list) => (Array.isArray(list) ? list : []))
    if (parts.some((part) => toText(part?.refusal))) isRefused = true
    return parts.map((part) => toText(part?.text) ?? toText(part?.refusal) ?? '').join('')
  }

  const finish = (sent: unknown, type?: string): Json[] => {
    const response = toObject(sent)
    const output = Array.isArray(response.output) ? response.output : []
    const isEmpty = openItems.size === 0
    // Words and calls that came before are not repeated.
    const missed = output.flatMap((item: Json, output_index: number) =>
      isEmpty ||
      (item?.type === 'function_call' && !finishedCalls.some((call) => isSameCall(call, item))) ||
      (item?.type === 'message' && !hasText)
        ? finishItem({ item, output_index })
        : [],
    )
    const unended = [...openCalls.values()].flatMap(({ index, item }) =>
      finishItem({ item, output_index: index }),
    )
    const isCut = type === 'response.incomplete' || response.status === 'incomplete'
    const reason = toText(response.incomplete_details?.reason) ?? (isCut ? CUT : undefined)
    return [
      ...missed,
      ...unended,
      {
        type: isRefused || reason ? 'response.incomplete' : 'response.completed',
        response: {
          incomplete_details: isRefused ? { reason: 'refusal' } : reason ? { reason } : undefined,
          usage: mendUsage(toObject(response.usage)),
        },
      },
    ]
  }

  const fail = (response: Json): Json => ({
    type: 'response.failed',
    sequence_number: 0,
    response: {
      error: {
        code: toText(response?.error?.code) ?? 'server_error',
        message: toText(response?.error?.message) || 'The upstream could not finish the answer.',
      },
    },
  })

  const mend = (event: Json, name: string): Json[] => {
    const type = toText(event.type) ?? (event.object === 'response' ? '' : name)
    switch (type) {
      case '':
        // An answer that is not streamed.
        if (event.object !== 'response') break
        return event.status === 'failed' ? [fail(event)] : finish(event)
      case 'response.created': {
        const { id, model, created_at } = toObject(event.response)
        const response = {
          id: toText(id) ?? '',
          model: toText(model) ?? '',
          created_at: toCount(created_at) ?? 0,
        }
        return [{ type, response }]
      }
      case 'response.output_item.added': {
        const index = toCount(event.output_index) ?? openItems.size
        const item = mendItem(event.item)
        return item ? begin(index, item) : []
      }
      case 'response.output_item.done':
        return finishItem(event)
      case 'response.output_text.delta':
        return speak(event, 'message', toText(event.delta))
      case 'response.output_text.done':
        return speakOnce(event, 'message', toText(event.text))
      case 'response.refusal.delta':
        isRefused = true
        return speak(event, 'message', toText(event.delta))
      case 'response.refusal.done':
        isRefused = true
        return speakOnce(event, 'message', toText(event.refusal))
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return speak(event, 'reasoning', toText(event.delta))
      case 'response.reasoning_text.done':
      case 'response.reasoning_summary_text.done':
        return speakOnce(event, 'reasoning', toText(event.text))
      case 'response.reasoning_summary_part.added':
      case 'response.reasoning_summary_part.done': {
        // The library fails at the part of an item that has not begun.
        const index = placeOf(event)
        const current = openItems.get(index)
        return current?.type === 'reasoning'
          ? [{ type, item_id: current.id, summary_index: toCount(event.summary_index) ?? 0 }]
          : []
      }
      case 'response.function_call_arguments.delta': {
        const index = placeOf(event)
        const delta = toText(event.delta) ?? ''
        const call = findCall(event)
        if (call) call.input += delta
        return [{ type, item_id: toText(event.item_id) ?? '', output_index: index, delta }]
      }
      case 'response.function_call_arguments.done': {
        const call = findCall(event)
        if (call) call.input = toArguments(event.arguments) || call.input
        return []
      }
      case 'response.completed':
      case 'response.incomplete':
        return event.response?.status === 'failed' ? [fail(event.response)] : finish(event.response, type)
      case 'response.failed':
        return [fail(event.response)]
    }
    const error = findError(event, name)
    if (error) return [{ type: 'error', sequence_number: 0, error: { type: '', code: '', ...error } }]
    // The library explains an answer of Chat Completions; nobody here reads other events.
    return event.choices ? [event] : []
  }
  return { mend }
}

/** True if a list at the end repeats a call: some upstreams create other ids for it. */
const isSameCall = (call: Json, item: Json): boolean =>
  call.call_id === item.call_id || (call.name === item.name && call.arguments === toArguments(item.arguments))

/** Returns the usage if it says what was read and written. */
function mendUsage({ input_tokens, output_tokens, input_tokens_details, output_tokens_details }: Json) {
  const input = toCount(input_tokens)
  const output = toCount(output_tokens)
  if (!input || output === undefined) return undefined
  return {
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: { cached_tokens: toShare(input_tokens_details?.cached_tokens, input) },
    output_tokens_details: { reasoning_tokens: toShare(output_tokens_details?.reasoning_tokens, output) },
  }
}

/** Calls that the vendor runs itself, with the fields that the client library requires. */
const VENDOR_CALLS: Record<string, (item: Json) => Json> = {
  web_search_call: ({ action }) => ({ action: { type: 'search', query: toText(action?.query) ?? '' } }),
  file_search_call: ({ queries }) => ({ queries: toTexts(queries) }),
  code_interpreter_call: ({ code }) => ({ code: toText(code) ?? '', container_id: '', outputs: null }),
  image_generation_call: ({ result }) => ({ result: toText(result) ?? '' }),
  computer_call: () => ({ status: 'completed' }),
  mcp_call: ({ name, server_label, arguments: input, output }) => ({
    name: toText(name) ?? '',
    server_label: toText(server_label) ?? '',
    arguments: toArguments(input),
    output: toText(output),
  }),
}

/**
 * Returns an item of an answer with the fields that the client library requires; undefined for kinds that nobody here
 * reads. An item without an id has the id with which it began.
 */
function mendItem(item: Json, begun?: { id: string; type: string }): Json {
  const type = toText(item?.type)
  const id = toText(item?.id) ?? (begun?.type === type ? begun?.id : undefined) ?? createId('item')
  const status = toText(item?.status)
  switch (type) {
    case 'message':
      return { type, id }
    case 'reasoning':
      return { type, id, encrypted_content: toText(item.encrypted_content) }
    case 'function_call':
      return {
        type,
        id,
        call_id: toText(item.call_id) ?? id,
        name: toText(item.name) ?? '',
        arguments: toArguments(item.arguments),
        status: status === 'incomplete' ? status : 'completed',
      }
  }
  const fields =
    type === undefined || !Object.hasOwn(VENDOR_CALLS, type) ? undefined : VENDOR_CALLS[type]!(item)
  return fields && { type, id, status: status ?? 'completed', ...fields }
}

const toTexts = (list: Json): string[] =>
  Array.isArray(list) ? list.flatMap((one) => toText(one) ?? []) : []
