type Fields = Record<string, unknown>

/** The names of a number of tokens: that of the Messages API, and that of vendors that mix it with another. */
const NAMES = {
  input_tokens: 'prompt_tokens',
  output_tokens: 'completion_tokens',
  cache_creation_input_tokens: '',
  cache_read_input_tokens: '',
} as const

/** Collects the numbers of tokens from the events of one answer. What is not a whole number is not counted. */
export function createTokenCounts() {
  const counts: Record<keyof typeof NAMES, number> = {
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  let thinking_tokens: number | undefined

  return {
    add(usage: unknown): void {
      if (!isObject(usage)) return
      for (const [name, alias] of Object.entries(NAMES)) {
        const count = usage[name] ?? usage[alias]
        // Some gateways repeat a number as 0 in the last event.
        if (isCount(count) && count > 0) counts[name as keyof typeof NAMES] = count
      }
      const { thinking_tokens: thoughts } = isObject(usage.output_tokens_details)
        ? usage.output_tokens_details
        : {}
      if (isCount(thoughts)) thinking_tokens = thoughts
    },
    /** The usage in the form of the Messages API; 0 means that the upstream did not count. */
    toUsage: () => ({
      ...counts,
      ...(thinking_tokens !== undefined && { output_tokens_details: { thinking_tokens } }),
    }),
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null
