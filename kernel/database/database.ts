import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { MongoClient, type MongoClientOptions } from 'mongodb'
import { DatabaseFailure, diedInUse, type Engine, openEngine } from '#engine'
import type { Logger } from '../log.ts'
import { serverFailure } from './database-failure.ts'
import { isRefused, isUnavailable } from './driver-errors.ts'

/** The open database. */
export type Database = Awaited<ReturnType<typeof openDatabase>>

/** On the embedded engine a majority is acknowledged before the journal is on disk; the journal alone waits for it. */
const EMBEDDED_WRITE_CONCERN = { journal: true }
const DEFAULT_NAME = 'svc'
const SELECTION_TIMEOUT_MS = 5000
const IDLE_LIMIT_MS = 60_000
/** The driver looks ten times a second for connections that were idle too long, a fifth of an idle server's work. */
const POOL_CHECK_MS = 5_000

/**
 * Connects to the server at `url`, or without one to the embedded engine on `<home>/db`. Every
 * acknowledged write is in the journal.
 */
export async function openDatabase({
  url,
  home,
  log,
  opening,
}: {
  url: string | undefined
  home: string
  log: Logger
  /** The engine of this home if it is being opened already. */
  opening?: Promise<Engine>
}) {
  const engine = url ? undefined : await (opening ?? openEngine(home, log))
  const address = url ?? engine!.uri
  const client = openClient(address, {
    appName: 'svc',
    ignoreUndefined: true,
    writeConcern: url ? { w: 'majority', journal: true } : EMBEDDED_WRITE_CONCERN,
    // Options would override what the address itself says.
    ...(/[?&]serverSelectionTimeoutMS=/i.test(address)
      ? {}
      : { serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS }),
    // The engine has a thread for each connection.
    ...(url ? {} : { maxIdleTimeMS: IDLE_LIMIT_MS }),
  })
  // The pool reads this option, although the driver does not accept it from callers.
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_MS })
  subscribe(CLIENT_SOCKETS, endWaitsOnClose)
  const close = async () => {
    await client.close()
    unsubscribe(CLIENT_SOCKETS, endWaitsOnClose)
    await engine?.close()
  }
  const explainFailure = (error: unknown): unknown => {
    const causes = [error, (error as Error).cause]
    if (url) {
      const cause = causes.find((each) => isUnavailable(each) || isRefused(each))
      return cause ? serverFailure(placeOf(client), cause) : error
    }
    return engine!.hasDied && causes.some(isUnavailable) ? diedInUse(home, error) : error
  }
  try {
    await client.connect()
  } catch (error) {
    await close()
    throw explainFailure(error)
  }
  const db = client.db(url ? nameIn(url) : DEFAULT_NAME)
  return {
    db,
    /** True if it is the embedded engine. */
    isEmbedded: engine !== undefined,
    /** Returns the failure of the database if it is the cause of an error, else the error. */
    explainFailure,
    /** Measures one round trip in milliseconds; throws while the database is unavailable. */
    async ping() {
      const startedAt = performance.now()
      await db.command({ ping: 1 })
      return performance.now() - startedAt
    },
    close,
  }
}

/** Creates the client of an address; throws a DatabaseFailure if the address is not valid. */
function openClient(address: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(address, options)
  } catch (error) {
    const reason = (error as Error).message
    throw new DatabaseFailure(`the address of the MongoDB server is not valid: ${reason}`, { cause: error })
  }
}

/** Returns the hosts of a client and if it uses TLS. */
const placeOf = ({ options: { hosts, srvHost, tls } }: MongoClient) => ({
  hosts: srvHost ?? hosts.join(', '),
  tls,
})

const nameIn = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? DEFAULT_NAME

/** The diagnostics channel on which Node.js announces each connection that is being opened. */
const CLIENT_SOCKETS = 'net.client.socket'

/**
 * Ends waits for a socket that has closed. The driver may begin a command on a connection at the moment that its server
 * dies: the write is refused, and the driver waits for `drain` forever before it checks if the connection still lives.
 */
function endWaitsOnClose(message: unknown): void {
  const { socket } = message as { socket: Socket }
  // Commands that were on their way to the socket when it closed reach it one turn of the event loop later.
  socket.once('close', () => setImmediate(() => socket.emit('drain')))
}
