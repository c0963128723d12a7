import type { LookupFunction } from 'node:net'
import { ChannelFailure, type ChannelLink } from '#plugin-api'
import { MESSAGE_TOPIC } from './gateway.ts'
import { openSocket, type StreamSocket } from './stream-socket.ts'
import { objectOf, parseObject, textOf, type WireObject } from './wire-value.ts'

/** Between two pings, in milliseconds; a peer that is silent so long is dead. */
const KEEPALIVE = 30_000

/** A connection that came back and is cut again within this time, in milliseconds, does not come back by itself. */
const SETTLED = 10_000

/** Messages that are being stored at a time; beyond that the socket is not read. */
const MAX_UNDERWAY = 64

/** The connection over which DingTalk delivers messages. */
export interface Stream {
  /** Resolves when nothing of it runs any more, which is soon after its channel is closed. */
  closed(): Promise<void>
}

/** What a stream needs. */
export interface StreamOptions {
  /** Gives the address for one socket. */
  locate(): Promise<URL>
  lookup: LookupFunction
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  closing: AbortSignal
  /** Takes a message in; what it rejects is not acknowledged, so that DingTalk delivers it again. */
  take(data: WireObject): Promise<void>
  keepaliveMs?: number
}

/** Connects, and comes back once by itself when DingTalk moves or cuts the connection. */
export async function openStream({
  locate,
  lookup,
  link,
  closing,
  take,
  keepaliveMs = KEEPALIVE,
}: StreamOptions): Promise<Stream> {
  const sockets = new Set<StreamSocket>()
  const underway = new Set<Promise<void>>()
  let current: StreamSocket | undefined
  let cameBackAt: number | undefined
  let comingBack: Promise<void> | undefined
  let isOver = false

  async function connect(): Promise<StreamSocket> {
    const address = await locate()
    const socket = await openSocket({ address, lookup, keepaliveMs, closing, onText, onGone })
    sockets.add(socket)
    return socket
  }

  function onText(text: string, socket: StreamSocket): void {
    const { type, headers, data } = parseObject(text)
    const { topic } = objectOf(headers)
    if (type === 'SYSTEM') {
      if (topic === 'ping') acknowledge(socket, headers, data)
      if (topic === 'disconnect' && socket === current) comeBack('DingTalk moves the connection')
    } else if (type === 'CALLBACK' && topic === MESSAGE_TOPIC) {
      const taken = takeIn(textOf(data), headers, socket).finally(() => {
        underway.delete(taken)
        socket.resume()
      })
      underway.add(taken)
      if (underway.size >= MAX_UNDERWAY) socket.pause()
    } else if (type === 'CALLBACK' || type === 'EVENT') {
      acknowledge(socket, headers)
    } else link.log.debug({ type: textOf(type) }, 'DingTalk sent a frame of an unknown type')
  }

  async function takeIn(data: string, headers: unknown, socket: StreamSocket): Promise<void> {
    try {
      await take(parseObject(data))
    } catch (error) {
      if (!isOver) link.log.warn({ error }, 'a message was not taken in; DingTalk will deliver it again')
      return
    }
    acknowledge(socket, headers)
  }

  function acknowledge(socket: StreamSocket, headers: unknown, data: unknown = '{"response":{}}'): void {
    socket.send(
      JSON.stringify({
        code: 200,
        headers: { ...objectOf(headers), contentType: 'application/json' },
        message: 'OK',
        data,
      }),
    )
  }

  function onGone(socket: StreamSocket): void {
    sockets.delete(socket)
    if (socket === current) comeBack('the connection to DingTalk was cut')
  }

  function comeBack(reason: string): void {
    if (isOver) return
    if (cameBackAt !== undefined && Date.now() - cameBackAt < SETTLED) {
      lose(new ChannelFailure('unreachable', 'DingTalk cuts the connection again and again.'))
      return
    }
    const retired = current
    current = undefined
    link.connecting(reason)
    comingBack = connect()
      .then((socket) => {
        current = socket
        cameBackAt = Date.now()
        link.connected()
      }, lose)
      .finally(async () => {
        // What was still delivered over the old socket is acknowledged over it.
        await Promise.all(underway)
        retired?.leave()
      })
  }

  function lose(error: unknown): void {
    if (isOver) return
    isOver = true
    link.lost(error)
  }

  closing.addEventListener(
    'abort',
    () => {
      isOver = true
    },
    { once: true },
  )
  current = await connect()
  return {
    async closed() {
      await comingBack
      await Promise.all([...underway, ...[...sockets].map((socket) => socket.closed)])
    },
  }
}
