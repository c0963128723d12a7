import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'experts',
  summary: 'Experts that agents are made from, bundled with the server and published by users',
  tag: {
    name: 'Experts',
    order: 22,
    description:
      'Templates from which agents are created: those that come with the server, and those that users have published.',
  },
  depends: ['users', 'auth', 'providers', 'agents'],
  errors: {
    PUBLISHED_EXPERT_SLUG_TAKEN: {
      status: 409,
      message: {
        en: 'An expert with the slug "{slug}" already exists.',
        zh: '标识“{slug}”已被其他专家使用。',
      },
    },
    WORKSPACE_TOO_LARGE: {
      status: 413,
      message: {
        en: 'The workspace is too large to publish: at most {max_files} files and {max_bytes} bytes in total, in folders at most {max_depth} levels deep.',
        zh: '工作区过大，无法发布：最多 {max_files} 个文件，总计不超过 {max_bytes} 字节，文件夹最多 {max_depth} 层。',
      },
    },
    SECRET_IN_SETTINGS: {
      status: 422,
      message: {
        en: 'The field "{field}" seems to contain a password, key or token. Remove it before you publish.',
        zh: '字段“{field}”中似乎含有密码、密钥或令牌，请移除后再发布。',
      },
    },
  },
  limits: {
    published_experts: { default: 20, description: 'Experts that an account has published' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    experts: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
