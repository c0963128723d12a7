import { setTimeout as sleep } from 'node:timers/promises'
import { openChatSocket } from './chat-socket.ts'
import type { Figure } from './figure.ts'
import { readRss } from './memory.ts'

const settleMs = 3000

/** Resident memory of the server process and of its database engine, after the start and after one turn. */
export const measureIdleMemory: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const engine = await service.engine()
  const readBoth = async () => {
    await sleep(settleMs)
    return { server: (await readRss(service.pid)) / 1024, engine: (await readRss(engine.pid)) / 1024 }
  }
  const idle = await readBoth()
  const { chatUrl } = await stage.createAccount(service)
  const socket = await openChatSocket(chatUrl)
  await socket.turn('Tell me something about the sea.')
  const used = await readBoth()
  return [
    { measure: 'server, idle', value: idle.server, unit: 'MiB', note: '3 s after the start' },
    { measure: 'server, after a turn', value: used.server, unit: 'MiB', note: '3 s after the turn' },
    { measure: 'engine, idle', value: idle.engine, unit: 'MiB' },
    { measure: 'engine, after a turn', value: used.engine, unit: 'MiB' },
  ]
}
