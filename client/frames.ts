import type { components } from './api.ts'

type Sent = components['schemas']['SentFrames']
type Received = components['schemas']['ReceivedFrames']

/** A frame that the server sends, by type. */
export type SentFrame<Type extends keyof Sent> = Sent[Type]

/** Any frame that the server sends. */
export type ServerFrame = Sent[keyof Sent]

/** Any frame that a client sends. */
export type ClientFrame = Received[keyof Received]

/** A message to an agent. */
export type UserTurn = Received['user_turn']

/** The wish for a new version of an answer. */
export type Regeneration = Received['regenerate']

/** A frame of a turn, or one about its place in the queue. */
export type TurnFrame = Exclude<ServerFrame, Sent['error' | 'turn_status' | 'path_changed' | 'pong']>

/** A frame of a thread; an `error` is that of a turn. */
export type ThreadFrame = Exclude<ServerFrame, Sent['pong']>

/** A turn that waits for decisions. */
export type ApprovalRequest = Sent['hitl_required']

/** A person's decision about one call. */
export type Decision = components['schemas']['Decision']

/** A block of a message to an agent. */
export type InputBlock = NonNullable<Received['user_turn']['content']>[number]
