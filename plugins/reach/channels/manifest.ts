import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { platformAddress } from './config/addresses.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'channels',
  summary: 'Agents on messaging platforms: connections, conversations, replies and approvals there',
  tag: {
    name: 'Channels',
    order: 60,
    description: 'Links between an agent and a messaging platform.',
  },
  depends: ['users', 'auth', 'agents', 'chat', 'signals'],
  config: {
    endpoints: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: platformAddress },
      default: {},
    },
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
  },
  permissions: [
    {
      key: 'channels',
      category: 'settings',
      label: { en: 'Channels', zh: '渠道' },
      description: {
        en: 'Connect your own agents to messaging apps.',
        zh: '将自己的智能体接入聊天应用。',
      },
    },
  ],
  errors: {
    CHANNEL_KIND_UNSUPPORTED: {
      status: 400,
      message: {
        en: 'The channel kind “{kind}” is disabled or not installed on this server.',
        zh: '此服务器未安装或已停用渠道类型“{kind}”。',
      },
    },
    CHANNEL_NAME_TAKEN: {
      status: 409,
      message: {
        en: 'This agent already has a channel named “{name}”.',
        zh: '该智能体已有名为“{name}”的渠道。',
      },
    },
    CHANNEL_QR_UNSUPPORTED: {
      status: 400,
      message: {
        en: '“{kind}” channels cannot be set up with a QR code.',
        zh: '“{kind}”类渠道不支持扫码配置。',
      },
    },
    CHANNEL_QR_FAILED: {
      status: 502,
      level: 'warn',
      message: {
        en: 'The platform returned no QR code ({reason}): {detail}',
        zh: '平台未能生成二维码（{reason}）：{detail}',
      },
    },
  },
  events: ['channel.changed', 'channel.state_changed', 'channel.refused', 'channel.deleted'],
})

declare module '#kernel/types' {
  interface Manifests {
    channels: typeof manifest
  }
}

/** The services and settings that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
