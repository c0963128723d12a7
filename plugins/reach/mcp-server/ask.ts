import { setTimeout as pause } from 'node:timers/promises'
import { AppError, type Locale } from '#kernel'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { StopReason } from '../../conversations/chat/documents.ts'
import type { ReadEvent } from '../../conversations/chat/ledger/ledger-reader.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'

/** The interval for checking that a message whose turn has not begun is still in the queue, in milliseconds. */
const QUEUE_POLL_MS = 2000

/** A message to an agent, and who asks. */
export interface Question {
  agent: AgentDocument
  caller: AuthCaller
  message: string
  /** Without it, a new thread begins. */
  thread_id?: string
  /** The id by which every server finds the turn of the message. */
  client_message_id: string
  locale: Locale
  request_id: string
  /** Aborted when nobody waits for the answer any more, which stops the turn. */
  signal: AbortSignal
  onProgress(progress: Progress): void
}

/** News of a turn that has not ended. */
export type Progress = { type: 'queued'; position: number } | { type: 'event'; event: ReadEvent }

/** The end of a turn, or its pause. */
export interface Answer {
  thread_id: string
  /** The text behind the last call of a tool. */
  text: string
  files: { filename: string; url: string }[]
  end: { type: StopReason } | { type: 'failed'; message: string } | { type: 'paused'; requests: string[] }
}

/** Runs a turn and returns its answer. Throws if no turn was started, and the signal's reason when it is aborted. */
export async function ask(question: Question, cradle: Cradle): Promise<Answer> {
  const { chat, threads, ledgerReader, log } = cradle
  const { agent, caller, client_message_id, signal, onProgress } = question
  if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
  const owner = { user_id: caller.id, agent_id: agent._id }
  if (await chat.findRepeated(owner, client_message_id)) throw new AppError('MCP_REQUEST_REPEATED')
  const { thread_id } = question
  const thread = thread_id === undefined ? await threads.create(owner) : await threads.get(owner, thread_id)

  const gone = new AbortController()
  const until = AbortSignal.any([signal, gone.signal])
  const read = createReader(thread._id)
  let turn_id: string | undefined
  let refusal: unknown
  /** Stops waiting for a message that was taken back, or removed with its thread, while it was queued. */
  const leaveRemoved = async () => {
    while (turn_id === undefined && !until.aborted) {
      // Rejects only when aborted, which ends the loop.
      await pause(QUEUE_POLL_MS, undefined, { signal: until }).catch(() => undefined)
      if (!until.aborted && !(await chat.findRepeated(owner, client_message_id))) gone.abort()
    }
  }
  const submit = async () => {
    const submitted = await chat.submit({ thread_id: thread._id, user: caller, ...toTurn(question) })
    if (submitted.outcome === 'repeated') throw new AppError('MCP_REQUEST_REPEATED')
    if (submitted.outcome === 'queued') {
      onProgress({ type: 'queued', position: submitted.position })
      await leaveRemoved()
    }
  }
  submit().catch((error) => {
    // A turn that has begun ends by its own events.
    if (turn_id !== undefined) return log.error({ error, turn_id }, 'a turn could not be awaited')
    refusal = error
    gone.abort()
  })
  try {
    const from = { thread_id: thread._id, user_id: caller.id, after: chat.positionOf(thread), signal: until }
    for await (const event of ledgerReader.follow(from)) {
      if (event.type === 'turn_started' && event.frame.client_message_id === client_message_id)
        turn_id = event.turn_id
      if (event.turn_id !== turn_id) continue
      onProgress({ type: 'event', event })
      const answer = read(event)
      if (answer) return answer
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  if (signal.aborted) await chat.cancel(thread, client_message_id)
  const isUnused = turn_id === undefined && thread_id === undefined
  if (isUnused) await chat.purge(await threads.hide({ ...owner, _id: thread._id }))
  signal.throwIfAborted()
  if (refusal !== undefined) throw refusal
  // The message was taken back, or the thread was removed.
  return { thread_id: thread._id, text: '', files: [], end: { type: 'stopped' } }
}

const toTurn = ({ agent, message, client_message_id, locale, request_id }: Question) => ({
  agent,
  content: [{ type: 'text' as const, text: message.toWellFormed() }],
  client_message_id,
  locale,
  request_id,
})

/** Creates a function that collects the events of a turn and returns the answer with the last one. */
function createReader(thread_id: string): (event: ReadEvent) => Answer | undefined {
  const files = new Map<string, Answer['files'][number]>()
  let text = ''
  const answer = (end: Answer['end']): Answer => ({ thread_id, text, files: [...files.values()], end })
  return (event) => {
    switch (event.type) {
      case 'content':
        text += event.frame.content
        return undefined
      case 'tool_call':
        // Text before a call announces the call; it is not part of the answer.
        if (event.frame.parent_tool_call_id === undefined) text = ''
        return undefined
      case 'attachment': {
        const { path, filename, url } = event.frame
        if (url !== null) files.set(path, { filename, url })
        return undefined
      }
      case 'hitl_required':
        return answer({
          type: 'paused',
          requests: event.frame.action_requests.map(({ description }) => description),
        })
      case 'done':
        return answer({ type: event.frame.stop_reason })
      case 'error':
        return answer({ type: 'failed', message: event.frame.message })
      default:
        return undefined
    }
  }
}
