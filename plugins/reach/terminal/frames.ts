import { randomUUID } from 'node:crypto'
import type { ClientFrame, InputBlock, SentFrame } from '#client'
import type { TypeOf } from '#plugin-api'
import type { historyPage } from '../../conversations/chat/history-schemas.ts'
import type { threadRow } from '../../conversations/chat/thread-schemas.ts'
import type { promptRow } from '../../conversations/prompts/schemas.ts'
import type { fileRow } from '../../tools/workspace/file-schemas.ts'

export type { Decision, InputBlock, SentFrame, ServerFrame, TurnFrame } from '#client'
export type { AgentRow } from '../../agents/agents/types.ts'

/** One call that waits for a person's decision; `agent` is the name of the agent that was asked and wants it. */
export type ActionRequest = SentFrame<'hitl_required'>['action_requests'][number] & { agent?: string }

/** The calls of a turn that wait for a person's decisions. */
export type ApprovalRequest = SentFrame<'hitl_required'> & { action_requests: ActionRequest[] }

/** The end of a pause; `decisions` has one entry for each request, none if the turn was stopped. */
export type ApprovalResolution = SentFrame<'hitl_resolved'>

/** An error ends its turn; without a `turn_id` it refuses what this connection sent. */
export type ErrorFrame = SentFrame<'error'>

/** A page of a thread's messages, oldest first; `next_cursor` leads to the page before it. */
export type History = TypeOf<typeof historyPage>

/** A stored message. */
export type Message = History['messages'][number]

/** One block of a stored message. */
export type Block = Message['content'][number]

/** A thread in a list. */
export type ThreadRow = TypeOf<typeof threadRow>

/** A file or folder of the agent's workspace. */
export type FileRow = TypeOf<typeof fileRow>

/** A file of the agent's workspace in a user's message. */
export type FileBlock = Exclude<InputBlock, { type: 'text' }>

/** A saved prompt. */
export type SavedPrompt = TypeOf<typeof promptRow>

/** A message to the agent; sent again with the same `client_message_id`, it starts no second turn. */
export type UserTurn = Extract<ClientFrame, { type: 'user_turn' }> & { client_message_id: string }

/** The wish for a new version of an answer. */
export type Regeneration = Extract<ClientFrame, { type: 'regenerate' }>

/** Returns the frame that sends a message, under an id of its own unless it was sent before. */
export function createUserTurn(
  thread_id: string,
  content: InputBlock[],
  {
    model,
    replaces,
    client_message_id = randomUUID(),
  }: { model: string | undefined; replaces?: string | undefined; client_message_id?: string },
): UserTurn {
  const [first] = content
  return {
    type: 'user_turn',
    thread_id,
    client_message_id,
    ...(content.length === 1 && first?.type === 'text' ? { text: first.text } : { content }),
    ...(model === undefined ? {} : { model }),
    ...(replaces === undefined ? {} : { replaces }),
  }
}
