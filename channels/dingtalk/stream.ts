import type { LookupFunction } from 'node:net'
import { ChannelFailure, type ChannelLink, type Json, parseObject, toObject, toScalarText } from '#plugin-api'
import { MESSAGE_TOPIC } from './gateway.ts'
import { openSocket, type StreamSocket } from './stream-socket.ts'

/** Time between two pings; a peer that is silent for this long is dead. */
const KEEPALIVE_MS = 30_000

/** A reconnected socket that is cut within this time is not reconnected again. */
const STABLE_MS = 10_000

/** Limit of messages that are being stored; beyond it the socket is not read. */
const MAX_UNDERWAY = 64

/** The options of a stream. */
interface StreamOptions {
  /** Returns the address for one socket. */
  locate(): Promise<URL>
  lookup: LookupFunction
  link: Pick<ChannelLink, 'log' | 'connecting' | 'connected' | 'lost'>
  closing: AbortSignal
  /** Stores a message. If it rejects, the message is not acknowledged and DingTalk delivers it again. */
  take(data: Json): Promise<void>
  keepaliveMs?: number
}

/** Connects, and reconnects once by itself when DingTalk moves or cuts the connection. */
export async function openStream({
  locate,
  lookup,
  link,
  closing,
  take,
  keepaliveMs = KEEPALIVE_MS,
}: StreamOptions) {
  const sockets = new Set<StreamSocket>()
  const underway = new Set<Promise<void>>()
  let current: StreamSocket | undefined
  let reconnectedAt: number | undefined
  let reconnecting: Promise<void> | undefined
  let isOver = false

  async function connect(): Promise<StreamSocket> {
    const address = await locate()
    return openSocket({ address, lookup, keepaliveMs, closing, onText })
  }

  /** Uses a socket from now on, also one that has ended meanwhile. */
  function adopt(socket: StreamSocket): void {
    sockets.add(socket)
    current = socket
    socket.closed.then(() => onGone(socket))
  }

  function onText(text: string, socket: StreamSocket): void {
    const { type, headers, data } = parseObject(text) ?? {}
    const { topic } = toObject(headers)
    if (type === 'SYSTEM') {
      if (topic === 'ping') acknowledge(socket, headers, data)
      if (topic === 'disconnect' && socket === current) reconnect('DingTalk moves the connection')
    } else if (type === 'CALLBACK' && topic === MESSAGE_TOPIC) {
      const handling = takeIn(toScalarText(data), headers, socket).finally(() => {
        underway.delete(handling)
        socket.resume()
      })
      underway.add(handling)
      if (underway.size >= MAX_UNDERWAY) socket.pause()
    } else if (type === 'CALLBACK' || type === 'EVENT') {
      // E.g. a button of a card template, of which only its maker knows the meaning.
      link.log.debug({ topic: toScalarText(topic) }, 'DingTalk delivered an event that is not used')
      acknowledge(socket, headers)
    } else link.log.debug({ type: toScalarText(type) }, 'DingTalk sent a frame of an unknown type')
  }

  async function takeIn(data: string, headers: unknown, socket: StreamSocket): Promise<void> {
    try {
      await take(parseObject(data) ?? {})
    } catch (error) {
      if (!isOver) link.log.warn({ error }, 'a message could not be stored; DingTalk will deliver it again')
      return
    }
    acknowledge(socket, headers)
  }

  function acknowledge(socket: StreamSocket, headers: unknown, data: unknown = '{"response":{}}'): void {
    socket.send(
      JSON.stringify({
        code: 200,
        headers: { ...toObject(headers), contentType: 'application/json' },
        message: 'OK',
        data,
      }),
    )
  }

  function onGone(socket: StreamSocket): void {
    sockets.delete(socket)
    if (socket === current) reconnect('the connection to DingTalk was cut')
  }

  function reconnect(reason: string): void {
    if (isOver) return
    if (reconnectedAt !== undefined && Date.now() - reconnectedAt < STABLE_MS) {
      lose(new ChannelFailure('unreachable', 'DingTalk cuts the connection repeatedly.'))
      return
    }
    const retired = current
    current = undefined
    link.connecting(reason)
    reconnecting = connect()
      .then((socket) => {
        adopt(socket)
        reconnectedAt = Date.now()
        link.connected()
      }, lose)
      .finally(async () => {
        // Messages delivered over the old socket are acknowledged over it.
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
  adopt(await connect())
  return {
    /** Resolves when all sockets and messages in progress have ended, soon after the channel is closed. */
    async closed(): Promise<void> {
      await reconnecting
      await Promise.all([...underway, ...[...sockets].map((socket) => socket.closed)])
    },
  }
}
