import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'mcp-server',
  summary: 'Agents as tools of a Model Context Protocol server, for other AI applications',
  tag: {
    name: 'Model Context Protocol',
    order: 62,
    description: 'Agents as tools of other AI applications.',
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  /** Clients receive them as results of tools. */
  errors: {
    MCP_REQUEST_REPEATED: {
      status: 409,
      message: {
        en: 'A request with this id has already been sent in this session.',
        zh: '此会话中已发送过相同 ID 的请求。',
      },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    'mcp-server': typeof manifest
  }
}

/** The services that the factories and handlers of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
