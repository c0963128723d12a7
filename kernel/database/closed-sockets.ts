import type { Socket } from 'node:net'

/** The diagnostics channel on which Node tells of each connection that is being opened. */
export const CLIENT_SOCKETS = 'net.client.socket'

/**
 * Ends waits for a socket that has closed. The driver may begin a command on a connection in the moment that its
 * server dies: the write is refused, and the driver waits for `drain` before it looks whether the connection still
 * lives, for ever. A listener of the channel above.
 */
export function endWaitsOnClose(message: unknown): void {
  const { socket } = message as { socket: Socket }
  // Commands that were on their way to the socket when it closed have reached it one turn of the event loop later.
  socket.once('close', () => setImmediate(() => socket.emit('drain')))
}
