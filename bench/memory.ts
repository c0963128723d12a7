import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import type { Figure } from './figure.ts'

const settleMs = 3000
const socketCount = 5000
const atOnce = 50
const spareFiles = 200

/** Measures the resident memory of the server and of its database engine after the start and after one turn. */
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

/** Measures the resident memory that 5,000 idle chat connections add to the server. */
export const measureSocketMemory: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const limit = Math.min(await readFileLimit(process.pid), await readFileLimit(service.pid))
  if (limit < socketCount + spareFiles) {
    // Node.js has already raised its soft limit to the hard limit, so this process cannot raise it further.
    console.error(
      `socket-memory is skipped: it needs ulimit -n ${socketCount + spareFiles}, which is ${limit}`,
    )
    return []
  }
  const { chatUrl } = await stage.createAccount(service)
  // The first connection loads code lazily, which must not count as memory of a socket.
  const sockets: ChatSocket[] = [await openChatSocket(chatUrl)]
  await sockets[0]!.turn('Tell me something about the sea.')
  await sleep(settleMs)
  const startRss = await readRss(service.pid)
  while (sockets.length <= socketCount) {
    const batch = Array.from({ length: atOnce }, () => openChatSocket(chatUrl))
    sockets.push(...(await Promise.all(batch)))
  }
  await sleep(settleMs)
  const open = sockets.filter((socket) => socket.isOpen()).length
  if (open <= socketCount) throw new Error(`only ${open} of ${sockets.length} idle sockets stayed open`)
  const added = (await readRss(service.pid)) - startRss
  return [
    { measure: '5,000 idle sockets', value: added / 1024, unit: 'MiB', note: 'added to the server' },
    { measure: 'each', value: added / socketCount, unit: 'KiB' },
  ]
}

/** Reads the resident memory of a process in KiB from its `/proc` status. */
export async function readRss(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1])
}

/** Reads the maximum number of files that a process may have open. */
async function readFileLimit(pid: number): Promise<number> {
  const limit = /^Max open files\s+(\S+)/m.exec(await readFile(`/proc/${pid}/limits`, 'utf8'))?.[1]
  return limit === 'unlimited' ? Number.POSITIVE_INFINITY : Number(limit)
}
