import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ChannelConnection, ChannelLink, ChannelSettings, JSONValue } from '#plugin-api'
import { type Calls, createCalls } from './calls.ts'
import { downloadFile } from './download.ts'
import { fieldsOf, stringOf, type Target } from './frame.ts'
import { createIntake } from './intake.ts'
import { createLiveMessage, markdownMessage, streamFrame, visible } from './live.ts'
import { createPresses, type Presses } from './presses.ts'
import { createQuestions } from './questions.ts'
import { openSocket } from './socket.ts'
import { uploadFile } from './upload.ts'

/** Connects a robot. */
export async function openConnection(
  settings: ChannelSettings,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const closed = AbortSignal.any([link.signal, closing.signal])
  // Each message that waits and each press that is open listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, closed)
  let calls!: Calls
  let presses!: Presses
  const socket = await openSocket(settings, closed, (client) => {
    calls = createCalls(client, link.log)
    presses = createPresses(link, calls, closed)
    return {
      onMessage: createIntake(link, closed),
      onEvent: presses.onEvent,
      onLost: (error) => link.lost(error),
    }
  })
  const ask = createQuestions(calls)

  const say = async (target: Target, text: string, id: string, signal: AbortSignal) => {
    const content = visible(text)
    await calls.deliver(target, streamFrame(id, content, true), signal, () =>
      calls.push(target, markdownMessage(content), signal),
    )
  }

  return {
    async send(target, message, signal) {
      if (message.buttons?.length) return await ask(targetFrom(target), message, signal)
      await say(targetFrom(target), message.text, message.key, signal)
      return null
    },

    async live(target, { text, key }, signal, begun) {
      const id = stringOf(fieldsOf(begun).stream_id) || key
      const message = createLiveMessage(calls, targetFrom(target), id)
      if (begun === undefined) await message.update(visible(text), signal)
      return message
    },

    async settle(target, sent, text, signal) {
      const task_id = stringOf(fieldsOf(sent).task_id)
      if (task_id && (await presses.settle(task_id, text))) return
      // Without a press the platform changes no card, so the conversation is told.
      await say(targetFrom(target), text, `${task_id || randomUUID()}-s`, signal)
    },

    async sendFile(target, file, signal) {
      const body = await uploadFile(calls, file, signal)
      await calls.deliver(targetFrom(target), body, signal)
    },

    download: (reference, signal) => downloadFile(settings, reference, AbortSignal.any([signal, closed])),

    async close() {
      closing.abort()
      await socket.close()
    },
  }
}

/** A target as it was stored. */
const targetFrom = (target: JSONValue) => target as unknown as Target
