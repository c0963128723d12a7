import type {
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider'
import type { ModelCallOptions, StreamingModel } from '#plugin-api'
import { chooseSettings } from '../anthropic/adaptations.ts'
import { chooseFormat } from '../anthropic/json-format.ts'
import { markMessages } from '../anthropic/prompt-cache.ts'
import { removeVendorCalls } from '../anthropic/vendor-calls.ts'
import { type BedrockConnection, createClients } from './connection.ts'
import { createModelName } from './model-name.ts'
import { createStreamCheck } from './stream-check.ts'
import { chooseBedrockThinking } from './thinking.ts'

/** The models whose answers follow a schema that is sent beside tools. */
const TAKES_SCHEMA = /claude-(?:opus-4-[156]|sonnet-4-5)/

/** Opens a model or an inference profile of the Converse API with the options of its provider. */
export async function createChatModel(
  connection: BedrockConnection,
  modelId: string,
): Promise<StreamingModel> {
  const openClient = await createClients(connection)
  const readName = createModelName(connection, modelId)

  return {
    async doStream({ reasoning, ...call }) {
      const { adaptations = [], providerOptions } = call
      const name = await readName()
      const { format, prompt: requestedPrompt } = await chooseFormatOf(call, name)
      const prompt = removeVendorCalls(requestedPrompt)
      const { settings, maxOutputTokens } = chooseBedrockThinking(connection.options, name, {
        ...call,
        prompt,
        reasoning,
      })
      const failures = takesStatus(name) ? listFailures(prompt) : []
      // An id of a profile does not tell the library that it is Claude.
      const family = name.includes('anthropic.') ? { modelFamily: 'anthropic' as const } : {}
      const model = openClient(failures).languageModel(modelId, family)
      const options = {
        ...chooseSettings(call),
        ...chooseSampling(chooseSettings(call), name),
        ...format,
        prompt: adaptations.includes('no_cache_points') ? prompt : markCache(prompt, name),
        maxOutputTokens,
        providerOptions: {
          ...providerOptions,
          bedrock: { ...settings, ...providerOptions?.bedrock },
        },
      }
      if (adaptations.includes('no_tools_stream') && call.tools?.length) {
        const answer = await model.doGenerate(options)
        return {
          stream: ReadableStream.from(toStreamParts(answer)).pipeThrough(createStreamCheck('stopped')),
        }
      }
      const { stream, ...answer } = await model.doStream({ ...options, includeRawChunks: true })
      return { ...answer, stream: stream.pipeThrough(createStreamCheck()) }
    },
  }
}

/** Chooses how JSON is asked for; the library would otherwise force a call of a tool of its own. */
async function chooseFormatOf(call: ModelCallOptions, name: string) {
  const takesSchema = TAKES_SCHEMA.test(name) && !call.adaptations?.includes('json_by_instruction')
  const { prompt, responseFormat } = await chooseFormat(call, { takesSchema })
  return { prompt, format: { responseFormat } }
}

/** True for the models that accept the status of a result. */
const takesStatus = (name: string) => /claude-|amazon\.nova/.test(name)

/** Tells of each result of a tool whether the tool failed. */
const listFailures = (prompt: LanguageModelV3Prompt): boolean[] =>
  prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) =>
          part.type === 'tool-result' ? [/^error-/.test(part.output.type)] : [],
        )
      : [],
  )

type Sampling = Pick<ModelCallOptions, 'temperature' | 'topP'>

/** Claude from 4.7 on refuses both settings; earlier models accept one of them. */
const LATER_CLAUDE = /claude-(?!v?2|instant|3|(?:haiku|sonnet|opus)-4(?!-[7-9]))/

/** Chooses the sampling settings that a model accepts. */
function chooseSampling({ temperature, topP }: Sampling, name: string): Sampling {
  if (LATER_CLAUDE.test(name)) return { temperature: undefined, topP: undefined }
  if (name.includes('claude-') && temperature !== undefined) return { temperature, topP: undefined }
  return { temperature, topP }
}

/** Returns an answer that was not streamed as the parts of a stream. */
function* toStreamParts({
  content,
  finishReason,
  usage,
  warnings,
}: LanguageModelV3GenerateResult): Generator<LanguageModelV3StreamPart> {
  yield { type: 'stream-start', warnings }
  for (const [index, part] of content.entries()) {
    const id = String(index)
    if (part.type === 'text' || part.type === 'reasoning') {
      const { type, text, providerMetadata } = part
      yield { type: `${type}-start`, id, providerMetadata }
      yield { type: `${type}-delta`, id, delta: text }
      yield { type: `${type}-end`, id }
    } else if (part.type === 'tool-call') yield part
  }
  yield { type: 'finish', finishReason, usage }
}

const MARK = { bedrock: { cachePoint: { type: 'default' } } } as const

/** A model that cannot cache refuses the whole request, so only models that are known to cache are marked. */
const CLAUDE = /anthropic\.claude-(?!v2|instant|3-(?:haiku|sonnet|opus|5-sonnet))/
const NOVA = /amazon\.nova-(?:micro|lite|pro|premier)-v1/

/** Marks the prompt for caching up to the end of the system prompt and of the conversation, if the model can cache. */
function markCache(prompt: LanguageModelV3Prompt, modelId: string): LanguageModelV3Prompt {
  const isClaude = CLAUDE.test(modelId)
  if (!isClaude && !NOVA.test(modelId)) return prompt
  const system = prompt.findLastIndex(({ role }) => role === 'system')
  // Nova does not accept a mark after the result of a tool.
  const end = prompt.findLastIndex(({ role }) => role === 'user' || (isClaude && role === 'tool'))
  return markMessages(prompt, [system, end], MARK)
}
