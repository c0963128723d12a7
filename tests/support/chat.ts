import { once } from 'node:events'
import { createFrameCheck } from '../../kernel/socket/frames.ts'
import { useUpstream } from '../../plugin-api/testing/agent-bench.ts'
import { createFakeOpenAI, type FakeOpenAI } from '../../plugin-api/testing/fake-openai.ts'
import { sentFrames } from '../../plugins/conversations/chat/frames.ts'
import type { Test } from '../run/file-test.ts'
import { startServer, type TestReply, type TestServer } from './server.ts'
import { connectSocket, type TestFrame, type TestSocket } from './socket.ts'
import { type EventReader, readEvents } from './sse.ts'

export { MODEL, PROVIDER } from '../../plugin-api/testing/agent-bench.ts'
export { createHold } from '../../plugin-api/testing/waiting.ts'

/** A turn as a client saw it, from its first frame to `done` or `error`. */
export interface SeenTurn {
  thread_id: string
  turn_id: string
  client_message_id: string
  frames: TestFrame[]
  end: TestFrame
}

/** Returns a decision for each request of a paused turn. */
export type Decide = (pending: TestFrame) => object[]

/** A client's chat connection, each frame of which is checked against the declared ones. */
export interface ChatSocket extends TestSocket {
  /** Returns the first frame, past or future, that is accepted; throws if the socket closes without it. */
  until(accept: (frame: TestFrame) => boolean): Promise<TestFrame>
  /** Sends a user turn and returns its client_message_id. */
  say(turn: object): string
  /** Waits until a turn that was sent, here or on another connection, has ended. */
  seeTurn(client_message_id: string): Promise<SeenTurn>
  /** Waits until a sent turn is paused, after `earlierPauses` pauses. */
  seePause(client_message_id: string, earlierPauses?: number): Promise<TestFrame>
  /** Combines `say` and `seeTurn`; whenever the turn is paused, `decide` returns the decisions. */
  ask(turn: object, decide?: Decide): Promise<SeenTurn>
  /** Subscribes and returns the reply. */
  subscribe(thread_id: string, after_seq?: number): Promise<TestFrame>
  /** Lists the frames of turns in this thread, in the order of arrival. */
  of(thread_id: string): TestFrame[]
  /** Sends a ping and waits for its answer: all earlier frames have been handled then. */
  settle(): Promise<void>
}

/** The longest wait for a frame, in milliseconds. */
const PATIENCE_MS = 120_000
/** The number of last frames that a failed wait shows. */
const SHOWN_FRAMES = 5

const check = createFrameCheck(sentFrames)
/** Accepts the first frame of a turn, or the refusal of its message. */
const isOutcomeOf = (sent: string) => (frame: TestFrame) =>
  frame.client_message_id === sent && frame.type !== 'turn_queued'
const isEnd = ({ type, seq }: TestFrame) => (type === 'done' || type === 'error') && seq !== undefined
let sent = 0

/** Opens a chat connection at a WebSocket address. */
export async function connectChat(
  t: Test,
  url: string,
  headers: Record<string, string> = {},
  resume: (thread_id: string, decisions: object[]) => Promise<unknown> = async () => {
    throw new Error('this connection was not told how to decide')
  },
): Promise<ChatSocket> {
  const socket = await connectSocket(t, url, [], headers)
  const { frames, webSocket } = socket
  let isClosed = false
  let checked = 0
  void socket.closed.then(() => {
    isClosed = true
  })

  const checkFrames = () => {
    for (; checked < frames.length; checked += 1) {
      const frame = frames[checked]!
      try {
        check(structuredClone(frame))
      } catch (error) {
        t.fail(`a frame does not fit its schema: ${JSON.stringify(frame).slice(0, 500)}`, { error })
      }
    }
  }
  webSocket.on('message', checkFrames)
  checkFrames()

  const chat: ChatSocket = {
    ...socket,
    async until(accept) {
      const patience = AbortSignal.timeout(PATIENCE_MS)
      for (let index = 0; ; index += 1) {
        while (index >= frames.length) {
          if (isClosed || patience.aborted) {
            const last = JSON.stringify(frames.slice(-SHOWN_FRAMES), null, 1)
            throw new Error(
              `${isClosed ? 'the socket is closed' : 'waited in vain'}; its last frames: ${last}`,
            )
          }
          const message = once(webSocket, 'message', { signal: patience })
          await Promise.race([message, socket.closed]).catch(() => undefined)
        }
        if (accept(frames[index]!)) return frames[index]!
      }
    },
    say(turn) {
      sent += 1
      const client_message_id = `c${process.pid}-${sent}`
      socket.send({ type: 'user_turn', client_message_id, ...turn })
      return (turn as { client_message_id?: string }).client_message_id ?? client_message_id
    },
    async seeTurn(client_message_id) {
      const first = await chat.until(isOutcomeOf(client_message_id))
      if (first.type !== 'turn_started') throw new Error(`the turn did not start: ${JSON.stringify(first)}`)
      const { thread_id, turn_id } = first
      const end = await chat.until((frame) => frame.turn_id === turn_id && isEnd(frame))
      const mine = frames.filter((frame) => frame.turn_id === turn_id && frame.type !== 'turn_status')
      return { thread_id, turn_id, client_message_id, frames: mine, end }
    },
    async seePause(client_message_id, earlierPauses = 0) {
      const { turn_id } = await chat.until(isOutcomeOf(client_message_id))
      let pauses = 0
      const seen = await chat.until(
        (frame) =>
          frame.turn_id === turn_id &&
          (isEnd(frame) || (frame.type === 'hitl_required' && pauses++ === earlierPauses)),
      )
      if (isEnd(seen)) throw new Error(`the turn did not pause: ${JSON.stringify(seen)}`)
      return seen
    },
    async ask(turn, decide) {
      const sent = chat.say(turn)
      const seen = chat.seeTurn(sent)
      if (!decide) return seen
      const { turn_id } = await chat.until(isOutcomeOf(sent))
      let after = -1
      for (;;) {
        const next = await Promise.race([
          seen,
          chat.until(
            (frame) => frame.type === 'hitl_required' && frame.turn_id === turn_id && frame.seq > after,
          ),
        ])
        if ('end' in next) return next as SeenTurn
        after = next.seq
        await resume(next.thread_id, decide(next))
      }
    },
    subscribe(thread_id, after_seq) {
      const firstIndex = frames.length
      socket.send({ type: 'subscribe', thread_id, after_seq })
      return chat.until((frame) => frame.type === 'turn_status' && frames.indexOf(frame) >= firstIndex)
    },
    of: (thread_id) => frames.filter((frame) => frame.thread_id === thread_id && frame.seq !== undefined),
    async settle() {
      const pongs = frames.filter(({ type }) => type === 'pong').length
      socket.send({ type: 'ping' })
      let seen = 0
      await chat.until(({ type }) => type === 'pong' && seen++ === pongs)
    },
  }
  return chat
}

/** A server with the administrator's assistant, whose model is the fake upstream's. */
export interface TestChat {
  server: TestServer
  fake: FakeOpenAI
  agent_id: string
  connect(options?: {
    token?: string
    agent_id?: string
    headers?: Record<string, string>
  }): Promise<ChatSocket>
  createThread(options?: { token?: string; agent_id?: string }): Promise<string>
  /** Decides the requests of a paused turn; the following frames are read from the response. */
  decide(
    thread_id: string,
    decisions: unknown,
    options?: { token?: string; agent_id?: string; url?: string; more?: object },
  ): Promise<EventReader>
  /** Calls the API below the agent's threads and returns the response. */
  threads(
    method: string,
    path: string,
    options?: { body?: unknown; token?: string; agent_id?: string; headers?: Record<string, string> },
  ): Promise<TestReply>
  /** Reads the body of a page of history. */
  history(
    thread_id: string,
    query?: string,
    options?: { token?: string; agent_id?: string },
  ): Promise<TestReply['body']>
}

/** Starts a server whose active model is a fake upstream's. */
export async function startChat(t: Test, options: Parameters<typeof startServer>[1] = {}): Promise<TestChat> {
  const [server, fake] = await Promise.all([startServer(t, options), createFakeOpenAI()])
  t.teardown(() => fake.close())
  await useUpstream({ request: (method, path, body) => server.request(method, path, { body }) }, fake.url)
  const { body: agents } = await server.request('GET', '/agents')
  const agent_id: string = agents[0].id
  const threads: TestChat['threads'] = (method, path, { agent_id: other = agent_id, ...request } = {}) =>
    server.request(method, `/agents/${other}/threads${path}`, request)
  return {
    server,
    fake,
    agent_id,
    connect: ({ token = server.admin.token, agent_id: other = agent_id, headers } = {}) =>
      connectChat(t, chatUrl(server.url, other, token), headers, async (thread_id, decisions) => {
        const path = `/agents/${other}/chat/hitl/resume`
        const { status, body } = await server.request('POST', path, { token, body: { thread_id, decisions } })
        if (status !== 200) throw new Error(`the decision was answered ${status} ${JSON.stringify(body)}`)
      }),
    decide: (thread_id, decisions, { token = server.admin.token, url = server.url, more, ...options } = {}) =>
      readEvents(t, `${url}/api/agents/${options.agent_id ?? agent_id}/chat/hitl/resume`, {
        method: 'POST',
        token,
        body: { thread_id, decisions, ...more },
      }),
    async createThread(request) {
      const { status, body } = await threads('POST', '', request)
      if (status !== 201) throw new Error(`a thread could not be made: ${status} ${JSON.stringify(body)}`)
      return body.thread_id
    },
    threads,
    async history(thread_id, query = '', request = {}) {
      const { status, body } = await threads('GET', `/${thread_id}/history${query}`, request)
      if (status !== 200) throw new Error(`history answered ${status} ${JSON.stringify(body)}`)
      return body
    },
  }
}

/** Returns the address of an agent's chat. */
export const chatUrl = (url: string, agent_id: string, token: string): string =>
  `${url.replace(/^http/, 'ws')}/api/agents/${agent_id}/chat/ws?token=${token}`

/** Lists the seqs from `first` to `last`. */
export const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** Joins the text of the frames of one type. */
export const textOf = (frames: readonly TestFrame[], type: 'content' | 'reasoning' = 'content'): string =>
  frames.map((frame) => (frame.type === type ? frame.content : '')).join('')
