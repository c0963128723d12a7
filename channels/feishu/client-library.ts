import type { Agent } from 'node:http'
import type { Scrubber } from './scrubber.ts'

/** What the client library asks of whoever makes its requests. */
export interface EndpointRequest {
  url: string
  data: unknown
  headers: Record<string, string>
}

/** Its logger; what is said comes in pieces. */
export type LibraryLogger = Record<'error' | 'warn' | 'info' | 'debug' | 'trace', (pieces: unknown) => void>

/** An event, all its parts on one level. */
export type EventHandler = (event: unknown) => Promise<unknown>

/** Calls the handler of an event's type, and deciphers events where the app has a key. */
interface EventDispatcher {
  register(handlers: Record<string, EventHandler>): EventDispatcher
}

/** The long connection. */
interface WSClient {
  /** Resolves before there is a connection: `onReady` says when there is one. */
  start(options: { eventDispatcher: EventDispatcher }): Promise<void>
  close(options: { force: boolean }): void
  /** What it does with pings and pongs; no part of its interface. */
  handleControlData(frame: unknown): Promise<void>
}

interface LibraryOptions {
  logger: LibraryLogger
  loggerLevel: number
}

/** The part of `@larksuiteoapi/node-sdk` that is used; its own declarations are 17 MB long. */
export interface ClientLibrary {
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
      /** It has given up. */
      onError(error: Error): void
    },
  ) => WSClient
  LoggerLevel: { error: number }
}

/** A name that the compiler does not follow. */
const NAME: string = '@larksuiteoapi/node-sdk'

/** Loads the library: about 6 MB of source, so never before a channel is opened. */
export async function loadLibrary(): Promise<ClientLibrary> {
  return (await import(NAME)).default
}

/** A logger that passes on the library's errors, without what nobody may read. */
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
