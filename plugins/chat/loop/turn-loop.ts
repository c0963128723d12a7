import type { LanguageModelV3Message } from '@ai-sdk/provider'
import { untilAborted } from '#kernel'
import type { OpenedModel } from '../../providers/types.ts'
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
  /** Gives the writer of what a tool call delegates. */
  delegate(tool_call_id: string): LoopWriter
  /** Says in words for a model why a call of one failed. */
  explain(error: unknown): string
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

/** Carries out an instruction in a conversation of its own; gives the last answer, or says why there is none. */
async function carryOut(instruction: string, parts: LoopParts, tool_call_id: string): Promise<string> {
  const { system, tools, facts, delegate, explain } = parts
  try {
    const { stop_reason, text } = await loop(
      {
        ...parts,
        system: `${system}\n\n${DELEGATE}`,
        messages: [{ role: 'user', content: [{ type: 'text', text: instruction }] }],
        tools: tools.delegable(),
        writer: delegate(tool_call_id),
      },
      { isDelegated: true },
    )
    return stop_reason === 'end' ? text : `${text}\n[ended after ${MAX_STEPS} steps]`
  } catch (error) {
    facts.signal.throwIfAborted()
    // As it is, an upstream's message may hold what no model is to be told, such as a key.
    throw new Error(explain(error), { cause: error })
  }
}

async function loop(parts: LoopParts, { isDelegated = false } = {}): Promise<LoopEnd> {
  const { opened, system, messages, tools, facts, writer } = parts
  const prompt: LanguageModelV3Message[] = [{ role: 'system', content: system }, ...messages]
  let text = ''
  for (let step = 0; step < MAX_STEPS; step += 1) {
    writer.beginMessage()
    const answer = opened.stream({
      prompt,
      tools: describeTools(tools.list()),
      maxOutputTokens: opened.description.max_output_tokens,
      abortSignal: facts.signal,
    })
    const { content } = await readAnswer(answer, writer)
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
          ask(question) {
            if (isDelegated) throw new Error('nobody can be asked while something delegated is carried out')
            questions.push(question)
          },
          async delegate(instruction) {
            if (isDelegated) throw new Error('what is delegated cannot be delegated further')
            return carryOut(instruction, parts, call.toolCallId)
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
