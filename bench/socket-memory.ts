import { setTimeout as sleep } from 'node:timers/promises'
import { type ChatSocket, openChatSocket } from './chat-socket.ts'
import type { Figure } from './figure.ts'
import { readFileLimit, readRss } from './memory.ts'

const socketCount = 5000
const atOnce = 50
const spareFiles = 200
const settleMs = 3000

/** What 5,000 chat connections that do nothing add to the server's resident memory. */
export const measureSocketMemory: Figure = async (stage) => {
  const service = await stage.startService(await stage.createHome())
  const limit = Math.min(await readFileLimit(process.pid), await readFileLimit(service.pid))
  if (limit < socketCount + spareFiles) {
    // Node.js has raised its soft limit to the hard one already: there is nothing left to raise from here.
    console.error(
      `socket-memory is skipped: it needs ulimit -n ${socketCount + spareFiles}, which is ${limit}`,
    )
    return []
  }
  const { chatUrl } = await stage.createAccount(service)
  // The first connection pays for code that is loaded on use, which is not the price of a socket.
  const sockets: ChatSocket[] = [await openChatSocket(chatUrl)]
  await sockets[0]!.turn('Tell me something about the sea.')
  await sleep(settleMs)
  const before = await readRss(service.pid)
  while (sockets.length <= socketCount) {
    const batch = Array.from({ length: atOnce }, () => openChatSocket(chatUrl))
    sockets.push(...(await Promise.all(batch)))
  }
  await sleep(settleMs)
  const open = sockets.filter((socket) => socket.isOpen()).length
  if (open <= socketCount) throw new Error(`only ${open} of ${sockets.length} idle sockets stayed open`)
  const added = (await readRss(service.pid)) - before
  return [
    { measure: '5,000 idle sockets', value: added / 1024, unit: 'MiB', note: 'added to the server' },
    { measure: 'each', value: added / socketCount, unit: 'KiB' },
  ]
}
