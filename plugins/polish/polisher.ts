import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import { AppError, type Locale, untilAborted } from '#kernel'
import type { AgentDocument } from '../agents/types.ts'
import type { AuthCaller } from '../auth/types.ts'
import { askFor } from './instructions.ts'
import type { Cradle } from './manifest.ts'
import { unwrap } from './wrapping.ts'

/** A prompt to improve, and for whom. */
export interface PolishRequest {
  prompt: string
  /** `<provider>:<model>`. */
  default_model?: string
  agent: AgentDocument
  caller: AuthCaller
  locale: Locale
  signal: AbortSignal
}

/** Improves prompts. */
export interface Polisher {
  /**
   * Gives the improved prompt. Throws AGENT_NOT_RUNNING, PROVIDER_NOT_VISIBLE, MODEL_DISABLED, NO_MODEL,
   * POLISH_EMPTY, POLISH_INCOMPLETE, POLISH_TIMED_OUT, what a model call fails with, and the signal's reason.
   */
  polish(request: PolishRequest): Promise<string>
}

/** Ends of an answer that leave it without a part of its text. */
const BROKEN_OFF: readonly FinishReason[] = ['length', 'content-filter']

type FinishReason = LanguageModelV3FinishReason['unified']

/** Makes what improves prompts. */
export function createPolisher({ config, models, ids }: Cradle): Polisher {
  return {
    async polish({ prompt, default_model, agent, caller, locale, signal }) {
      if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
      if (default_model !== undefined) await models.assertUsable(default_model, caller.id)
      const opened = await models.open([default_model], caller.id, agent)
      const { reference: model, description } = opened
      const late = AbortSignal.timeout(config.max_seconds * 1000)
      const until = AbortSignal.any([signal, late])
      const parts = opened.stream({
        call_id: ids.make('call_'),
        account: {
          user_id: caller.id,
          token_quota: caller.token_quota,
          agent_id: agent._id,
          thread_id: null,
        },
        purpose: 'polish',
        options: { ...askFor(prompt, description.max_output_tokens), abortSignal: until },
      })
      let answer: Answer
      try {
        answer = await untilAborted(until, readAnswer(parts))
      } catch (error) {
        if (late.aborted) throw new AppError('POLISH_TIMED_OUT', { model, seconds: config.max_seconds })
        throw opened.explain(error, locale)
      }
      const { finish_reason } = answer
      if (BROKEN_OFF.includes(finish_reason))
        throw new AppError('POLISH_INCOMPLETE', { model, finish_reason })
      const text = unwrap(answer.text, prompt)
      if (text === '') throw new AppError('POLISH_EMPTY', { model, finish_reason })
      return text
    },
  }
}

interface Answer {
  text: string
  finish_reason: FinishReason
}

async function readAnswer(parts: AsyncIterable<LanguageModelV3StreamPart>): Promise<Answer> {
  let text = ''
  let finish_reason: FinishReason | undefined
  for await (const part of parts) {
    if (part.type === 'text-delta') text += part.delta
    if (part.type === 'finish') finish_reason = part.finishReason.unified
  }
  if (!finish_reason) throw new Error('the model ended its answer without finishing it')
  return { text, finish_reason }
}
