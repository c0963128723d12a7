import type { LanguageModelV3CallOptions, LanguageModelV3Prompt } from '@ai-sdk/provider'

/** The most characters of a schema in an instruction. */
const MAX_SCHEMA_CHARS = 20_000

/** Adds the instruction to answer in JSON to a prompt, for models that cannot be asked for it in another way. */
export function askForJson(
  prompt: LanguageModelV3Prompt,
  format: LanguageModelV3CallOptions['responseFormat'],
): LanguageModelV3Prompt {
  if (format?.type !== 'json') return prompt
  const schema = format.schema && JSON.stringify(format.schema)
  const form =
    schema && schema.length <= MAX_SCHEMA_CHARS
      ? `a JSON value that fits this JSON Schema: ${schema}`
      : 'a JSON object'
  const content = `Your final answer must be ${form}\nWrite nothing before or after it, and no code fence.`
  const [first, ...others] = prompt
  return first?.role === 'system'
    ? [{ ...first, content: `${first.content}\n\n${content}` }, ...others]
    : [{ role: 'system', content }, ...prompt]
}
