import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { untilAborted } from '#kernel'
import type { OpenedModel } from '../providers/types.ts'
import { readAnswer } from './model-answer.ts'
import { assistantMessage } from './model-context.ts'
import { type CallFacts, describeTools, runToolCall } from './tool-calls.ts'
import type { TurnTools } from './turn-tools.ts'
import type { LoopWriter } from './turn-writer.ts'

/** How many model calls one turn may take, and one delegation. */
const MAX_STEPS = 25

const DELEGATE = `You carry out one task for the agent described above, alone: nobody answers questions meanwhile.
Your last message is all that the agent learns of it. Make it complete: what you found or did, and what is left.`

/** What a loop works with. */
export interface LoopParts {
  opened: OpenedModel
  system: string
  messages: readonly LanguageModelV3Message[]
  tools: TurnTools
  facts: CallFacts
  writer: LoopWriter
}

/** How a loop ended, and the text of its last answer. */
interface LoopEnd {
  stop_reason: 'end' | 'max_steps'
  text: string
}

/**
 * Lets a model speak and call tools until it is done, all of it written to the turn as it happens. Rejects as soon as
 * the signal is aborted, whether or not the model or a tool heeds it.
 */
export function runTurnLoop(parts: LoopParts): Promise<LoopEnd> {
  return untilAborted(parts.facts.signal, loop(parts))
}

async function loop({ opened, system, messages, tools, facts, writer }: LoopParts): Promise<LoopEnd> {
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: system }, ...messages]
  let text = ''
  for (let step = 0; step < MAX_STEPS; step += 1) {
    writer.beginMessage()
    const parts = opened.stream({
      prompt,
      tools: describeTools(tools.list()),
      maxOutputTokens: opened.description.max_output_tokens,
      abortSignal: facts.signal,
    })
    const { content } = await readAnswer(parts, writer)
    text = content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const calls = content.filter((part) => part.type === 'tool-call')
    if (calls.length === 0) return { stop_reason: 'end', text }

    await tools.refresh()
    const questions: string[] = []
    const results = await Promise.all(
      calls.map((call) =>
        runToolCall({
          call,
          tools,
          facts,
          writer,
          ask: (question) => void questions.push(question),
          async delegate(instruction) {
            const end = await loop({
              opened,
              system: `${system}\n\n${DELEGATE}`,
              messages: [{ role: 'user', content: [{ type: 'text', text: instruction }] }],
              tools: tools.delegable(),
              facts,
              writer: writer.delegate(call.toolCallId),
            })
            return end.stop_reason === 'end' ? end.text : `${end.text}\n[ended after ${MAX_STEPS} steps]`
          },
        }),
      ),
    )
    if (questions.length > 0) {
      writer.beginMessage()
      writer.onText(questions.join('\n\n'))
      return { stop_reason: 'end', text }
    }
    prompt.push(
      assistantMessage(content),
      ...results.map((result) => ({ role: 'tool' as const, content: [result] })),
    )
  }
  return { stop_reason: 'max_steps', text }
}
