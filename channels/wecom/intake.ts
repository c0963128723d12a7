import { setTimeout as wait } from 'node:timers/promises'
import {
  type ChannelLink,
  type InboundMessage,
  type Json,
  type QuotedMessage,
  toObject,
  toText,
} from '#plugin-api'
import { flatten, readContent } from './content.ts'
import { readCallback, toTarget } from './frame.ts'
import { createMentions, type Mentions } from './mention.ts'

/** Limit of messages that wait to be stored; later ones are lost. */
const MAX_WAITING = 200

/** The pause before storing a message is retried doubles from the first to the last value, in milliseconds. */
const FIRST_PAUSE_MS = 250
const LAST_PAUSE_MS = 30_000

/**
 * Creates the handler that passes messages to the gateway. The platform expects no acknowledgement and never repeats a
 * message, so a message that could not be stored is retried until it is stored or the signal is aborted.
 */
export function createIntake(
  link: Pick<ChannelLink, 'receive' | 'cursor' | 'log'>,
  signal: AbortSignal,
  robot_name: string | undefined,
) {
  const learnedName = toText(toObject(link.cursor.get()).robot_name)
  const mentions = createMentions({
    ...(robot_name && { robot_name }),
    ...(learnedName && { learned_name: learnedName }),
    onLearned(name) {
      link.cursor.set({ robot_name: name }).catch((error) => {
        // It will be learned again after a restart.
        link.log.info({ error }, 'the name of the robot could not be stored')
      })
    },
  })
  let waiting = 0

  async function retry(message: InboundMessage) {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LAST_PAUSE_MS)) {
      await wait(pause, undefined, { signal, ref: false })
      try {
        return await link.receive(message)
      } catch (error) {
        link.log.debug({ error, message_id: message.id }, 'a message still cannot be stored')
      }
    }
  }

  async function take(message: InboundMessage) {
    try {
      return await link.receive(message)
    } catch (error) {
      if (waiting >= MAX_WAITING) {
        link.log.error({ error, message_id: message.id }, 'a message is lost: too many could not be stored')
        return
      }
      link.log.warn({ error, message_id: message.id }, 'a message could not be stored; it will be retried')
    }
    waiting += 1
    try {
      await retry(message)
    } catch (error) {
      link.log.warn({ error, message_id: message.id }, 'the channel closed before a message could be stored')
    } finally {
      waiting -= 1
    }
  }

  return (frame: unknown) => {
    const message = readMessage(frame, mentions)
    if (message) void take(message)
    else
      link.log.info({ type: toText(toObject(toObject(frame).body).msgtype) }, 'a callback is not a message')
  }
}

/** Callbacks that are not messages of people: the platform asks for the state of a stream. */
const NOT_MESSAGES = ['stream', 'event']

/** Reads a message; undefined if it is not one, or lacks its author or conversation. */
function readMessage(frame: unknown, mentions: Mentions): InboundMessage | undefined {
  const callback = readCallback(frame)
  if (!callback) return undefined
  const { body, conversation, msg_id, user_id } = callback
  const type = toText(body.msgtype)
  if (NOT_MESSAGES.includes(type)) return undefined
  const quoted = toObject(body.quote)
  const whole = readContent(body)
  const quote = toText(quoted.msgtype) ? readQuote(quoted) : whole.forwarded
  const content = quote === whole.forwarded ? whole : flatten(whole)
  const text = conversation.type === 'group' ? mentions.remove(content.text) : content.text
  const isEmpty = content.text.trim() === '' && content.files.length === 0 && !quote
  return {
    id: msg_id,
    conversation,
    sender: { id: user_id },
    text,
    mentioned: true,
    ...readTime(body.create_time),
    ...(quote && { quote }),
    ...(content.files.length > 0 && { files: content.files }),
    ...(isEmpty && { unreadable: type || 'message' }),
    target: toTarget(callback),
  }
}

function readQuote(quoted: Json): QuotedMessage {
  const { text, files } = flatten(readContent(quoted))
  return { text: text || `[${toText(quoted.msgtype)}]`, ...(files.length > 0 && { files }) }
}

const readTime = (seconds: unknown) =>
  typeof seconds === 'number' && seconds > 0 ? { sent_at: Math.round(seconds * 1000) } : {}
