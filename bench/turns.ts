import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import type { Figure } from './figure.ts'
import { median, spread } from './statistics.ts'

const socketCount = 50
const rounds = 5
const leadInMs = 500
const windowMs = 1600

/** Turns per second at 50 sockets, each with a turn always under way, beside the plain relay. */
export const measureTurns: Figure = async (stage) => {
  const relaySockets = await openSockets(await stage.relayUrl())
  const service = await stage.startService(await stage.createHome())
  const { chatUrl } = await stage.createAccount(service)
  const serviceSockets = await openSockets(chatUrl)

  await countTurns(relaySockets)
  await countTurns(serviceSockets)
  const relay: number[] = []
  const served: number[] = []
  for (let round = 0; round < rounds; round++) {
    relay.push(await countTurns(relaySockets))
    served.push(await countTurns(serviceSockets))
  }

  const noteOf = (rates: number[]) => `median of ${rounds} windows, ${spread(rates)}`
  return [
    { measure: 'relay, 50 sockets', value: median(relay), unit: 'turns/s', note: noteOf(relay) },
    { measure: 'service, 50 sockets', value: median(served), unit: 'turns/s', note: noteOf(served) },
    { measure: 'service / relay', value: median(served) / median(relay), unit: 'ratio' },
  ]
}

const openSockets = (url: string) =>
  Promise.all(Array.from({ length: socketCount }, () => openChatSocket(url)))

/** Turns that end per second of a window which opens when all sockets are under way; all end before it returns. */
async function countTurns(sockets: ChatSocket[]): Promise<number> {
  const from = performance.now() + leadInMs
  const to = from + windowMs
  let count = 0
  const drive = async (socket: ChatSocket) => {
    for (let now = 0; now < to; ) {
      await socket.turn('Tell me something about the sea.')
      now = performance.now()
      if (now >= from && now < to) count++
    }
  }
  await Promise.all(sockets.map(drive))
  return count / (windowMs / 1000)
}
