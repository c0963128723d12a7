import type { Client } from '@modelcontextprotocol/client'
import { type ConnectorTarget, createDeadline, listCauses, untilAborted } from '#plugin-api'
import type { Greeting } from '../types.ts'
import { exchanges, toTimeout } from './exchange.ts'
import { type ConnectorFailure, toFailure } from './failure.ts'
import { connectOlder, connectStreamable, type HttpConnection, type HttpParts } from './http-transport.ts'
import { createMessageReader } from './readable-messages.ts'
import { HttpRefusal } from './refusal.ts'

type HttpTarget = Extract<ConnectorTarget, { transport: 'http' }>

/** The most time for the first question to a server, and the part of the whole time, in milliseconds. */
const MAX_FIRST_MS = 5000
const FIRST_PART = 1 / 3
/** The part of the time that is left for a server that is asked for a stream: others may open one that says nothing. */
const STREAM_PART = 1 / 2
/** The time that is left after the last attempt to say which failure says most, in milliseconds. */
const END_MS = 100

/** The failures after which no other greeting can work. */
const FINAL = new Set(['unauthorized', 'address_not_allowed', 'too_large', 'unavailable'])
/** The statuses with which servers from before streamable HTTP answer a message that is posted to them. */
const OLDER_STATUSES = new Set([400, 404, 405, 406, 410, 415, 422, 500, 501])

/** The parts of the first contact with a server. */
export interface GreetingParts extends HttpParts {
  /** Creates a client that asks first which versions the server knows, for so many milliseconds, or does not ask. */
  createClient(options: { firstMilliseconds?: number }): Client
  /** The greeting that worked last. */
  greeting?: Greeting
  /** Notified when another greeting works than before; undefined for the latest one. */
  onGreeting(greeting: Greeting | undefined): void
  /** The time for all, and the part of it that is left. */
  milliseconds: number
  millisecondsLeft(): number
}

/**
 * Connects a client to a server of any version, which may answer a greeting that it does not know by anything, or not
 * at all. Throws the failure that says most.
 */
export async function connectHttp(
  target: HttpTarget,
  parts: GreetingParts,
  signal: AbortSignal,
): Promise<HttpConnection> {
  const { greeting, milliseconds, millisecondsLeft } = parts
  const failures: ConnectorFailure[] = []

  /** Returns undefined if another greeting may work. */
  const attempt = async (
    connect: (signal: AbortSignal) => Promise<HttpConnection>,
    part = 1,
  ): Promise<HttpConnection | undefined> => {
    const deadline = createDeadline([signal], {
      milliseconds: Math.max(0, millisecondsLeft() - END_MS) * part,
      reason: () => toTimeout(milliseconds),
    })
    const exchange = { signal: deadline.signal, millisecondsLeft, fail: deadline.abort }
    try {
      return await untilAborted(
        deadline.signal,
        exchanges.run(exchange, () => connect(deadline.signal)),
      )
    } catch (error) {
      signal.throwIfAborted()
      const failure = toFailure(deadline.signal.aborted ? deadline.signal.reason : error)
      const isFinal = FINAL.has(failure.reason) && !(failure instanceof HttpRefusal)
      if (isFinal || failure.isUnsent) throw failure
      failures.push(failure)
      return undefined
    } finally {
      deadline.release()
    }
  }
  const connectBy: Record<Greeting, (signal: AbortSignal) => Promise<HttpConnection>> = {
    initialize: (over) =>
      connectStreamable(parts.createClient({}), target, parts, createMessageReader(), over),
    sse: (over) => connectOlder(parts.createClient({}), target, parts, over),
  }

  if (greeting) {
    const connection = await attempt(connectBy[greeting])
    if (connection) return connection
    parts.onGreeting(undefined)
    failures.splice(0)
  }
  const reader = createMessageReader()
  const firstMilliseconds = Math.min(millisecondsLeft() * FIRST_PART, MAX_FIRST_MS)
  const first = await attempt((over) =>
    connectStreamable(parts.createClient({ firstMilliseconds }), target, parts, reader, over),
  )
  if (first) {
    if (reader.hasSent('initialize')) parts.onGreeting('initialize')
    return first
  }
  const isOlder = () =>
    failures.at(-1) instanceof HttpRefusal && OLDER_STATUSES.has(statusOf(failures.at(-1)))
  for (const older of ['initialize', 'sse'] as const) {
    if (older === 'initialize' ? reader.hasSent('initialize') : !isOlder()) continue
    const connection = await attempt(connectBy[older], older === 'sse' ? STREAM_PART : 1)
    if (!connection) continue
    parts.onGreeting(older)
    return connection
  }
  throw findMostTelling(failures)
}

const statusOf = (failure: ConnectorFailure | undefined) => (failure as HttpRefusal).status

/** Finds the failure that says most, among equals the one of the older greeting. */
function findMostTelling(failures: readonly ConnectorFailure[]): ConnectorFailure {
  const order = [...failures.slice(1), ...failures.slice(0, 1)]
  return order.reduce((best, failure) => (tellingOf(failure) > tellingOf(best) ? failure : best))
}

function tellingOf(failure: ConnectorFailure): number {
  if (failure.reason === 'forbidden') return 4
  if (failure instanceof HttpRefusal) return failure.words ? 3 : 2
  if (listCauses(failure).some(({ name }) => name === 'ProtocolError')) return 3
  return failure.reason === 'timeout' ? 0 : 1
}
