import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { type Registry, type Tool, type ToolContext, untilAborted } from '#kernel'
import type { OpenedModel } from '../providers/types.ts'
import { readAnswer } from './model-answer.ts'
import { assistantMessage } from './model-context.ts'
import { describeTools, runToolCall } from './tool-calls.ts'
import type { TurnWriter } from './turn-writer.ts'

/** How many model calls one turn may take. */
const MAX_STEPS = 25

/**
 * Lets a model speak and call tools until it is done, all of it written to the turn as it happens. Rejects as soon as
 * the signal is aborted, whether or not the model or a tool heeds it.
 */
export function runTurnLoop({
  opened,
  prompt,
  tools,
  context,
  writer,
}: {
  opened: OpenedModel
  prompt: readonly LanguageModelV3Message[]
  tools: Registry<Tool>
  context: Omit<ToolContext, 'attach'>
  writer: TurnWriter
}): Promise<'end' | 'max_steps'> {
  const { signal } = context
  const loop = async () => {
    const messages = [...prompt]
    const described = describeTools(tools)
    for (let step = 0; step < MAX_STEPS; step += 1) {
      writer.beginMessage()
      const parts = opened.stream({
        prompt: messages,
        tools: described,
        maxOutputTokens: opened.description.max_output_tokens,
        abortSignal: signal,
      })
      const { content } = await readAnswer(parts, writer)
      const calls = content.filter((part) => part.type === 'tool-call')
      if (calls.length === 0) return 'end'
      const results = await Promise.all(calls.map((call) => runToolCall({ call, tools, context, writer })))
      messages.push(
        assistantMessage(content),
        ...results.map((result) => ({ role: 'tool' as const, content: [result] })),
      )
    }
    return 'max_steps'
  }
  return untilAborted(signal, loop())
}
