import type { AnthropicLanguageModelOptions } from '@ai-sdk/anthropic'
import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ModelCallOptions } from '#plugin-api'

/** The thinking budget, in tokens, of a provider without the option. */
export const DEFAULT_BUDGET = 4096

/** The thinking budgets, in tokens, for the levels of a call. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const

/** The smallest budget that the API accepts. */
const MIN_BUDGET = 1024

/** The options of a provider that concern thinking. */
export interface ThinkingOptions {
  thinking?: boolean
  thinking_budget?: number
  effort?: Effort
}

type Effort = AnthropicLanguageModelOptions['effort']

/** The thinking of a model, in the words of its client libraries; without `thinking` the model uses its default. */
interface Thinking {
  thinking?:
    | { type: 'enabled'; budgetTokens: number }
    | { type: 'adaptive'; display: 'summarized' }
    | { type: 'disabled' }
  effort?: Effort
}

/** These lists do not grow: later models think adaptively and refuse a budget. */
const WITHOUT_THOUGHTS = /claude-(?:v?2|instant|3-(?:5-)?(?:haiku|sonnet|opus))/
const WITH_BUDGET = /claude-(?:3-7-sonnet|(?:haiku|sonnet|opus)-4(?!-[6-9]))/

/** Models that refuse to answer without thoughts. */
const ALWAYS_THINKING = /claude-(?:fable|mythos|opus-5-5)/

/** The call whose thinking is chosen. */
export type ThinkingCall = Pick<ModelCallOptions, 'reasoning' | 'maxOutputTokens' | 'adaptations'>

/** Chooses the thinking of a model from the options of its provider and of a call; other vendors' models get a budget. */
export function chooseThinking(
  options: ThinkingOptions,
  modelId: string,
  { adaptations = [], ...call }: ThinkingCall,
): Thinking {
  if (WITHOUT_THOUGHTS.test(modelId) || adaptations.includes('no_thinking')) return {}
  const { effort, ...thinking } = chooseByModel(options, modelId, call)
  return effort && !adaptations.includes('no_effort') ? { ...thinking, effort } : thinking
}

function chooseByModel(
  options: ThinkingOptions,
  modelId: string,
  { reasoning, maxOutputTokens }: ThinkingCall,
): Thinking {
  const wantsThoughts = reasoning ? reasoning !== 'off' : options.thinking
  const level = reasoning === 'off' ? undefined : reasoning
  const isForeign = !modelId.includes('claude-')
  if (!isForeign && !WITH_BUDGET.test(modelId)) {
    const effort = level ?? options.effort
    // Adaptive models show their thoughts only if they are asked for a summary.
    const thinking = wantsThoughts
      ? ({ type: 'adaptive', display: 'summarized' } as const)
      : ({ type: 'disabled' } as const)
    const isChosen = wantsThoughts || !ALWAYS_THINKING.test(modelId)
    return { ...(wantsThoughts !== undefined && isChosen && { thinking }), ...(effort && { effort }) }
  }
  if (!wantsThoughts) return isForeign && reasoning === 'off' ? { thinking: { type: 'disabled' } } : {}
  const budget = level ? BUDGETS[level] : (options.thinking_budget ?? DEFAULT_BUDGET)
  // Thoughts count towards the limit of the answer, so they get at most half of it.
  const budgetTokens = Math.min(budget, Math.floor((maxOutputTokens ?? Number.POSITIVE_INFINITY) / 2))
  return budgetTokens < MIN_BUDGET ? {} : { thinking: { type: 'enabled', budgetTokens } }
}

/** Returns the answer's limit without the thinking budget, which the client libraries add to it. */
export const excludeBudget = (maxOutputTokens: number | undefined, { thinking }: Thinking) =>
  maxOutputTokens && maxOutputTokens - (thinking?.type === 'enabled' ? thinking.budgetTokens : 0)

/**
 * True if the last answer called tools and the thoughts before the calls are missing, as after a turn that failed. With a
 * budget, Claude refuses such a conversation, and accepts it without thinking.
 */
export function lacksThoughts(
  prompt: LanguageModelV3Prompt,
  isReturned: (thought: Extract<AnswerPart, { type: 'reasoning' }>) => boolean,
): boolean {
  const last = prompt.findLastIndex(({ role }) => role === 'assistant')
  const first = prompt.findLastIndex(({ role }, index) => index < last && role !== 'assistant') + 1
  const parts = prompt
    .slice(first, last + 1)
    .flatMap((message) => (message.role === 'assistant' ? message.content : []))
    .filter((part) => part.type !== 'reasoning' || isReturned(part))
  return parts.some(({ type }) => type === 'tool-call') && parts[0]?.type !== 'reasoning'
}

type AnswerPart = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'][number]

/** The tokens of an answer of a model whose limit is not known. */
export const DEFAULT_OUTPUT_TOKENS = 16_384

/** The limits of early models of Claude, which the client library underestimates or does not know. */
const EARLY_LIMITS: readonly (readonly [RegExp, number])[] = [
  [/claude-3-7/, DEFAULT_OUTPUT_TOKENS],
  [/claude-3-5/, 8192],
  [/claude-(?:v?2|instant|3)(?=$|[-.:])/, 4096],
]

/** The limits that the adaptations of the same names set. */
const ADAPTED_LIMITS: Record<string, number> = { output_8192: 8192, output_4096: 4096 }

/** Returns the limit of an answer; undefined for models whose limit the client library knows. */
export const limitOutput = (
  modelId: string,
  { maxOutputTokens, adaptations }: Pick<ModelCallOptions, 'maxOutputTokens' | 'adaptations'>,
): number | undefined => capOutput(maxOutputTokens ?? chooseLimit(modelId), adaptations)

/** Returns the lowest of a limit and the limits of the adaptations. */
export function capOutput(
  limit: number | undefined,
  adaptations: readonly string[] = [],
): number | undefined {
  const limits = adaptations.flatMap((name) => ADAPTED_LIMITS[name] ?? [])
  if (limit !== undefined) limits.push(limit)
  return limits.length > 0 ? Math.min(...limits) : undefined
}

function chooseLimit(modelId: string): number | undefined {
  const early = EARLY_LIMITS.find(([pattern]) => pattern.test(modelId))
  if (early) return early[1]
  return modelId.includes('claude-') ? undefined : DEFAULT_OUTPUT_TOKENS
}
