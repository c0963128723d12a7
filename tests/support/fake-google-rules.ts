/** One part of a content, as far as the fake reads and writes it. */
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
  const { thinkingConfig } = (body.generationConfig ?? {}) as { thinkingConfig?: Thinking }
  return (
    complainOfThinking(model, canThink, thinkingConfig) ?? complainOfSignatures(model, contents, signatures)
  )
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
function complainOfSignatures(model: string, contents: Content[], known: Set<string>): string | undefined {
  if (model.startsWith('gemini-2')) return undefined
  const turnStart = contents.findLastIndex(
    ({ role, parts = [] }) => role === 'user' && parts.some(({ functionResponse }) => !functionResponse),
  )
  for (const [index, { parts = [] }] of contents.entries()) {
    if (index < turnStart) continue
    const first = parts.find(({ functionCall }) => functionCall)
    if (first && !first.thoughtSignature)
      return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${first.functionCall!.name}\` , position ${index + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`
    if (first && first.thoughtSignature !== SKIP_SIGNATURE && !known.has(first.thoughtSignature!))
      return 'Corrupted thought signature.'
  }
}
