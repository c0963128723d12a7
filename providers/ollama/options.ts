import type { ChatRequest } from 'ollama/browser'
import type { JSONSchema } from '#kernel'
import type { ConfigOf, ProviderConnection } from '#plugin-api'

/** The schema of the options. */
export const configSchema = {
  type: 'object',
  properties: {
    context_length: {
      type: 'integer',
      minimum: 512,
      maximum: 4_194_304,
      description:
        'The most tokens of a conversation (num_ctx), 32768 by default; more needs more memory, and Ollama silently drops what is beyond it.',
    },
    keep_alive: {
      type: 'string',
      maxLength: 32,
      pattern: '^(-1|0|([0-9]+(\\.[0-9]+)?(ms|s|m|h))+)$',
      description:
        'The time that a model stays loaded after a call, e.g. "30m"; "-1" keeps it, "0" unloads it at once.',
    },
    think: {
      enum: [true, false, 'low', 'medium', 'high'],
      description:
        'True, false or a level: the thinking of models before they answer. Without it, models that can think do; other models refuse the option.',
    },
  },
  additionalProperties: false,
} as const satisfies JSONSchema

/** A connection with these options. */
export type OllamaConnection = ProviderConnection<ConfigOf<typeof configSchema>>

/** The options of a connection, in Ollama's terms. */
export interface OllamaOptions {
  /** In tokens; undefined for ollama.com, which always has the window of the model. */
  contextLength?: number
  /** Seconds, or a duration with units. */
  keepAlive?: string | number
  think?: ChatRequest['think']
}

/** The window without the option: Ollama's own is so small that it would drop most of a conversation. */
const DEFAULT_CONTEXT_LENGTH = 32_768
const CLOUD = /^https?:\/\/([\w-]+\.)?ollama\.com\b/

/** Reads the options of a connection, which have been validated. */
export function readOptions({ options, base_url }: OllamaConnection): OllamaOptions {
  const { context_length: contextLength, keep_alive: keepAlive, think } = options
  return {
    contextLength: contextLength ?? (CLOUD.test(base_url!) ? undefined : DEFAULT_CONTEXT_LENGTH),
    // Ollama accepts a string only with a unit.
    keepAlive: keepAlive !== undefined && /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive,
    think,
  }
}
