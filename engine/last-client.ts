import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

const FIRST_CLIENT_MS = 10_000
const LINGER_MS = 2_000

/** Resolves when no server of this process has had a client for as long as an engine lingers. */
export function lastClientGone(): Promise<void> {
  return new Promise((resolve) => {
    let clients = 0
    let lingerMs = LINGER_MS
    let timer = setTimeout(resolve, FIRST_CLIENT_MS)
    const startTimer = () => {
      clearTimeout(timer)
      if (clients === 0) timer = setTimeout(resolve, lingerMs)
    }
    const hurry = () => {
      lingerMs = 0
      startTimer()
    }
    process.on('SIGTERM', hurry)
    process.on('SIGINT', hurry)
    subscribe('net.server.socket', (message) => {
      const { socket } = message as { socket: Socket }
      clearTimeout(timer)
      clients++
      socket.once('close', () => {
        clients--
        // No message of the driver is one byte long: it is the farewell of a process that closes its engine.
        if (socket.bytesRead === 1) hurry()
        else startTimer()
      })
    })
  })
}
