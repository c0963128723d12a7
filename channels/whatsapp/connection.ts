import {
  type ChannelConnection,
  type ChannelLink,
  type ChannelSettings,
  type InboundContent,
  type JSONValue,
  readMediaType,
  readPieces,
  toPlatformFailure,
  toText,
} from '#plugin-api'
import { createGraphApi, type GraphApi, identifyNumber } from './api.ts'
import type { WhatsAppConfig } from './config.ts'
import type { WhatsAppTarget } from './inbound.ts'
import { createSending } from './sending.ts'

/** Opens a channel: checks the number. There is no connection, as WhatsApp calls the server. */
export async function openWhatsApp(
  settings: ChannelSettings<WhatsAppConfig>,
  link: ChannelLink,
): Promise<ChannelConnection> {
  const closing = new AbortController()
  const signal = AbortSignal.any([link.signal, closing.signal])
  await identifyNumber(settings, signal)
  const api = createGraphApi(settings)
  const sending = createSending(api, settings.config)
  const until = (call: AbortSignal) => AbortSignal.any([signal, call])
  const toTarget = (target: JSONValue) => target as unknown as WhatsAppTarget
  return {
    async send(target, message, call) {
      await sending.send(toTarget(target), message, until(call))
      return null
    },
    sendFile: (target, file, call) => sending.sendFile(toTarget(target), file, until(call)),
    typing: (target, call) => sending.showTyping(toTarget(target), until(call)),
    download: (reference, call) => downloadMedia(api, settings.config, reference, until(call)),
    close: () => closing.abort(),
  }
}

/** Gets a file: first its address, which is valid for five minutes, then its bytes. */
async function downloadMedia(
  api: GraphApi,
  { phone_number_id }: WhatsAppConfig,
  reference: JSONValue,
  signal: AbortSignal,
): Promise<InboundContent> {
  const { id } = reference as { id: string }
  const { url } = await api.get(`${encodeURIComponent(id)}?phone_number_id=${phone_number_id}`, signal)
  const { response, deadline } = await api.fetchFile(toText(url), signal)
  const media_type = readMediaType(response.headers)
  const toFailure = (error: unknown) => toPlatformFailure('WhatsApp', error, signal)
  return {
    bytes: readPieces(response.body as AsyncIterable<Uint8Array> | null, toFailure, deadline),
    ...(media_type && { media_type }),
  }
}
