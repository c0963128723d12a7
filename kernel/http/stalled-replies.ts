import type { Server } from 'node:http'

/**
 * Ends replies of which the client takes nothing for so many milliseconds: each holds a connection, and often a file, as
 * long as it is not read.
 */
export function endStalledReplies(http: Server, milliseconds: number): void {
  http.on('request', (_, reply) => {
    reply.setTimeout(milliseconds, () => {
      // If nothing waits for the client, the client waits for the handler.
      if (reply.writableLength > 0) reply.destroy()
    })
  })
}
