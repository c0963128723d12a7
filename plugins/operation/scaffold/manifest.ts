import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'scaffold',
  summary: 'Lists, adds and removes plugins, with commands for their authors',
  errors: {
    PLUGIN_NEEDED: {
      status: 409,
      message: {
        en: '"{name}" is needed by {needed_by}. Switch those off first.',
        zh: '“{name}”被 {needed_by} 依赖，请先停用它们。',
      },
    },
    PLUGIN_BUILT_IN: {
      status: 409,
      message: {
        en: '"{name}" comes with the server and cannot be removed. Switch it off instead.',
        zh: '“{name}”是服务器自带的，无法移除，可以将其停用。',
      },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    scaffold: typeof manifest
  }
}

/** The cradle that the factories and commands of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
