import { AppError, type Locale } from '#plugin-api'
import type { AgentDocument } from '../../agents/agents/types.ts'
import type { StopReason } from '../../conversations/chat/documents.ts'
import type { ReadEvent } from '../../conversations/chat/ledger/ledger-reader.ts'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { Cradle } from './manifest.ts'

/** A message to an agent, and who asks. */
export interface Question {
  agent: AgentDocument
  caller: AuthCaller
  message: string
  /** Without it, a new thread begins. */
  thread_id?: string
  /** The id with which every server finds the turn of the message. */
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
  const { chat, threads } = cradle
  const { agent, caller, client_message_id, signal, onProgress } = question
  if (agent.state !== 'running') throw new AppError('AGENT_NOT_RUNNING', { state: agent.state })
  const owner = { user_id: caller.id, agent_id: agent._id }
  if (await chat.findRepeated(owner, client_message_id)) throw new AppError('MCP_REQUEST_REPEATED')
  const { thread_id } = question
  const thread = thread_id === undefined ? await threads.create(owner) : await threads.get(owner, thread_id)

  const turnThread = { ...owner, thread_id: thread._id }
  const read = createReader(thread._id)
  let hasBegun = false
  try {
    const started = await chat.start({ thread_id: thread._id, user: caller, ...toTurn(question) })
    if (started.outcome === 'repeated') throw new AppError('MCP_REQUEST_REPEATED')
    if (started.outcome === 'queued') onProgress({ type: 'queued', position: started.position })
    const after = started.outcome === 'started' ? { after: started.after } : {}
    for await (const event of chat.follow({ ...turnThread, turn_id: started.turn_id, ...after }, signal)) {
      hasBegun = true
      onProgress({ type: 'event', event })
      const answer = read(event)
      if (answer) return answer
    }
    if (signal.aborted) await chat.cancel(thread, client_message_id)
    signal.throwIfAborted()
    // The message was taken back, or the thread was removed.
    return { thread_id: thread._id, text: '', files: [], end: { type: 'stopped' } }
  } finally {
    if (!hasBegun && thread_id === undefined)
      await chat.purge(await threads.hide({ ...owner, _id: thread._id }))
  }
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
