import type { ChatError, components, InputBlock } from '#client'

type Schemas = components['schemas']

export type Block = Schemas['Block']
export type Artifact = Schemas['Artifact']
export type Source = Schemas['Source']
export type Usage = Schemas['Usage']
export type Notice = Schemas['Notice']
export type HistoryPage = Schemas['History']
export type PendingApproval = Schemas['PendingApproval']
export type ActionRequest = Schemas['ActionRequest']

/** True if a paused turn waits for a person, not for the program that sent the message. */
export const isForPerson = ({ action_requests }: PendingApproval): boolean =>
  action_requests.some(({ for_client }) => !for_client)

/** A message of a thread, as history and frames describe it. */
export interface Message extends Omit<Schemas['Message'], 'error'> {
  error?: { code: string; message: string; request_id?: string }
  /** True for a message that another page sent, until its content was read. */
  isUnread?: true
  /** The position at which history showed the message; earlier frames are part of it. */
  read_at?: number
}

/** The live progress of a call, which history does not contain. */
export interface LiveCall {
  /** The progress that the call has reported. */
  progress: string
  /** The calls of a delegated task. */
  steps: readonly Step[]
}

/** A call within a delegated task. */
export interface Step {
  id: string
  /** The call that delegated the task. */
  parent: string
  name: string
  input: unknown
  output?: string
  is_error?: boolean
  /** The sources of the output. */
  sources?: readonly Source[]
  /** The events with the whole call and its result, if the step has only the beginning of both. */
  recorded?: readonly string[]
}

/** A message of the user and all that followed from it. */
export interface Turn {
  id: string
  messages: readonly Message[]
  live: Readonly<Record<string, LiveCall>>
  /** The decisions about approvals, by the id of the call. */
  decisions: Readonly<Record<string, string>>
  /** The earlier versions of the answer, while it is written anew. */
  answer_versions?: readonly string[]
  /** When the turn ended, in Unix milliseconds, if it was seen. */
  ended_at?: number
  /** True if the page has seen all frames of the turn. */
  is_seen?: true
}

/** A message that is queued on the server. */
export interface QueuedMessage {
  queue_id: string
  client_message_id?: string
  text: string
  /** The whole message, if this page sent it. */
  content?: readonly InputBlock[]
}

/** A message on its way to the server, or one that was refused. */
export interface Outgoing {
  client_message_id: string
  content: readonly InputBlock[]
  error?: ChatError
  /** Sends it once more. */
  again(): void
}

/** The loaded part of a conversation. */
export interface ThreadView {
  thread_id: string
  /** The position up to which frames are included. */
  last_seq: number
  turns: readonly Turn[]
  /** The turn that runs or waits for a person. */
  active: string | undefined
  pending: PendingApproval | null
  queued: readonly QueuedMessage[]
  outgoing: readonly Outgoing[]
  artifacts: readonly Artifact[]
  sources: readonly Source[]
  /** The cursor of older messages; null at the beginning of the thread. */
  older: string | null
  /** `loading` until the first page of history was read; `rebuilding` while the server prepares the rest. */
  status: 'loading' | 'rebuilding' | 'ready'
  /** True if the thread shows another path now, until it was read again. */
  isStale?: true
  /** The reason why the thread cannot be shown or followed. */
  error?: unknown
}

/** A thread of which nothing was read yet. */
export const createView = (thread_id: string, isNew = false): ThreadView => ({
  thread_id,
  last_seq: 0,
  turns: [],
  active: undefined,
  pending: null,
  queued: [],
  outgoing: [],
  artifacts: [],
  sources: [],
  older: null,
  status: isNew ? 'ready' : 'loading',
})

export const createTurn = (id: string, messages: readonly Message[] = []): Turn => ({
  id,
  messages,
  live: {},
  decisions: {},
})

/** Adds files or sources to a list, each once, the newest last. */
export function addNewest<Key extends string, Item extends Record<Key, string>>(
  items: readonly Item[],
  added: readonly Item[],
  key: Key,
): readonly Item[] {
  if (added.length === 0) return items
  const latest = [...new Map(added.map((item) => [item[key], item])).values()]
  return [...items.filter((item) => !latest.some((other) => other[key] === item[key])), ...latest]
}
