import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { openChatSocket, replyLength } from './chat-socket.ts'
import { type Figure, median, type Row, spread } from './figure.ts'
import { readCpuMs } from './service.ts'

const clients = 20
const rounds = 5
const turnsInRound = 200

/** Runs one turn, in a thread that belongs to its client or a new one. */
type RunTurn = (client: number) => Promise<unknown>

/** Measures the processor time of turns over the OpenAI-compatible API, beside that of turns over the socket. */
export const measureOpenAIApi: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const { agentId, token, chatUrl, call } = await stage.createAccount(service)
  const sockets = await Promise.all(Array.from({ length: clients }, () => openChatSocket(chatUrl)))
  const createThreads = () =>
    Promise.all(
      sockets.map(async () => {
        const { thread_id } = await call<{ thread_id: string }>('POST', `/agents/${agentId}/threads`, {})
        return thread_id
      }),
    )
  const [streamed, whole] = await Promise.all([createThreads(), createThreads()])
  const ask = createAsk(`${service.url}/api/v1/chat/completions`, token)
  const ways: Record<string, RunTurn> = {
    socket: (client) => sockets[client]!.turn(QUESTION),
    stream: (client) => ask({ stream: true, thread_id: streamed[client]! }),
    'without a stream': (client) => ask({ stream: false, thread_id: whole[client]! }),
    'stream, new threads': () => ask({ stream: true }),
  }

  const engine = await service.engine()
  const cpuMs: Record<string, number[]> = {}
  for (let round = -1; round < rounds; round++)
    for (const [way, run] of Object.entries(ways)) {
      const before = await Promise.all([service.pid, engine.pid].map(readCpuMs))
      await runTurns(run)
      const after = await Promise.all([service.pid, engine.pid].map(readCpuMs))
      const spent = after.reduce((sum, ms, index) => sum + ms - before[index]!, 0) / turnsInRound
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
  const ratios = Object.keys(cpuMs).slice(1)
  return [
    ...rows,
    ...ratios.map((way): Row => {
      const ofRounds = cpuMs[way]!.map((ms, round) => ms / cpuMs.socket![round]!)
      return { measure: `${way} / socket`, value: median(ofRounds), unit: 'ratio', note: spread(ofRounds, 2) }
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

/** Creates a client that asks for completions; rejects unless it receives the whole reply. */
function createAsk(url: string, token: string) {
  const agent = new Agent({ keepAlive: true })
  return async ({ stream, thread_id }: { stream: boolean; thread_id?: string }) => {
    const sent = request(url, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        ...(thread_id && { 'x-thread-id': thread_id }),
      },
    })
    sent.end(JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content: QUESTION }], stream }))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const body = await text(response)
    const length = stream ? lengthOfChunks(body) : JSON.parse(body).choices?.[0].message.content.length
    if (length !== replyLength) throw new Error(`${response.statusCode}: ${body.slice(0, 500)}`)
  }
}

const lengthOfChunks = (body: string): number =>
  body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)).choices[0]?.delta.content?.length ?? 0)
    .reduce((sum, length) => sum + length, 0)
