import { createHash } from 'node:crypto'
import type { Button, ChannelConnection, JSONValue, OutboundFile } from '#plugin-api'
import type { Session } from '../connections/session.ts'
import type { InboxDocument } from '../documents.ts'
import { createSender, splitMarkdown, splitWords, toFailure } from '../writing/index.ts'

/** The typing indicator is renewed after this share of its duration. */
const TYPING_SHARE = 0.8

/** Sends notices, questions and files to the conversation of a message; replies are sent by the reply writer. */
export type Delivery = ReturnType<typeof createDelivery>

/** Creates the delivery to the conversation of a message. */
export function createDelivery(message: InboxDocument, target: JSONValue, session: Session) {
  const { kind, signal, connect, log, onRefused } = session
  const capabilities = kind.capabilities[message.conversation_type]
  const { dialect, max_length, length_unit, typing_ms } = capabilities
  const sender = createSender({ connect, signal, log, onRefused })

  const keyOf = (name: string) =>
    createHash('sha256').update(`${message._id}:${name}`).digest('hex').slice(0, 26).toUpperCase()

  const fit = (markdown: string) =>
    splitMarkdown(markdown, { dialect, max_length, length_unit, max_parts: 1 })[0]?.text ?? ''

  /** Makes an optional call once and only logs its failure. */
  const tryOnce = async (
    what: string,
    work: (connection: ChannelConnection) => Promise<void> | undefined,
  ) => {
    try {
      await work(await connect(signal))
    } catch (error) {
      if (signal.aborted) return
      const { reason, detail } = toFailure(error)
      log.info({ reason, detail }, `${what} was not possible`)
    }
  }

  return {
    target,
    capabilities,
    keyOf,
    /**
     * Sends one message, truncated if it is too long; if its text is refused, all its words in short messages, of which the
     * last one has the buttons. `name` distinguishes it from others for the same message.
     */
    async say(
      name: string,
      markdown: string,
      more: { buttons?: Button[]; pressers?: readonly string[] } = {},
    ): Promise<JSONValue> {
      const message = { key: keyOf(name), ...more, ...(capabilities.buttons ? {} : { buttons: [] }) }
      try {
        return await sender.send(target, { ...message, text: fit(markdown) })
      } catch (error) {
        const words = splitWords(markdown, { dialect, max_length, length_unit })
        const last = words.pop()
        if (!toFailure(error).is_about_text || last === undefined) throw error
        for (const [index, text] of words.entries())
          await sender.send(target, { key: keyOf(`${name} words ${index}`), text, buttons: [] })
        return await sender.send(target, { ...message, text: last })
      }
    },
    /** Sends one message with a single attempt; a failure is only logged. */
    notify: (name: string, markdown: string): Promise<void> =>
      tryOnce('a notice', async (connection) => {
        await connection.send(target, { text: fit(markdown), key: keyOf(name), buttons: [] }, signal)
      }),
    /** Replaces the text of a question; the question stays as it is if the platform cannot change it. */
    settle: (sent: JSONValue, markdown: string): Promise<void> =>
      tryOnce('changing a message', (connection) => connection.settle?.(target, sent, fit(markdown), signal)),
    /** Sends a file; false if the platform cannot. */
    sendFile: (file: Omit<OutboundFile, 'key'>, name: string): Promise<boolean> =>
      sender.repeat(async (connection, ending) => {
        if (!connection.sendFile) return false
        await connection.sendFile(target, { ...file, key: keyOf(name) }, ending)
        return true
      }),
    /** Shows the typing indicator until `stop` is called. */
    startTyping(): { stop(): void } {
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
