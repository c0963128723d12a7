import { ChannelFailure, type ChannelSettings, type ConfigOf, type JSONSchema } from '#plugin-api'

/** WeCom's addresses for connections of robots and for QR codes. */
export const endpoints = {
  ws_url: 'wss://openws.work.weixin.qq.com',
  qr: 'https://work.weixin.qq.com',
} as const

/** The schema of a WeCom channel's config. */
export const configSchema = {
  type: 'object',
  properties: {
    bot_id: {
      type: 'string',
      minLength: 1,
      maxLength: 512,
      title: 'Bot ID',
      description: 'The ID that WeCom shows when the API mode of the robot is set to long connection.',
    },
    secret: {
      type: 'string',
      minLength: 1,
      maxLength: 512,
      writeOnly: true,
      title: 'Secret',
      description: "The robot's secret for the long connection, shown next to its ID.",
    },
    robot_name: {
      type: 'string',
      minLength: 1,
      maxLength: 64,
      title: 'Name of the robot',
      description: 'The name that people mention in groups. Without it, it is learned from their messages.',
    },
    websocket_url: {
      type: 'string',
      maxLength: 512,
      pattern: '^wss?://',
      title: 'WebSocket address',
      description: 'The address of a privately hosted WeCom, as wss://host; empty for the public platform.',
    },
  },
  required: ['bot_id', 'secret'],
  additionalProperties: false,
} as const satisfies JSONSchema

/** The config of a WeCom channel. */
export type WecomConfig = ConfigOf<typeof configSchema>

/** Throws if `websocket_url` is not a WebSocket address. */
export function checkAddress({ websocket_url }: Partial<WecomConfig>): void {
  if (websocket_url === undefined) return
  const url = URL.canParse(websocket_url) ? new URL(websocket_url) : undefined
  if (!url || !/^wss?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw new ChannelFailure('unsupported', 'websocket_url is not an address of the form wss://host/path')
}

/** Returns the address that the channel connects to. */
export const findAddress = ({ config, endpoints }: ChannelSettings<WecomConfig>) =>
  config.websocket_url ?? endpoints.ws_url!
