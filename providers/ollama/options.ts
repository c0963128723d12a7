import type { ChatRequest } from 'ollama/browser'
import type { ProviderConnection } from '#plugin-api'

/** The options of a connection, in Ollama's terms. */
export interface OllamaOptions {
  /** In tokens. */
  contextLength?: number
  /** Seconds, or a duration with units. */
  keepAlive?: string | number
  think?: ChatRequest['think']
}

/** Reads the options of a connection, which have been validated. */
export function readOptions({ options }: ProviderConnection): OllamaOptions {
  const keepAlive = options.keep_alive as string | undefined
  return {
    contextLength: options.context_length as number | undefined,
    // Ollama accepts a string only with a unit.
    keepAlive: keepAlive !== undefined && /^-?\d+$/.test(keepAlive) ? Number(keepAlive) : keepAlive,
    think: options.think as OllamaOptions['think'],
  }
}
