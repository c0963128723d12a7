import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The accounts with which people may share what is theirs. */
export const SHARING = ['everyone', 'groups', 'off'] as const

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'groups',
  summary: 'Groups of accounts with rights of their own, and sharing with people and groups',
  tag: {
    name: 'Groups',
    order: 91,
    description:
      'Groups of accounts with rights and limits, and with whom agents and other things are shared.',
  },
  depends: ['users', 'auth', 'accounts'],
  config: {
    sharing: { type: 'string', enum: SHARING, default: 'everyone' },
  },
  errors: {
    GROUP_NOT_FOUND: { status: 404, message: { en: 'The group does not exist.', zh: '找不到该群组。' } },
    GROUP_NAME_TAKEN: {
      status: 409,
      message: { en: 'There is already a group named "{name}".', zh: '已有名为“{name}”的群组。' },
    },
    GROUP_NEEDED: {
      status: 409,
      message: {
        en: 'The group that the server was set up with cannot be deleted. Take away its permissions instead.',
        zh: '服务器初始创建的群组不能删除，可以改为收回它的权限。',
      },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    groups: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
