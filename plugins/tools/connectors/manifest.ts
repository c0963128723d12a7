import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'
import { connectorErrors } from './errors.ts'

const seconds = <const Default extends number>(value: Default) =>
  ({ type: 'integer', minimum: 1, maximum: 3600, default: value }) as const

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'connectors',
  summary: 'Connectors: tools of MCP servers that are lent to agents, with the credentials of whoever talks',
  tag: {
    name: 'Connectors',
    order: 42,
    description:
      'Servers of the Model Context Protocol whose tools agents can call. A connector belongs to one account, or is global.',
  },
  depends: ['users', 'auth', 'agents', 'chat', 'shell'],
  config: {
    allow_hosts: { type: 'array', items: { type: 'string' }, default: [], env: 'SVC_ALLOW_HOSTS' },
    connect_seconds: seconds(15),
    call_seconds: seconds(60),
    max_call_seconds: seconds(600),
    idle_seconds: seconds(300),
  },
  permissions: [
    {
      key: 'connectors',
      category: 'settings',
      label: { en: 'Connectors', zh: '连接器' },
      description: {
        en: 'Connect agents to your own MCP servers.',
        zh: '为智能体接入自己的 MCP 服务器。',
      },
      is_suggested: true,
    },
  ],
  errors: connectorErrors,
  limits: { connectors: { default: 50, description: 'Connectors of an account' } },
  events: ['connector.changed'],
})

declare module '#kernel/types' {
  interface Manifests {
    connectors: typeof manifest
  }
}

/** The services and settings that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
