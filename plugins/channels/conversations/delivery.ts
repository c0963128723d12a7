import { createHash } from 'node:crypto'
import type { Button, ChannelCapabilities, ChannelConnection, JSONValue, OutboundFile } from '#plugin-api'
import type { Session } from '../connections/session.ts'
import type { InboxDocument } from '../documents.ts'
import { failureOf } from '../writing/failure.ts'
import { createSender } from '../writing/sending.ts'
import { splitMarkdown } from '../writing/splitting.ts'

/** What is said to the one who wrote a message, besides the reply itself. */
export interface Delivery {
  target: JSONValue
  capabilities: ChannelCapabilities
  /** Sends one message, cut where it is too long; `name` tells it from others about the same message. */
  say(
    name: string,
    markdown: string,
    more?: { buttons?: Button[]; pressers?: readonly string[] },
  ): Promise<JSONValue>
  /** Changes a message that asked something; where the platform cannot, it stays as it is. */
  settle(sent: JSONValue, markdown: string): Promise<void>
  /** Sends a file; false where the platform cannot. */
  sendFile(file: Omit<OutboundFile, 'key'>, name: string): Promise<boolean>
  /** Shows that something is being done, until `stop` is called. */
  startTyping(): { stop(): void }
  keyOf(name: string): string
}

/** How long before it ends `typing` is shown again, as a part of its time. */
const TYPING_SHARE = 0.8

/** Makes what answers a message, where it came from. */
export function createDelivery(message: InboxDocument, target: JSONValue, session: Session): Delivery {
  const { kind, signal, connect, log } = session
  const capabilities = kind.capabilities[message.conversation_type]
  const { dialect, max_length, length_unit, typing_ms } = capabilities
  const sender = createSender({ connect, signal })

  const keyOf = (name: string) =>
    createHash('sha256').update(`${message._id}:${name}`).digest('hex').slice(0, 26).toUpperCase()

  const fit = (markdown: string) =>
    splitMarkdown(markdown, { dialect, max_length, length_unit, max_parts: 1 })[0]?.text ?? ''

  /** What can be done without is tried once. */
  const tryOnce = async (
    what: string,
    work: (connection: ChannelConnection) => Promise<void> | undefined,
  ) => {
    try {
      await work(await connect(signal))
    } catch (error) {
      if (signal.aborted) return
      const { reason, detail } = failureOf(error)
      log.info({ reason, detail }, `${what} was not possible`)
    }
  }

  return {
    target,
    capabilities,
    keyOf,
    say: (name, markdown, more = {}) =>
      sender.send(target, {
        text: fit(markdown),
        key: keyOf(name),
        ...more,
        ...(capabilities.buttons ? {} : { buttons: [] }),
      }),
    settle: (sent, markdown) =>
      tryOnce('changing a message', (connection) => connection.settle?.(target, sent, fit(markdown), signal)),
    sendFile: (file, name) =>
      sender.repeat(async (connection, ending) => {
        if (!connection.sendFile) return false
        await connection.sendFile(target, { ...file, key: keyOf(name) }, ending)
        return true
      }),
    startTyping() {
      if (typing_ms === undefined) return { stop() {} }
      let isUnderWay = false
      const show = async () => {
        if (isUnderWay) return
        isUnderWay = true
        await tryOnce('typing', (connection) => connection.typing?.(target, signal))
        isUnderWay = false
      }
      void show()
      const timer = setInterval(() => void show(), typing_ms * TYPING_SHARE)
      return { stop: () => clearInterval(timer) }
    },
  }
}
