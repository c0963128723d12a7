import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'memory',
  summary: 'What agents remember about the people they work for',
  tag: {
    name: 'Memory',
    order: 42,
    description:
      'What agents remember about you: short notes that they read at each turn, of all agents or of one. They are yours, also on agents that others share with you.',
  },
  depends: ['users', 'auth', 'providers', 'agents', 'chat', 'signals'],
  config: {
    proposals: { type: 'boolean', default: false },
  },
  errors: {
    MEMORY_NOT_FOUND: { status: 404, message: { en: 'The memory does not exist.', zh: '找不到该记忆。' } },
    MEMORY_EXISTS: {
      status: 409,
      message: { en: 'Another memory already says this.', zh: '已有一条内容相同的记忆。' },
    },
  },
  limits: {
    memories: { default: 1000, description: 'Memories of an account' },
  },
  events: ['memory.changed'],
})

declare module '#kernel/types' {
  interface Manifests {
    memory: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
