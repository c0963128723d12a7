import type { Adaptation, ModelCallOptions, UpstreamReport } from '#plugin-api'

/** Creates an adaptation that these words of a refusal show to be needed, unless it has others. */
const whenRefused = (label: Adaptation['label'], words: RegExp, otherWords?: RegExp): Adaptation => ({
  label,
  isNeeded: ({ message }) => words.test(message) && !otherWords?.test(message),
})

/** The adaptations of the kinds that serve Claude. */
export const sharedAdaptations = {
  output_8192: {
    label: { en: 'Answers limited to 8,192 tokens', zh: '回答最多 8,192 个 Token' },
    isNeeded: (report) => (readLimit(report) ?? 0) >= 8192,
  },
  output_4096: {
    label: { en: 'Answers limited to 4,096 tokens', zh: '回答最多 4,096 个 Token' },
    isNeeded: (report) => (readLimit(report) ?? Number.POSITIVE_INFINITY) < 8192,
  },
  no_thinking: whenRefused(
    { en: 'No reasoning settings', zh: '不发送思考设置' },
    /thinking|budget_tokens|reasoning/i,
    // These refuse the conversation, not the setting.
    /expected|missing|signature|must start with|modified|max_?tokens/i,
  ),
  no_effort: whenRefused({ en: 'No effort setting', zh: '不发送 effort 设置' }, /effort/i, /thinking/i),
  no_sampling: whenRefused(
    { en: 'No temperature or top_p', zh: '不发送 temperature 和 top_p' },
    /temperature|top_?[pk]\b|sampling param/i,
  ),
  json_by_instruction: whenRefused(
    { en: 'JSON requested in the prompt', zh: '通过提示词要求 JSON' },
    /output_config|output_format|json_?schema|structured.?output/i,
    /effort/i,
  ),
} as const satisfies Record<string, Adaptation>

/** The adaptations of the kind. */
export const adaptations = {
  ...sharedAdaptations,
  no_cache_marks: whenRefused({ en: 'No cache markers', zh: '不发送缓存标记' }, /cache_control/i),
} as const satisfies Record<string, Adaptation>

/** Reads the limit from a refusal of a longer answer; 0 if the refusal does not say it. */
function readLimit({ message }: UpstreamReport): number | undefined {
  if (!/max_?(?:completion_|output_)?tokens|maximum tokens|output tokens/i.test(message)) return undefined
  // That limit concerns the conversation, and a shorter one may have longer answers.
  if (/input length/i.test(message) || /budget_tokens/.test(message)) return undefined
  const isWindow = /context (?:length|window)/i.test(message)
  const numbers = message.match(/\d{3,}/g)?.map(Number) ?? []
  return isWindow || numbers.length === 0 ? 0 : Math.min(...numbers)
}

/** Removes the settings that a model refuses: those that an adaptation names, and stop sequences of white space. */
export function chooseSettings<Call extends ModelCallOptions>({ adaptations = [], ...call }: Call) {
  const stopSequences = call.stopSequences?.filter((text) => text.trim() !== '')
  return {
    ...call,
    stopSequences: stopSequences?.length ? stopSequences : undefined,
    ...(adaptations.includes('no_sampling') && { temperature: undefined, topP: undefined, topK: undefined }),
  }
}
