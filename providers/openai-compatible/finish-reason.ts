import type { LanguageModelV3FinishReason } from '@ai-sdk/provider'

/** The words of vendors for the end of an answer. */
const FINISH_REASONS = new Map<string, LanguageModelV3FinishReason['unified']>(
  Object.entries({
    stop: 'stop',
    length: 'length',
    max_tokens: 'length',
    max_output_tokens: 'length',
    model_length: 'length',
    model_context_window_exceeded: 'length',
    content_filter: 'content-filter',
    content_filtered: 'content-filter',
    sensitive: 'content-filter',
    safety: 'content-filter',
    prohibited_content: 'content-filter',
    recitation: 'content-filter',
    refusal: 'content-filter',
    tool_calls: 'tool-calls',
    function_call: 'tool-calls',
    tool_use: 'tool-calls',
    error: 'error',
    network_error: 'error',
    insufficient_system_resource: 'error',
    abort: 'error',
  }),
)

/** Converts the end of an answer; without a word of its vendor, the answer tells how it ended. */
export function toFinishReason(raw: string | undefined, hasCalls: boolean): LanguageModelV3FinishReason {
  if (raw === undefined) return { unified: hasCalls ? 'tool-calls' : 'stop', raw }
  return { unified: FINISH_REASONS.get(raw.toLowerCase()) ?? 'other', raw }
}
