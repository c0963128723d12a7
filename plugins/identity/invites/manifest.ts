import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of the plugin. */
export const manifest = defineManifest({
  name: 'invites',
  summary: 'Invites, with which people create their own accounts',
  tag: {
    name: 'Invites',
    order: 92,
    description: 'Links that let people create their own account.',
  },
  depends: ['users', 'auth', 'accounts'],
  errors: {
    INVITE_INVALID: {
      status: 400,
      message: { en: 'This invite code is not valid.', zh: '邀请码无效。' },
    },
    INVITE_NOT_PENDING: {
      status: 409,
      code: 'INVITE_INVALID',
      message: { en: 'Only a pending invite can be revoked.', zh: '只能撤销待使用的邀请。' },
    },
    INVITE_USED: {
      status: 409,
      message: { en: 'This invite has already been used.', zh: '该邀请已被使用。' },
    },
    INVITE_EXPIRED: {
      status: 410,
      message: { en: 'This invite has expired. Ask for a new one.', zh: '该邀请已过期，请索取新的邀请。' },
    },
    INVITE_REVOKED: {
      status: 410,
      message: { en: 'This invite has been revoked.', zh: '该邀请已被撤销。' },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    invites: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
