import { randomUUID } from 'node:crypto'
import type { TypeOf } from '#kernel'
import type { receivedFrames, sentFrames } from '../chat/frames.ts'
import type { historyPage, inputBlock, threadRow } from '../chat/schemas.ts'
import type { fileRow } from '../workspace/file-schemas.ts'

export type { AgentRow } from '../agents/types.ts'

type Sent = typeof sentFrames
type Received = typeof receivedFrames

/** A frame that the server sends on the chat socket, by type. */
export type SentFrame<Type extends keyof Sent> = { type: Type } & TypeOf<Sent[Type]>

/** Any frame that the server sends on the chat socket. */
export type ServerFrame = { [Type in keyof Sent]: SentFrame<Type> }[keyof Sent]

/** Any frame that the client sends on the chat socket. */
export type ClientFrame = {
  [Type in keyof Received]: { type: Type } & TypeOf<Received[Type]>
}[keyof Received]

/** A turn that is paused until its calls are decided, each as its config allows. */
export type ApprovalRequest = SentFrame<'hitl_required'>

/** One call that waits for a person's decision. */
export type ActionRequest = ApprovalRequest['action_requests'][number]

/** The end of a pause; `decisions` has one entry for each request, none if the turn was stopped. */
export type ApprovalResolution = SentFrame<'hitl_resolved'>

/** A person's decision about one call. */
export type Decision = ApprovalResolution['decisions'][number]

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

/** One block of a user's message. */
export type InputBlock = TypeOf<typeof inputBlock>

/** A file of the agent's workspace in a user's message. */
export type FileBlock = Exclude<InputBlock, { type: 'text' }>

/** A message to the agent; sent again with the same `client_message_id`, it starts no second turn. */
export type UserTurn = Extract<ClientFrame, { type: 'user_turn' }> & { client_message_id: string }

/** Returns the frame that sends a message, under an id of its own. */
export function createUserTurn(
  thread_id: string,
  content: InputBlock[],
  model: string | undefined,
): UserTurn {
  const [first] = content
  return {
    type: 'user_turn',
    thread_id,
    client_message_id: randomUUID(),
    ...(content.length === 1 && first?.type === 'text' ? { text: first.text } : { content }),
    ...(model === undefined ? {} : { model }),
  }
}
