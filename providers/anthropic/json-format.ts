import type { ModelCallOptions } from '#plugin-api'

type Format = Pick<ModelCallOptions, 'prompt' | 'responseFormat'>

/**
 * Asks for JSON by an instruction, unless the model takes a schema beside tools: the client library would otherwise force
 * the model to call a tool of its own, instead of the tools of the call.
 */
export async function chooseFormat(
  { prompt, responseFormat }: Format,
  { takesSchema }: { takesSchema: boolean },
): Promise<Format> {
  if (responseFormat?.type !== 'json') return { prompt, responseFormat }
  const { schema } = responseFormat
  if (schema && takesSchema) return { prompt, responseFormat }
  const schemaSuffix = schema
    ? 'Your final answer MUST be only a JSON object that matches the JSON schema above, without a code fence.'
    : 'Your final answer MUST be only a JSON object, without a code fence.'
  const { injectJsonInstructionIntoMessages } = await import('@ai-sdk/provider-utils')
  return {
    prompt: injectJsonInstructionIntoMessages({ messages: prompt, schema, schemaSuffix }),
    responseFormat: undefined,
  }
}
