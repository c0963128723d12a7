import { isDeepStrictEqual } from 'node:util'
import type { Test } from '../run/file-test.ts'
import { MODEL, type TestChat } from './chat.ts'
import type { ClientMessage, ClientPages } from './chat-client.ts'
import { emptyPage, findDifferences, findRowFaults } from './chat-comparison.ts'
import { type PlannedDecision, type Plans, planDecisions } from './chat-plans.ts'
import { createReader, readHistory } from './chat-reader.ts'
import type { Chance } from './random.ts'
import type { TestFrame } from './socket.ts'
import { readEvents } from './sse.ts'

/** A thread in which random things happen while several clients have it open. */
interface ChatCase {
  readonly thread_id: string
  /** The actions so far, in words. */
  readonly actions: readonly string[]
  /** The faults found, in words. */
  readonly faults: readonly string[]
  /** Performs one random action. */
  act(): Promise<void>
  /** Lets every client continue reading, e.g. after a restart of the server. */
  goOn(): Promise<void>
  /** Waits until nothing happens any more and compares the state of all clients with the history. */
  finish(): Promise<void>
}

/** The parts of a case. */
interface CaseParts {
  t: Test
  chat: TestChat
  plans: Plans
  random: Chance
  /** True if threads can be forked. */
  canFork: boolean
}

const isEnd = ({ type }: TestFrame) => type === 'done' || type === 'error'

/** Starts a case on a thread. */
export async function createCase(
  { t, chat, plans, random, canFork }: CaseParts,
  thread_id: string,
): Promise<ChatCase> {
  const { agent_id, server, threads } = chat
  const actions: string[] = []
  const faults: string[] = []
  const tell = (fault: string) => void faults.push(fault)
  const said: { client_message_id: string; text: string }[] = []
  const snapshots: ClientPages[] = []
  const forked: string[] = []
  /** The expected row of the thread. */
  let row: Record<string, unknown> = {}

  const open = (name: string, pages: ClientPages) => createReader(chat, { name, pages, tell })
  /** The client that sends messages; it has seen everything from the first frame on. */
  const speaker = open('the speaker', [emptyPage(thread_id)])
  const readers = [speaker]
  await speaker.connect()

  const hasEnded = ({ client_message_id }: { client_message_id: string }) => {
    const frames = [...speaker.frames.values()]
    const started = frames.find((frame) => frame.client_message_id === client_message_id)
    return started && frames.some((frame) => frame.turn_id === started.turn_id && isEnd(frame))
  }
  const unfinished = () => said.filter((message) => !hasEnded(message))
  const isIdle = () => speaker.thread.hitl_pending !== null || unfinished().length === 0
  const look = async () => {
    const pages = await readHistory(chat, thread_id, random.pick([1, 3, 8, 200, 200]))
    snapshots.push(pages)
    return pages
  }

  const send = async (frame: object) => {
    const socket = random.chance(0.2) ? await chat.connect() : speaker.socket!
    socket.send(frame)
  }
  const say = async () => {
    const text = plans.plan(random)
    const client_message_id = `${thread_id}-${said.length}`
    said.push({ client_message_id, text })
    speaker.thread.said.set(client_message_id, [{ type: 'text', text }])
    await send({ type: 'user_turn', thread_id, client_message_id, text })
  }
  const stop = () => send({ type: 'stop', thread_id })

  const resume = (decisions: PlannedDecision[]) =>
    readEvents(t, `${server.url}/api/agents/${agent_id}/chat/hitl/resume`, {
      method: 'POST',
      token: server.admin.token,
      body: { thread_id, decisions },
    })
  const decide = async () => {
    const pending = speaker.thread.hitl_pending!
    const listener = random.chance(0.5)
      ? open(`reader ${readers.length}, of a stream`, await look())
      : undefined
    if (listener) readers.push(listener)
    const made = random.list(1, random.pick([1, 1, 3]), () => planDecisions(pending, random))
    const answers = await Promise.all(made.map(resume))
    const taken = answers.findIndex(({ status }) => status === 200)
    for (const [index, { status }] of answers.entries())
      if (status !== (index === taken ? 200 : 409))
        tell(`${JSON.stringify(made[index])} was answered ${status}`)
    if (taken < 0) return
    const lasting = made[taken]!.flatMap(({ for_thread }, index) =>
      for_thread ? [pending.action_requests[index]!.name] : [],
    )
    row.allowed_tools = [...new Set([...((row.allowed_tools as string[]) ?? []), ...lasting])]
    const stream = answers[taken]!
    if (!listener) return stream.leave()
    // The stream breaks off when the server restarts; the reader then continues on a socket.
    const ended = stream.rest().catch((error) => actions.push(`${listener.name} broke off: ${error}`))
    void ended.then(() => {
      for (const { id, event, data } of stream.events) {
        if (id !== String(data.seq) || event !== data.type) tell(`${id} ${event} is ${JSON.stringify(data)}`)
        listener.take(data)
      }
    })
  }

  const observe = async () => {
    const pages = await look()
    const reader = open(`reader ${readers.length}`, pages)
    readers.push(reader)
    if (random.chance(0.8)) await reader.connect(random.int(0, pages[0].last_seq))
  }
  /** Messages that have not started a turn are sent again, like a client that cannot know if they arrived. */
  const sayAgain = () => {
    const begun = new Set([...speaker.frames.values()].map((frame) => frame.client_message_id))
    for (const { client_message_id, text } of said)
      if (!begun.has(client_message_id))
        speaker.socket!.send({ type: 'user_turn', thread_id, client_message_id, text })
  }
  const reconnect = async () => {
    const reader = random.pick(readers)
    await reader.connect(random.int(0, reader.thread.last_seq))
    if (reader === speaker) sayAgain()
  }
  const subscribeAgain = () => {
    const { socket, thread } = random.pick(readers)
    socket?.send({ type: 'subscribe', thread_id, after_seq: random.int(0, thread.last_seq) })
  }
  const stopOrGoOnReading = () => {
    const { socket } = random.pick(readers.filter((reader) => reader !== speaker))
    if (socket?.webSocket.isPaused) socket.webSocket.resume()
    else socket?.webSocket.pause()
  }
  const change = async () => {
    const body = random.pick<Record<string, unknown>>([
      { title: random.pick(['One', '标题']) },
      { pinned: random.chance(0.5) },
      { model: random.pick([MODEL, null]) },
      { allowed_tools: random.pick([[], ['execute'], ['read_file']]) },
    ])
    const { status } = await threads('PATCH', `/${thread_id}`, { body })
    if (status !== 200) tell(`a change was answered ${status}`)
    row = { ...row, ...body }
  }
  const fork = async () => {
    const body = { assistant_turns_from_end: 1 }
    const { status, body: made } = await threads('POST', `/${thread_id}/fork`, { body })
    if (status === 201) forked.push(made.thread_id)
    else if (status !== 404) tell(`a fork was answered ${status} ${JSON.stringify(made)}`)
  }
  const wait = () => {
    const enough = speaker.thread.last_seq + random.int(1, 12)
    return speaker.until(() => isIdle() || speaker.thread.last_seq >= enough, 'frames')
  }

  const possible = (): [weight: number, name: string, act: () => unknown][] => [
    [said.length === 0 ? 20 : unfinished().length < 3 ? 3 : 0, 'say', say],
    [unfinished().length > 0 ? 2 : 0, 'stop', stop],
    [speaker.thread.hitl_pending ? 6 : 0, 'decide', decide],
    [readers.length < 8 ? 3 : 0, 'observe', observe],
    [2, 'look', look],
    [2, 'reconnect', reconnect],
    [1, 'subscribe again', subscribeAgain],
    [readers.length > 1 ? 1 : 0, 'stop or go on reading', stopOrGoOnReading],
    [1, 'change', change],
    [canFork && said.length > 0 && forked.length === 0 ? 1 : 0, 'fork', fork],
    [6, 'wait', wait],
  ]

  const goOn = async () => {
    await Promise.all(readers.map((reader) => reader.connect()))
    sayAgain()
  }

  const settle = async () => {
    const staysPaused = random.chance(0.2)
    for (;;) {
      await speaker.until(isIdle, `the end of ${JSON.stringify(unfinished())}`)
      const left = unfinished()
      if (left.length === 0) return
      if (staysPaused && left.length === 1) return
      const pending = speaker.thread.hitl_pending
      await (random.chance(0.8) ? decide() : stop())
      await speaker.until(() => speaker.thread.hitl_pending !== pending, 'what was decided')
    }
  }

  const compare = async () => {
    const last = await readHistory(chat, thread_id)
    const { last_seq, turn_active, artifacts, sources } = last[0]
    await Promise.all(
      readers.map(async (reader) => {
        if (reader !== speaker) await reader.connect()
        await reader.until(() => reader.thread.last_seq >= last_seq, `frame ${last_seq}`)
      }),
    )
    const { body: rows } = await threads('GET', '?limit=200')
    const thread = rows.find((other: { thread_id: string }) => other.thread_id === thread_id)
    faults.push(
      ...findDifferences({ readers, snapshots, frames: speaker.frames, last }),
      ...findRowFaults(thread, { ...row, turn_active, artifacts, sources }),
    )
    return last
  }

  /** A fork begins with the state of the thread and continues independently. */
  const goOnInFork = async (fork_id: string, [{ messages }]: ClientPages) => {
    const pages = await readHistory(chat, fork_id)
    const spoken = ({ role, content }: ClientMessage) => ({ role, content })
    const copied = pages[0].messages.map(spoken)
    if (copied.length === 0 || !isDeepStrictEqual(copied, messages.slice(0, copied.length).map(spoken)))
      tell(`the fork has ${JSON.stringify(copied)}`)
    const reader = open('the speaker in the fork', pages)
    await reader.connect()
    const text = plans.plan(random)
    reader.thread.said.set(fork_id, [{ type: 'text', text }])
    reader.socket!.send({ type: 'user_turn', thread_id: fork_id, client_message_id: fork_id, text })
    const isOver = () => [...reader.frames.values()].some(isEnd) || reader.thread.hitl_pending !== null
    await reader.until(isOver, 'the end of a turn in the fork')
    const last = await readHistory(chat, fork_id)
    faults.push(...findDifferences({ readers: [reader], snapshots: [], frames: reader.frames, last }))
  }

  /** A failure is reported with all actions before it. */
  const attempt = async (name: string, run: () => unknown) => {
    actions.push(`${name} at ${speaker.thread.last_seq}`)
    try {
      await run()
    } catch (error) {
      tell(`${name}: ${(error as Error).stack}`)
    }
  }

  return {
    thread_id,
    actions,
    faults,
    act() {
      const choices = possible().flatMap(([weight, ...choice]) =>
        Array.from({ length: weight }, () => choice),
      )
      return attempt(...random.pick(choices))
    },
    goOn: () => attempt('go on', goOn),
    finish: () =>
      attempt('finish', async () => {
        await settle()
        const last = await compare()
        for (const fork_id of forked) await goOnInFork(fork_id, last)
      }),
  }
}
