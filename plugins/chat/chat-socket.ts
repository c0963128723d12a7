import { AppError, type FrameOf, socket } from '#kernel'
import type { Block } from './documents.ts'
import { receivedFrames, sentFrames } from './frames.ts'
import { storable } from './storable.ts'
import { type Subscription, subscribe } from './subscription.ts'
import type { Turn } from './turns.ts'

const declared = socket({
  path: '/agents/:id/chat/ws',
  summary: 'Chat with an agent',
  guard: 'agent',
  receive: receivedFrames,
  send: sentFrames,
})

type UserTurn = Extract<FrameOf<typeof receivedFrames>, { type: 'user_turn' }>

/** The chat WebSocket: turns, subscriptions, stops and keepalive of one connection. */
export const chatSocket = declared.handle((connection, request, cradle) => {
  const { chat, hub, ledger, log } = cradle
  const subscriptions = new Map<string, Subscription>()
  const owner = () => ({ user_id: request.context.caller.id, agent_id: request.context.agent._id })

  const attach = (thread_id: string, after: number, from: 'ledger' | 'now' | 'elsewhere') => {
    subscriptions.get(thread_id)?.end()
    subscriptions.set(
      thread_id,
      subscribe({
        thread_id,
        user_id: owner().user_id,
        after,
        from,
        outlet: connection,
        hub,
        ledger,
        log,
      }),
    )
  }

  const startTurn = async (frame: UserTurn) => {
    const { user_id, agent_id } = owner()
    const { client_message_id, model } = frame
    const [agent, thread_id] = await Promise.all([
      cradle.agents.findVisible(request.context.caller, agent_id),
      resolveThread(frame),
    ])
    if (agent?.state !== 'running')
      throw new AppError('AGENT_NOT_RUNNING', { state: agent?.state ?? 'deleted' })
    if (model) await cradle.models.assertUsable(model, user_id)
    if (thread_id === undefined) return
    chat
      .enter({
        thread_id,
        agent,
        user_id,
        content: contentOf(frame),
        client_message_id,
        model,
        locale: request.context.caller.locale ?? request.locale,
        request_id: request.request_id,
      })
      .then((repeated) => repeated && follow(repeated))
      .catch((error) => connection.sendError(error, { thread_id, client_message_id }))
  }

  /** Shows a turn that was started before from its beginning, unless this connection reads its thread anyway. */
  const follow = ({ thread_id, first_seq }: Turn) => {
    if (!subscriptions.has(thread_id)) attach(thread_id, first_seq - 1, 'ledger')
  }

  /** The thread that a turn is meant for, attached; undefined where the turn was sent before and goes on where it was. */
  const resolveThread = async ({ thread_id, session_key, client_message_id }: UserTurn) => {
    const { threads, turns } = cradle
    const repeated = client_message_id && (await turns.findRepeated(owner(), client_message_id))
    if (repeated) return void follow(repeated)
    if (thread_id && subscriptions.has(thread_id)) return thread_id
    const thread = await (thread_id
      ? threads.get(owner(), thread_id)
      : session_key
        ? threads.getBySession(owner(), session_key)
        : threads.create(owner()))
    if (!subscriptions.has(thread._id)) attach(thread._id, chat.positionOf(thread), 'now')
    return thread._id
  }

  return {
    async message(frame) {
      switch (frame.type) {
        case 'ping':
          return connection.send({ type: 'pong' })
        case 'user_turn':
          return startTurn(frame)
        case 'stop': {
          const thread = await cradle.threads.get(owner(), frame.thread_id)
          void chat.stop(thread._id)
          return
        }
        case 'subscribe': {
          const thread = await cradle.threads.get(owner(), frame.thread_id)
          const { start_seq, elsewhere, ...status } = await cradle.history.status(thread)
          connection.send({ type: 'turn_status', thread_id: thread._id, ...status, paused: false })
          const after = Math.min(frame.after_seq ?? start_seq, status.last_seq)
          attach(thread._id, after, elsewhere ? 'elsewhere' : 'ledger')
        }
      }
    },
    close() {
      for (const subscription of subscriptions.values()) subscription.end()
    },
  }
})

const contentOf = ({ text, content }: UserTurn): Block[] =>
  storable(text === undefined ? content : [{ type: 'text', text }]) as Block[]
