import type { JSONSchema } from '#kernel'
import { ChannelFailure, type ChannelSettings } from '#plugin-api'

/** Where WeCom's robots connect to, and where one is made by scanning a QR code. */
export const endpoints = {
  ws_url: 'wss://openws.work.weixin.qq.com',
  qr: 'https://work.weixin.qq.com',
} as const

/** What a WeCom channel is set up with. */
export const configSchema: JSONSchema = {
  type: 'object',
  properties: {
    bot_id: {
      type: 'string',
      minLength: 1,
      maxLength: 512,
      title: 'Bot ID',
      description: 'The ID that WeCom shows for the robot where its API mode is set to long connection.',
    },
    secret: {
      type: 'string',
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
      title: 'Secret',
      description: "The robot's secret for the long connection, shown next to its ID.",
    },
    websocket_url: {
      type: 'string',
      maxLength: 512,
      pattern: '^wss?://',
      title: 'WebSocket address',
      description:
        'Where to connect to instead of the public platform, as wss://host, for WeCom that is hosted privately.',
    },
  },
  required: ['bot_id', 'secret'],
  additionalProperties: false,
}

/** Throws where `websocket_url` is no address that a socket can be opened to. */
export function checkAddress({ websocket_url }: Readonly<Record<string, unknown>>): void {
  if (websocket_url === undefined) return
  const url = URL.canParse(String(websocket_url)) ? new URL(String(websocket_url)) : undefined
  if (!url || !/^wss?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw new ChannelFailure('unsupported', 'websocket_url is no address of the form wss://host/path')
}

/** The address that this channel connects to. */
export const addressOf = ({ config, endpoints }: ChannelSettings) =>
  typeof config.websocket_url === 'string' ? config.websocket_url : endpoints.ws_url!
