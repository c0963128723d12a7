import { AppError } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { TurnSettings } from '../../conversations/chat/documents.ts'
import { type AgentReply, type Asker, askAgent } from './agent-reply.ts'
import { type Conversation, type RequestMessage, readResults, toConversation } from './conversation.ts'
import type { Cradle } from './manifest.ts'
import { findWaiting } from './waiting-calls.ts'

/** The messages of a request, and the thread that they continue. */
interface AskedMessages {
  messages: readonly RequestMessage[]
  agent: AgentDocument
  settings: TurnSettings
  thread_id: string | undefined
  /** Replace the instructions of the thread that the request continues. */
  instructions?: string
  /** Chooses the parts that are new to a thread that exists. */
  partsOf(conversation: Conversation): Conversation['parts']
}

/**
 * Asks an agent with the messages of a request. Results of calls at their end continue the turn that waits for them; if
 * that is gone and the request names no thread, the conversation continues in a thread of its own.
 */
export async function askWithMessages(
  { messages, agent, settings, thread_id, instructions, partsOf }: AskedMessages,
  asker: Asker,
  cradle: Cradle,
): Promise<AgentReply> {
  const replaced = instructions === undefined ? {} : { instructions }
  const results = readResults(messages)
  const answered = results && (await findWaiting({ results, agent, named: thread_id }, asker, cradle))
  if (answered)
    try {
      return await askAgent({ agent, settings, target: { answered, ...replaced } }, asker, cradle)
    } catch (error) {
      // Another request with the same results came first.
      if (!(error instanceof AppError && error.code === 'HITL_NOT_PENDING')) throw error
      if (thread_id !== undefined) throw new AppError('CALL_NOT_WAITING', { call: results.last.at(-1)! })
    }
  const conversation = toConversation(messages)
  const target =
    thread_id === undefined ? { conversation } : { thread_id, parts: partsOf(conversation), ...replaced }
  return askAgent({ agent, settings, target }, asker, cradle)
}
