import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'declared',
  summary: 'Objects that are declared in files: svc export and svc apply',
  tag: {
    name: 'Managed objects',
    order: 95,
    description:
      'Objects that `svc apply` keeps as files declare them. Their rows have `managed_by: "apply"`, and other changes are refused with `MANAGED`.',
  },
  depends: ['users', 'auth', 'terminal'],
  errors: {
    MANAGED: {
      status: 409,
      message: {
        en: '`svc apply` keeps this object as {file} declares it. Change that file and apply it, or have an administrator release the object.',
        zh: '此对象由 `svc apply` 按 {file} 管理。请修改该文件并重新应用，或请管理员解除管理。',
      },
    },
    APPLY_RUNNING: {
      status: 409,
      message: { en: 'Another `svc apply` is running.', zh: '另一个 `svc apply` 正在运行。' },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    declared: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
