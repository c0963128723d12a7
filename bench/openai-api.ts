import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openChatSocket, replyLength } from './chat-socket.ts'
import { type Figure, median, type Row, spread } from './figure.ts'
import { readCpuMs } from './service.ts'

const clients = 20
const rounds = 5
const turnsInRound = 200
/** Work that follows the last reply of a round counts for its own way, in milliseconds. */
const SETTLE_MS = 500

/** Runs one turn, in a thread that belongs to its client or a new one. */
type RunTurn = (client: number) => Promise<unknown>

/** Measures the processor time of turns over the OpenAI-compatible API, beside that of turns over the socket. */
export const measureOpenAIApi: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, token, chatUrl, call } = await stage.createAccount(service)
  const openSockets = () => Promise.all(Array.from({ length: clients }, () => openChatSocket(chatUrl)))
  const [sockets, leavingSockets] = await Promise.all([openSockets(), openSockets()])
  const createThreads = () =>
    Promise.all(
      sockets.map(async () => {
        const { thread_id } = await call<{ thread_id: string }>('POST', `/agents/${agentId}/threads`, {})
        return thread_id
      }),
    )
  const [streamed, responded, whole] = await Promise.all([createThreads(), createThreads(), createThreads()])
  const door = createDoor(`${service.url}/api/v1`, token)
  const complete = (stream: boolean, thread_id?: string) =>
    door.post(
      '/chat/completions',
      { messages: [{ role: 'user', content: QUESTION }], stream },
      { thread_id, lengthOf: stream ? lengthOfChunks : lengthOfCompletion },
    )
  const ways: Record<string, RunTurn> = {
    socket: (client) => sockets[client]!.turn(QUESTION),
    stream: (client) => complete(true, streamed[client]!),
    'stream of responses': (client) =>
      door.post(
        '/responses',
        { input: QUESTION, stream: true },
        { thread_id: responded[client]!, lengthOf: lengthOfEvents },
      ),
    'without a stream': (client) => complete(false, whole[client]!),
    'socket, new threads': (client) => {
      leavingSockets[client]!.leaveThread()
      return leavingSockets[client]!.turn(QUESTION)
    },
    'stream, new threads': () => complete(true),
  }

  const engine = await service.engine()
  const cpuMs: Record<string, number[]> = {}
  for (let round = -1; round < rounds; round++)
    for (const [way, run] of Object.entries(ways)) {
      const startCpu = await Promise.all([service.pid, engine.pid].map(readCpuMs))
      await runTurns(run)
      // The server closes connections that rest while the other ways run.
      door.rest()
      await sleep(SETTLE_MS)
      const after = await Promise.all([service.pid, engine.pid].map(readCpuMs))
      const spent = after.reduce((sum, ms, index) => sum + ms - startCpu[index]!, 0) / turnsInRound
      // The first round warms up.
      if (round >= 0) cpuMs[way] = [...(cpuMs[way] ?? []), spent]
    }
  const rows = Object.entries(cpuMs).map(
    ([way, times]): Row => ({
      measure: `${way}, CPU a turn`,
      value: median(times),
      unit: 'ms',
      note: `server and engine, median of ${rounds} rounds, ${spread(times, 2)}`,
    }),
  )
  const ratios = Object.keys(cpuMs).filter((way) => !way.startsWith('socket'))
  return [
    ...rows,
    ...ratios.map((way): Row => {
      const other = way.endsWith('new threads') ? 'socket, new threads' : 'socket'
      const ofRounds = cpuMs[way]!.map((ms, round) => ms / cpuMs[other]![round]!)
      return {
        measure: `${way} / ${other}`,
        value: median(ofRounds),
        unit: 'ratio',
        note: spread(ofRounds, 2),
      }
    }),
  ]
}

const QUESTION = 'Tell me something about the sea.'

/** Runs the turns of one round, a client one after the other. */
async function runTurns(run: RunTurn): Promise<void> {
  let left = turnsInRound
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      while (left-- > 0) await run(client)
    }),
  )
}

/** Creates the clients of the API, which keep their connections until they rest. */
function createDoor(url: string, token: string) {
  let agent = new Agent({ keepAlive: true })
  return {
    /** Asks the assistant; rejects unless it receives the whole reply. */
    async post(
      path: string,
      body: object,
      { thread_id, lengthOf }: { thread_id?: string | undefined; lengthOf(body: string): number },
    ): Promise<void> {
      const sent = request(url + path, {
        agent,
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(thread_id && { 'x-thread-id': thread_id }),
        },
      })
      sent.end(JSON.stringify({ model: 'assistant', ...body }))
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      const reply = await text(response)
      if (response.statusCode !== 200 || lengthOf(reply) !== replyLength)
        throw new Error(`${response.statusCode}: ${reply.slice(0, 500)}`)
    },
    rest() {
      agent.destroy()
      agent = new Agent({ keepAlive: true })
    },
  }
}

const lengthOfCompletion = (body: string): number => JSON.parse(body).choices[0].message.content.length

const lengthOfChunks = (body: string): number =>
  sumOf(readData(body).map((chunk) => chunk.choices[0]?.delta.content))

const lengthOfEvents = (body: string): number =>
  sumOf(readData(body).map(({ type, delta }) => (type === 'response.output_text.delta' ? delta : '')))

/** Parses the data of a stream of events. */
const readData = (body: string) =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))

/** Adds up the lengths of texts. */
const sumOf = (texts: readonly (string | undefined)[]): number =>
  texts.reduce((sum, text = '') => sum + text.length, 0)
