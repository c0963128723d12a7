import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'shares',
  summary: 'Links to snapshots of conversations',
  tag: {
    name: 'Sharing',
    order: 41,
    description:
      'Links with which other people read a snapshot of a conversation and continue it as their own.',
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  config: {
    public: { type: 'boolean', default: false },
  },
  errors: {
    SHARES_NOT_PUBLIC: {
      status: 403,
      message: {
        en: 'On this server only people with an account can open shared conversations.',
        zh: '此服务器上的共享对话仅限有账号的用户打开。',
      },
    },
    SHARE_EMPTY: {
      status: 409,
      message: {
        en: 'The conversation has no finished answer to share yet.',
        zh: '此对话尚无可共享的完整回答。',
      },
    },
    SHARE_TOO_LARGE: {
      status: 413,
      message: {
        en: 'A shared conversation has at most {max_messages} messages and {max_mb} MB of text.',
        zh: '共享对话最多包含 {max_messages} 条消息和 {max_mb} MB 文本。',
      },
    },
  },
  limits: {
    shares: { default: 500, description: 'Shared conversations of an account' },
    shared_bytes: { default: '1gb', description: 'Files in the shared conversations of an account' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    shares: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
