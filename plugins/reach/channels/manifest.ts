import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { platformAddress } from './config/addresses.ts'
import { channelErrors } from './errors.ts'

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
        en: 'Link one’s own agents to messaging platforms.',
        zh: '将自己的智能体接入消息平台。',
      },
    },
  ],
  errors: channelErrors,
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
