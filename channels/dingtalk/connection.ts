import {
  type ButtonPress,
  type ChannelConnection,
  type ChannelLink,
  type ChannelSettings,
  createDeadline,
  createRecentSet,
  type Json,
  toScalarText,
} from '#plugin-api'
import { createApi } from './api.ts'
import { createCards } from './card.ts'
import type { DingtalkConfig } from './config.ts'
import type { FileReference } from './content.ts'
import { toOutage } from './failure.ts'
import { downloadFile, uploadFile } from './file.ts'
import { buttonForm, markdownForm, readPressedValue } from './form.ts'
import { locateGateway } from './gateway.ts'
import { readMessage } from './inbound.ts'
import { createSending, type Target, toTarget } from './sending.ts'
import { openStream } from './stream.ts'

/** Number of presses that are remembered, to ignore repeated deliveries. */
const MAX_PRESSES = 200

/** Resolves if the credentials of the app work and its robot may connect; opens no socket. */
export async function probe(
  { config, endpoints, fetch }: ChannelSettings<DingtalkConfig>,
  signal: AbortSignal,
): Promise<void> {
  const api = createApi({ config, endpoints, fetch, closing: signal })
  await api.getToken(signal)
  await locateGateway(api, config)
}

/** Connects an app's robot. */
export async function open(
  settings: ChannelSettings<DingtalkConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const { config, endpoints, fetch, lookup } = settings
  const { log } = link
  const { signal: closing, abort, release } = createDeadline([link.signal])
  const api = createApi({ config, endpoints, fetch, closing })
  const sending = createSending({ api, oapi: endpoints.oapi!, log })
  const presses = createRecentSet(MAX_PRESSES)

  async function press(id: string, pressed: ButtonPress, target: Target): Promise<void> {
    if (presses.has(id)) return
    presses.add(id)
    const { notice } = await link.press(pressed).catch((error) => {
      presses.delete(id)
      throw error
    })
    try {
      await sending.send(target, markdownForm(notice), closing)
    } catch (error) {
      // The press is stored, so a failed notice must not cause another delivery.
      if (!closing.aborted) log.warn({ error }, 'the notice for a pressed button could not be sent')
    }
  }

  async function take(data: Json): Promise<void> {
    const message = readMessage(data, config.client_id)
    if (!message) {
      log.warn(
        { type: toScalarText(data.msgtype) },
        'DingTalk delivered a message without a sender or conversation',
      )
      return
    }
    const { id, text, sender, conversation, target } = message
    const value = readPressedValue(text)
    if (value) await press(id, { value, sender, conversation_id: conversation.id }, target)
    else await link.receive(message)
  }

  async function locate(): Promise<URL> {
    const address = await locateGateway(api, config)
    try {
      await settings.assertAllowed(address.origin)
    } catch (error) {
      throw toOutage(error, closing)
    }
    return address
  }

  const stream = await openStream({ locate, lookup, link, closing, take })
  const templateId = config.card_template_id
  const beginCard = templateId && createCards({ api, config, templateId, log })
  return {
    async send(target, { text, buttons }, signal) {
      const form = buttons?.length ? buttonForm(text, buttons) : markdownForm(text)
      await sending.send(toTarget(target), form, signal)
      return null
    },
    ...(beginCard && {
      live: (target, message, signal, begun) => beginCard(toTarget(target), message, signal, begun),
    }),
    async sendFile(target, file, signal) {
      const form = await uploadFile(api, file, signal)
      await sending.post(toTarget(target), form, signal)
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
