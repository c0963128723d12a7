import type { LookupFunction, Socket } from 'node:net'
import type { ClientOptions } from 'ws'
import type { Transport } from '#plugin-api'

/** Returns the options of a socket to an address. */
export type SocketOptions = (address: URL) => ClientOptions

/** Creates the options of sockets that connect to checked addresses only, or through the proxy of a transport. */
export function createSocketOptions({ tunnel }: Transport, lookup: LookupFunction): SocketOptions {
  // The types of the package lack the options that it passes to the request.
  if (!tunnel) return () => ({ lookup }) as ClientOptions
  return ({ protocol }) =>
    ({
      createConnection(
        { host, port }: { host: string; port: number | string },
        callback: (error: Error | null, socket?: Socket) => void,
      ) {
        tunnel({ host, port: Number(port), isSecure: protocol === 'wss:' }).then(
          (socket) => callback(null, socket),
          (error) => callback(error),
        )
      },
    }) as unknown as ClientOptions
}
