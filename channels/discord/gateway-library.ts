import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import type { LookupFunction, Socket } from 'node:net'
import type { ClientOptions, WebSocket } from 'ws'
import type { Transport } from '#toolbox'

type Library = typeof import('@discordjs/ws')

/** Returns the options of a socket to an address. */
export type SocketOptions = (address: string) => ClientOptions

/** The options of the sockets that are created in an asynchronous context. */
const contexts = new AsyncLocalStorage<SocketOptions>()

let library: Library | undefined

/**
 * Loads the client library, which has no options for its socket and takes the class from the package `ws` when it is
 * loaded: it is given a class with the options of `withSocketOptions`.
 */
export function loadGatewayLibrary(): Library {
  library ??= load()
  return library
}

function load(): Library {
  const { resolve } = createRequire(import.meta.url)
  const requireAsLibrary = createRequire(resolve('@discordjs/ws'))
  const sockets = requireAsLibrary('ws') as { WebSocket: typeof WebSocket }
  const { WebSocket: Original } = sockets
  sockets.WebSocket = class extends Original {
    constructor(address: string | URL, protocols?: string | string[], options?: ClientOptions) {
      super(address, protocols, { ...options, ...contexts.getStore()?.(String(address)) })
    }
  } as typeof WebSocket
  try {
    return requireAsLibrary(resolve('@discordjs/ws'))
  } finally {
    sockets.WebSocket = Original
  }
}

/** Runs a function of the library; the sockets that it creates have these options. */
export const withSocketOptions = <Result>(options: SocketOptions, run: () => Result): Result =>
  contexts.run(options, run)

/** Creates the options of sockets that connect to checked addresses only, or through the proxy of a transport. */
export function createSocketOptions({ tunnel }: Transport, lookup: LookupFunction): SocketOptions {
  // The types of the library lack the options that it passes to the request.
  if (!tunnel) return () => ({ lookup }) as ClientOptions
  return (address) =>
    ({
      createConnection(
        { host, port }: { host: string; port: number | string },
        callback: (error: Error | null, socket?: Socket) => void,
      ) {
        tunnel({ host, port: Number(port), isSecure: address.startsWith('wss:') }).then(
          (socket) => callback(null, socket),
          (error) => callback(error),
        )
      },
    }) as unknown as ClientOptions
}
