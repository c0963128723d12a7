import { createId, type Json, toArguments, toText } from '../event-filter.ts'

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
export function mendItem(item: Json, begun?: { id: string; type: string }): Json {
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
