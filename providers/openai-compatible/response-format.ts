import type { ModelCallOptions } from '#plugin-api'

type Format = ModelCallOptions['responseFormat']

/** The request for an answer in JSON. */
interface FormatRequest {
  response_format?: object
  /** Asks for it if the upstream has no setting. */
  words?: string
}

/** Chooses how to ask for an answer in JSON: by its schema, by the mode, or in words. */
export function chooseFormat(
  format: Format,
  { canSchema, canFormat }: { canSchema: boolean; canFormat: boolean },
): FormatRequest {
  if (format?.type !== 'json') return {}
  const { schema, name = 'answer', description } = format
  if (schema && canSchema && canFormat) {
    const json_schema = { name, description, schema, strict: isStrict(schema) }
    return { response_format: { type: 'json_schema', json_schema } }
  }
  const isAsked = schema !== undefined || !canFormat
  return {
    ...(canFormat && { response_format: { type: 'json_object' } }),
    ...(isAsked && { words: describeFormat(schema) }),
  }
}

const describeFormat = (schema: unknown): string =>
  schema === undefined
    ? 'Answer with one JSON object and nothing else.'
    : `Answer with one JSON object and nothing else. It must match this JSON Schema: ${JSON.stringify(schema)}`

/** True for a schema that OpenAI enforces: every object names all of its properties and no others. */
function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (Array.isArray(schema)) return schema.every(isStrict)
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>
  if (type === 'object' || properties !== undefined) {
    const names = Object.keys((properties as object | undefined) ?? {})
    if (additionalProperties !== false) return false
    if (!Array.isArray(required) || !names.every((name) => required.includes(name))) return false
  }
  return Object.values(schema).every(isStrict)
}
