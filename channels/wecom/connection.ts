import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import {
  type ChannelConnection,
  type ChannelLink,
  type ChannelSettings,
  type JSONValue,
  toObject,
  toText,
} from '#plugin-api'
import { type Calls, createCalls } from './calls.ts'
import type { WecomConfig } from './config.ts'
import { downloadFile } from './download.ts'
import type { Target } from './frame.ts'
import { createIntake } from './intake.ts'
import { createLiveMessage, createMarkdown, createStreamFrame, toVisible } from './live.ts'
import { createPresses, createQuestions, type Presses } from './questions.ts'
import { openSocket } from './socket.ts'
import { uploadFile } from './upload.ts'

/** Time for which messages of a lost connection that could not be stored are retried, in milliseconds. */
const KEEP_MS = 600_000

/** Connects a robot. */
export async function openConnection(
  settings: ChannelSettings<WecomConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const closed = AbortSignal.any([link.signal, closing.signal])
  // Each waiting message and each open press adds a listener.
  setMaxListeners(Number.POSITIVE_INFINITY, closed)
  /** Ends the attempts to store messages: at once if the channel is closed, later if its connection is lost. */
  const storing = new AbortController()
  let isLost = false
  const endStoring = () => {
    if (isLost) setTimeout(() => storing.abort(), KEEP_MS).unref()
    else storing.abort()
  }
  closed.addEventListener('abort', endStoring, { once: true })
  let calls!: Calls
  let presses!: Presses
  const socket = await openSocket(settings, closed, (client, fail) => {
    calls = createCalls(client, link.log, fail)
    presses = createPresses(link, calls, closed)
    return {
      onMessage: createIntake(link, storing.signal, settings.config.robot_name),
      onEvent: presses.onEvent,
      onLost(error) {
        isLost = true
        link.lost(error)
      },
    }
  })
  const ask = createQuestions(calls, link.log)

  const say = async (target: Target, text: string, id: string, signal: AbortSignal) => {
    const content = toVisible(text)
    await calls.deliver(target, createStreamFrame(id, content, true), signal, () =>
      calls.push(target, createMarkdown(content), signal),
    )
  }

  return {
    async send(target, message, signal) {
      if (message.buttons?.length) return await ask(toStoredTarget(target), message, signal)
      await say(toStoredTarget(target), message.text, message.key, signal)
      return null
    },

    async live(target, { text, key }, signal, begun) {
      const id = toText(toObject(begun).stream_id) || key
      const message = createLiveMessage(calls, toStoredTarget(target), id)
      if (begun === undefined) await message.update(toVisible(text), signal)
      return message
    },

    async settle(target, sent, text, signal) {
      const task_id = toText(toObject(sent).task_id)
      if (task_id && (await presses.settle(task_id, text))) return
      // The platform changes a card only after a press, so the text is sent as a message.
      await say(toStoredTarget(target), text, `${task_id || randomUUID()}-s`, signal)
    },

    async sendFile(target, file, signal) {
      const body = await uploadFile(calls, file, signal)
      await calls.deliver(toStoredTarget(target), body, signal)
    },

    download: (reference, signal) => downloadFile(settings, reference, AbortSignal.any([signal, closed])),

    async close() {
      closing.abort()
      await socket.close()
    },
  }
}

/** Returns a stored target with its type. */
const toStoredTarget = (target: JSONValue) => target as Target
