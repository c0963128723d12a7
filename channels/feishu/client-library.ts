import type { Agent } from 'node:http'
import type { Scrubber } from './scrubber.ts'

/** A request that the client library delegates. */
export interface EndpointRequest {
  url: string
  data: unknown
  headers: Record<string, string>
}

/** The logger of the library; a message comes as a list of pieces. */
type LibraryLogger = Record<'error' | 'warn' | 'info' | 'debug' | 'trace', (pieces: unknown) => void>

/** Handles an event, whose parts are merged into one object. */
export type EventHandler = (event: unknown) => Promise<unknown>

/** Calls the handler for an event's type; decrypts events if the app has an encrypt key. */
interface EventDispatcher {
  register(handlers: Record<string, EventHandler>): EventDispatcher
}

/** The client of the long connection. */
interface WSClient {
  /** Resolves before the connection exists: `onReady` reports it. */
  start(options: { eventDispatcher: EventDispatcher }): Promise<void>
  close(options: { force: boolean }): void
  /** Handles pings and pongs; not part of the library's interface. */
  handleControlData(frame: unknown): Promise<void>
}

interface LibraryOptions {
  logger: LibraryLogger
  loggerLevel: number
}

/** The subset of `@larksuiteoapi/node-sdk` used here; its own declarations have 17 MB. */
interface ClientLibrary {
  EventDispatcher: new (
    options: LibraryOptions & { encryptKey?: string; verificationToken?: string },
  ) => EventDispatcher
  WSClient: new (
    options: LibraryOptions & {
      appId: string
      appSecret: string
      domain: string
      httpInstance: { request(request: EndpointRequest): Promise<unknown> }
      agent: Agent
      handshakeTimeoutMs: number
      /** In seconds. */
      wsConfig: { pingTimeout: number }
      onReady(): void
      onReconnecting(): void
      onReconnected(): void
      /** Called when the library has given up. */
      onError(error: Error): void
    },
  ) => WSClient
  LoggerLevel: { error: number }
}

/** A variable, so that the compiler does not load the declarations. */
const NAME: string = '@larksuiteoapi/node-sdk'

/** Loads the library. It has about 6 MB of source, so it is loaded only when a channel is opened. */
export async function loadLibrary(): Promise<ClientLibrary> {
  return (await import(NAME)).default
}

/** Creates a logger that passes on the library's errors without secrets. */
export function createLibraryLogger({ scrub }: Scrubber, warn: (text: string) => void): LibraryLogger {
  const ignore = () => {}
  return {
    error: (pieces) => warn(scrub([pieces].flat().map(String).join(' '))),
    warn: ignore,
    info: ignore,
    debug: ignore,
    trace: ignore,
  }
}
