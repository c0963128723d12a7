import { setTimeout as sleep } from 'node:timers/promises'
import { openChatSocket } from './chat-socket.ts'
import type { Figure } from './figure.ts'
import { INSPECTED, type Inspector, inspectService } from './inspector.ts'

const socketCount = 20
const turns = { first: 1000, all: 10_000 }
const settleMs = 3000
/** Longer than idle connections to the database are kept. */
const idleMs = 15_000

/** What the server keeps open and listens to, by kind. */
type Held = Record<string, number>

/** What is left of 10,000 turns: memory in use beside that after 1,000, and handles, timers and listeners beside those before. */
export const measureSoak: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome(), INSPECTED)
  const inspector = await inspectService(service)
  const { chatUrl } = await stage.createAccount(service)
  const carryOn = async (count: number) => {
    for (let done = 0; done < count; done += socketCount)
      await Promise.all(sockets.map((socket) => socket.turn('Tell me something about the sea.')))
  }

  const warm = await openChatSocket(chatUrl)
  await warm.turn('Tell me something about the sea.')
  await warm.close()
  await sleep(idleMs)
  const before = await readHeld(inspector)
  const sockets = await Promise.all(Array.from({ length: socketCount }, () => openChatSocket(chatUrl)))
  await carryOn(turns.first)
  await sleep(settleMs)
  const early = await inspector.readHeapInUse()
  await carryOn(turns.all - turns.first)
  await sleep(settleMs)
  const late = await inspector.readHeapInUse()
  for (const socket of sockets) await socket.close()
  await sleep(idleMs)
  const left = differences(before, await readHeld(inspector))
  inspector.close()
  const mib = (bytes: number) => bytes / 1024 / 1024
  return [
    { measure: 'heap in use after 1,000 turns', value: mib(early), unit: 'MiB' },
    { measure: 'after 10,000 turns', value: mib(late), unit: 'MiB' },
    { measure: '10,000 / 1,000', value: late / early, unit: 'ratio' },
    {
      measure: 'handles, timers and listeners left',
      value: left.reduce((sum, [, count]) => sum + count, 0),
      unit: 'pieces',
      note: left.map(([kind, count]) => `${kind} ${count}`).join(', '),
    },
  ]
}

const readHeld = (inspector: Inspector) =>
  inspector.evaluate<Held>(`(() => {
    const held = {}
    for (const kind of process.getActiveResourcesInfo()) held[kind] = (held[kind] ?? 0) + 1
    for (const name of process.eventNames()) held[String(name) + ' listeners'] = process.listenerCount(name)
    return held
  })()`)

const differences = (before: Held, after: Held) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((kind) => [kind, (after[kind] ?? 0) - (before[kind] ?? 0)] as const)
    .filter(([, count]) => count !== 0)
