/** The fields of one part of a content that the fake reads and writes. */
export interface Part {
  text?: string
  thought?: boolean
  thoughtSignature?: string
  functionCall?: { name: string; args: object; id?: string }
  functionResponse?: { name: string; response: object; id?: string }
}

/** One entry of a conversation. */
export interface Content {
  role?: string
  parts?: Part[]
}

/** Settings of thinking. */
export interface Thinking {
  includeThoughts?: boolean
  thinkingBudget?: number
  thinkingLevel?: string
}

const SKIP_SIGNATURE = 'skip_thought_signature_validator'
const FIELDS =
  'contents tools toolConfig safetySettings systemInstruction generationConfig cachedContent'.split(' ')

/** Returns the service's refusal of a request, in its words. */
export function complain(
  { id: model, canThink }: { id: string; canThink: boolean },
  body: Record<string, unknown>,
  signatures: Set<string>,
): string | undefined {
  const unknown = Object.keys(body).find((field) => !FIELDS.includes(field))
  if (unknown) return `Invalid JSON payload received. Unknown name "${unknown}": Cannot find field.`
  const contents = (body.contents ?? []) as Content[]
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified\n'
  for (const [index, { role, parts = [] }] of contents.entries()) {
    if (parts.length === 0)
      return `* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.'
    const calls = parts.filter(({ functionCall }) => functionCall)
    if (calls.length === 0) continue
    if (contents[index - 1]?.role !== 'user')
      return 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.'
    const answers = contents[index + 1]?.parts?.filter(({ functionResponse }) => functionResponse) ?? []
    if (answers.length !== calls.length)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
  }
  const tools = (body.tools ?? []) as { functionDeclarations?: FunctionDeclaration[] }[]
  const refusal = complainOfFunctions(tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations))
  if (refusal) return refusal
  const { thinkingConfig } = (body.generationConfig ?? {}) as { thinkingConfig?: Thinking }
  return (
    complainOfThinking(model, canThink, thinkingConfig) ?? complainOfSignatures(model, contents, signatures)
  )
}

/** A function as it is declared. */
interface FunctionDeclaration {
  name: string
  parameters?: Schema
}

/** A schema as the service knows it. */
interface Schema {
  type?: string
  format?: string
  description?: string
  nullable?: boolean
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minLength?: number
  anyOf?: Schema[]
}

const SCHEMA_FIELDS = 'type format description nullable enum properties required items minLength anyOf'.split(
  ' ',
)
const FORMATS: Record<string, string[]> = {
  STRING: ['enum', 'date-time'],
  NUMBER: ['float', 'double'],
  INTEGER: ['int32', 'int64'],
}

function complainOfFunctions(functions: FunctionDeclaration[]): string | undefined {
  const names = new Set<string>()
  for (const [index, { name, parameters }] of functions.entries()) {
    const path = `GenerateContentRequest.tools[0].function_declarations[${index}]`
    if (!/^[a-zA-Z_][\w.:-]{0,63}$/.test(name))
      return `* ${path}.name: Invalid function name. Must start with a letter or an underscore.\n`
    if (names.has(name)) return `Duplicate function declaration found: ${name}`
    names.add(name)
    const refusal = parameters && complainOfSchema(parameters, `${path}.parameters`)
    if (refusal) return refusal
  }
}

function complainOfSchema(schema: Schema, path: string): string | undefined {
  const unknown = Object.keys(schema).find((field) => !SCHEMA_FIELDS.includes(field))
  if (unknown)
    return `Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`
  const { properties, required = [], items, anyOf } = schema
  const type = String(schema.type ?? '').toUpperCase()
  const refuse = (field: string, reason: string) => `* ${path}.${field}: ${reason}\n`
  if (anyOf) {
    const others = Object.keys(schema).filter((field) => field !== 'anyOf')
    if (others.length > 0) return refuse('any_of', 'when using any_of, it must be the only field set')
  } else if (!/^(?:STRING|NUMBER|INTEGER|BOOLEAN|ARRAY|OBJECT)$/.test(type))
    return refuse('type', 'must be specified when not using one_of, any_of or all_of fields')
  if (properties && type !== 'OBJECT') return refuse('properties', 'only allowed for OBJECT type')
  if (schema.enum && type !== 'STRING') return refuse('enum', 'only allowed for STRING type')
  if (schema.enum?.some((value) => typeof value !== 'string' || value === ''))
    return refuse('enum', 'cannot be empty')
  if (schema.format && !FORMATS[type]?.includes(schema.format))
    return refuse('format', `only specific formats are supported for ${type} type`)
  if (type === 'ARRAY' && !items) return refuse('items', 'missing field.')
  if (items && type !== 'ARRAY') return refuse('items', 'only allowed for ARRAY type')
  const missing = required.findIndex((name) => !Object.hasOwn(properties ?? {}, name))
  if (missing >= 0) return refuse(`required[${missing}]`, 'property is not defined')
  const odd = Object.keys(properties ?? {}).find((name) => !/^[a-zA-Z_]\w{0,63}$/.test(name))
  if (odd !== undefined) return refuse(`properties[${odd}]`, 'the name of a parameter is not valid')
  const parts: [string, Schema][] = [
    ...Object.entries(properties ?? {}).map(([name, part]): [string, Schema] => [
      `properties[${name}]`,
      part,
    ]),
    ...(items ? [['items', items] as [string, Schema]] : []),
    ...(anyOf ?? []).map((part, n): [string, Schema] => [`any_of[${n}]`, part]),
  ]
  for (const [name, part] of parts) {
    const refusal = complainOfSchema(part, `${path}.${name}`)
    if (refusal) return refusal
  }
}

function complainOfThinking(
  model: string,
  canThink: boolean,
  config: Thinking | undefined,
): string | undefined {
  if (!config) return undefined
  const { includeThoughts, thinkingBudget, thinkingLevel } = config
  if (!canThink) return `Thinking is not enabled for models/${model}`
  if (thinkingBudget !== undefined && thinkingLevel !== undefined)
    return 'You can only set only one of thinking budget and thinking level.'
  if (thinkingLevel !== undefined && model.startsWith('gemini-2'))
    return 'Thinking level is not supported for this model.'
  const isOff = thinkingBudget === 0 || (thinkingBudget === undefined && model === 'gemini-2.5-flash-lite')
  if (includeThoughts && isOff)
    return 'Thinking_config.include_thoughts is only enabled when thinking is enabled.'
}

/** From Gemini 3 on, the first call of each step of the current turn must be signed. */
function complainOfSignatures(
  model: string,
  contents: Content[],
  signatures: Set<string>,
): string | undefined {
  if (model.startsWith('gemini-2')) return undefined
  const turnStart = contents.findLastIndex(
    ({ role, parts = [] }) => role === 'user' && parts.some(({ functionResponse }) => !functionResponse),
  )
  for (const [index, { parts = [] }] of contents.entries()) {
    if (index < turnStart) continue
    const first = parts.find(({ functionCall }) => functionCall)
    if (first && !first.thoughtSignature)
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall!.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
    if (first && first.thoughtSignature !== SKIP_SIGNATURE && !signatures.has(first.thoughtSignature!))
      return 'Corrupted thought signature.'
  }
}
