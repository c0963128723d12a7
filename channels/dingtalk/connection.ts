import { createDeadline } from '#kernel'
import type { ButtonPress, ChannelConnection, ChannelLink, ChannelSettings } from '#plugin-api'
import { createApi } from './api.ts'
import { createCards } from './card.ts'
import type { DingtalkConfig } from './config.ts'
import { outageOf } from './failure.ts'
import { downloadFile, uploadFile } from './file.ts'
import { buttonForm, markdownForm } from './form.ts'
import { locateGateway } from './gateway.ts'
import { type FileReference, readMessage } from './inbound.ts'
import { pressedValue } from './press.ts'
import { createSending } from './sending.ts'
import { openStream } from './stream.ts'
import { type Target, targetOf } from './target.ts'
import { textOf, type WireObject } from './wire-value.ts'

/** Presses that are remembered, as one that is delivered again is not one more. */
const MAX_PRESSES = 200

/** Resolves where the app's credentials work and its robot may connect; no socket is opened. */
export async function probe(
  { config, endpoints, fetch }: ChannelSettings,
  signal: AbortSignal,
): Promise<void> {
  const app = config as unknown as DingtalkConfig
  const api = createApi({ config: app, endpoints, fetch, closing: signal })
  await api.token.get()
  await locateGateway(api, app)
}

/** Connects an app's robot. */
export async function open(settings: ChannelSettings, link: ChannelLink): Promise<ChannelConnection> {
  const { endpoints, fetch, lookup } = settings
  const config = settings.config as unknown as DingtalkConfig
  const { log } = link
  const { signal: closing, abort, release } = createDeadline([link.signal])
  const api = createApi({ config, endpoints, fetch, closing })
  const sending = createSending({ api, oapi: endpoints.oapi!, log })
  const presses = new Set<string>()

  async function press(id: string, pressed: ButtonPress, target: Target): Promise<void> {
    if (presses.has(id)) return
    if (presses.size >= MAX_PRESSES) presses.delete(presses.values().next().value!)
    presses.add(id)
    const { notice } = await link.press(pressed).catch((error) => {
      presses.delete(id)
      throw error
    })
    try {
      await sending.send(target, markdownForm(notice), closing)
    } catch (error) {
      // The press counts whether or not its answer arrives, and must not be delivered again because of it.
      if (!closing.aborted) log.warn({ error }, 'whoever pressed a button was not answered')
    }
  }

  async function take(data: WireObject): Promise<void> {
    const message = readMessage(data, config.client_id)
    if (!message) {
      log.debug({ type: textOf(data.msgtype) }, 'DingTalk delivered a message that cannot be read')
      return
    }
    const { id, text, sender, conversation, target } = message
    const value = pressedValue(text)
    if (value) await press(id, { value, sender, conversation_id: conversation.id }, target)
    else await link.receive(message)
  }

  async function locate(): Promise<URL> {
    const address = await locateGateway(api, config)
    try {
      await settings.assertAllowed(address.origin)
    } catch (error) {
      throw outageOf(error, closing)
    }
    return address
  }

  const stream = await openStream({ locate, lookup, link, closing, take })
  const beginCard = config.card_template_id && createCards(api, config, config.card_template_id)
  return {
    async send(target, { text, buttons }, signal) {
      const form = buttons?.length ? buttonForm(text, buttons) : markdownForm(text)
      await sending.send(targetOf(target), form, signal)
      return null
    },
    ...(beginCard && {
      live: (target, message, signal, begun) => beginCard(targetOf(target), message, signal, begun),
    }),
    async sendFile(target, file, signal) {
      const form = await uploadFile(api, file, signal)
      await sending.post(targetOf(target), form, signal)
    },
    download: (reference, signal) =>
      downloadFile({ api, fetch, closing }, reference as FileReference, signal),
    async close() {
      abort(new DOMException('the channel is closed', 'AbortError'))
      release()
      await stream.closed()
    },
  }
}
