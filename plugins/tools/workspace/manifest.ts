import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'workspace',
  depends: ['agents', 'auth', 'documents', 'users'],
  summary: 'The files of agents: an API for users, and tools for agents',
  tag: {
    name: 'Files',
    order: 30,
    description: 'The files of an agent’s workspace. Paths are relative to it; a leading slash is ignored.',
  },
  errors: {
    WORKSPACE_UNUSABLE: {
      status: 409,
      message: {
        en: "The agent's workspace cannot store the file: {reason}.",
        zh: '智能体的工作区无法保存该文件：{reason}。',
      },
    },
    FILE_UNUSABLE: {
      status: 409,
      message: {
        en: 'The file operation failed: {reason}.',
        zh: '无法对该文件执行此操作：{reason}。',
      },
    },
    FILE_EXISTS: {
      status: 409,
      message: { en: 'A file or folder with this path already exists.', zh: '该路径已存在文件或文件夹。' },
    },
    DIRECTORY_NOT_EMPTY: {
      status: 409,
      message: { en: 'The folder is not empty.', zh: '该文件夹不为空。' },
    },
    ARCHIVE_TOO_LARGE: {
      status: 413,
      message: {
        en: 'An archive can hold at most {max_files} files and {max_bytes} bytes. Choose a subfolder.',
        zh: '压缩包最多包含 {max_files} 个文件、{max_bytes} 字节，请选择其中的子文件夹。',
      },
    },
    LINK_INVALID: {
      status: 403,
      message: { en: 'The link is not valid or has expired.', zh: '链接无效或已过期。' },
    },
  },
  limits: {
    workspace_bytes: { default: '1gb', description: 'Files of an agent' },
    account_bytes: { default: '5gb', description: 'Files of all agents of an account' },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    workspace: typeof manifest
  }
}

/** The services that factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
