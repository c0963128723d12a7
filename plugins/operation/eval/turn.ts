import type { Chat, Client, InputBlock, SentFrame } from '#client'
import { createDeadline } from '#plugin-api'
import { costOf, type Prices } from './prices.ts'

/** The tokens of model calls, and what they cost in the currency of the prices; null if a price is unknown. */
export interface Consumption {
  input_tokens: number
  output_tokens: number
  cost: number | null
}

/** The outcome of a turn. `error` says why there is no answer. */
export interface TurnResult extends Consumption {
  text: string
  /** The tools that were called, in their order, including the calls of delegated tasks. */
  tools: string[]
  ms: number
  error?: string
}

const REFUSAL = 'Rejected: nobody is there to approve in an evaluation.'

/** Runs turns of one agent, each in a thread of its own. */
export type TurnRunner = ReturnType<typeof createTurnRunner>

/** Creates the runner. Calls that need approval are approved with `approve`, and rejected otherwise. */
export function createTurnRunner(
  client: Client,
  {
    agent_id,
    model,
    approve,
    seconds,
    prices,
  }: { agent_id: string; model?: string | undefined; approve: boolean; seconds: number; prices: Prices },
) {
  const chat: Chat = client.chat(agent_id, { patience_ms: 30_000 })

  const decide = async (request: SentFrame<'hitl_required'>) => {
    const decisions = request.review_configs.map(({ allowed_decisions }) =>
      approve && allowed_decisions.includes('approve')
        ? { type: 'approve' as const }
        : { type: 'reject' as const, message: REFUSAL },
    )
    await chat.resume(request, decisions)
  }

  return {
    /** Runs a turn to its end. Rejects if the server is unreachable, and when `signal` is aborted. */
    async run(message: string | InputBlock[], signal: AbortSignal): Promise<TurnResult> {
      const deadline = createDeadline([signal], { milliseconds: seconds * 1000 })
      const texts = new Map<string, string>()
      const result: TurnResult = { text: '', tools: [], ms: 0, input_tokens: 0, output_tokens: 0, cost: 0 }
      const begun = performance.now()
      let answer_id: string | null = null
      try {
        const settings = { signal: deadline.signal, ...(model && { model }) }
        for await (const frame of chat.turn(message, settings))
          switch (frame.type) {
            case 'content':
              if ('parent_tool_call_id' in frame) break
              texts.set(frame.message_id, (texts.get(frame.message_id) ?? '') + frame.content)
              break
            case 'tool_call':
              result.tools.push(frame.name)
              break
            case 'usage':
              result.input_tokens += frame.usage.input_tokens
              result.output_tokens += frame.usage.output_tokens
              result.cost = addCosts(result.cost, costOf(prices, frame.model, frame.usage))
              break
            case 'hitl_required':
              await decide(frame)
              break
            case 'done':
              answer_id = frame.message_id
              if (frame.stop_reason === 'stopped') result.error = 'was stopped'
              break
          }
      } catch (error) {
        if (signal.aborted) throw error
        if ((error as { code?: string }).code === 'UNREACHABLE') throw error
        result.error = (error as Error).message
      } finally {
        deadline.release()
      }
      if (signal.aborted) throw signal.reason
      if (deadline.signal.aborted) result.error = `took longer than ${seconds} s`
      result.ms = Math.round(performance.now() - begun)
      result.text = texts.get(answer_id ?? '') ?? [...texts.values()].at(-1) ?? ''
      return result
    },
    close: () => chat.close(),
  }
}

/** Adds two costs; the sum is unknown if one of them is. */
export const addCosts = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other
