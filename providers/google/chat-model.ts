import type {
  LanguageModelV3CallOptions,
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider'
import type { StreamingModel } from '#plugin-api'
import { withMendedEvents } from '../event-filter.ts'
import { askForJson } from '../json-answer.ts'
import { toPlainSchema } from '../plain-schema.ts'
import { toGeminiSchema } from './adaptations.ts'
import { createClient, type GoogleConnection, toRoot } from './connection.ts'
import { createGoogleMender } from './events.ts'
import { createStreamCheck } from './stream-check.ts'
import { chooseThinking } from './thinking.ts'

/** Opens a model with the options of its provider; an answer that ends too early is an error. */
export async function createChatModel(
  connection: GoogleConnection,
  modelId: string,
): Promise<StreamingModel> {
  const fetch = withMendedEvents(connection.fetch, createGoogleMender)
  const model = (await createClient({ ...connection, fetch })).languageModel(modelId)
  const { options } = connection
  return {
    async doStream({ reasoning, adaptations = [], ...call }) {
      const has = (adaptation: string) => adaptations.includes(adaptation)
      const { maxOutputTokens } = call
      const thinking = chooseThinking(modelId, options, { reasoning, maxOutputTokens })
      const settings: SharedV3ProviderOptions[string] = {
        thinkingConfig: has('no_thinking') ? undefined : thinking,
        threshold: options.safety_threshold,
        ...(has('draws_pictures') && { responseModalities: ['TEXT', 'IMAGE'] }),
      }
      const tools = has('no_tools') ? undefined : call.tools
      const inWords = has('json_in_words') || (WITHOUT_JSON_TOOLS.test(modelId) && (tools?.length ?? 0) > 0)
      const { prompt, responseFormat } = askForFormat(call, inWords)
      const { stream, ...answer } = await model.doStream({
        ...call,
        tools,
        responseFormat,
        prompt: joinResults(has('instructions_as_user') ? toUserMessages(prompt) : prompt),
        providerOptions: {
          ...call.providerOptions,
          google: { ...settings, ...call.providerOptions?.google },
        },
        includeRawChunks: true,
      })
      return { ...answer, stream: stream.pipeThrough(createStreamCheck(toRoot(connection))) }
    },
  }
}

/** Models that refuse functions together with a format of the answer. */
const WITHOUT_JSON_TOOLS = /gemini-[12]\b|gemini-(?:flash|pro)$|gemma|learnlm/

type Format = Pick<LanguageModelV3CallOptions, 'prompt' | 'responseFormat'>

/** Asks for JSON with a schema of Gemini's subset, or in words. */
function askForFormat({ prompt, responseFormat }: Format, inWords: boolean): Format {
  if (responseFormat?.type !== 'json') return { prompt }
  const plain = responseFormat.schema && toPlainSchema(responseFormat.schema)
  if (inWords || (responseFormat.schema && !plain)) return { prompt: askForJson(prompt, responseFormat) }
  const schema = plain && (toGeminiSchema(plain) as typeof responseFormat.schema)
  return { prompt, responseFormat: { ...responseFormat, schema } }
}

/** Puts the instructions at the beginning of the first message of the user. */
function toUserMessages(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const texts = prompt.flatMap((message) => (message.role === 'system' ? message.content : []))
  const others = prompt.filter(({ role }) => role !== 'system')
  const [first, ...later] = others
  const instructions = { type: 'text' as const, text: texts.join('\n\n') }
  return first?.role === 'user'
    ? [{ ...first, content: [instructions, ...first.content] }, ...later]
    : [{ role: 'user', content: [instructions] }, ...others]
}

/** Joins the results of one step in one message: Google requires as many results in it as there were calls. */
function joinResults(prompt: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const joined: LanguageModelV3Message[] = []
  for (const message of prompt) {
    const last = joined.at(-1)
    if (message.role === 'tool' && last?.role === 'tool')
      joined[joined.length - 1] = { ...last, content: [...last.content, ...message.content] }
    else joined.push(message)
  }
  return joined
}
