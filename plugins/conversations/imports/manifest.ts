import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'imports',
  summary: 'Conversations from the exports of ChatGPT, Claude, Open WebUI and LibreChat',
  tag: {
    name: 'Imports',
    order: 47,
    description: 'Conversations from the exports of other products.',
  },
  depends: ['users', 'auth', 'agents', 'chat'],
  config: {
    max_archive_mb: { type: 'integer', minimum: 1, maximum: 65_536, default: 4096 },
  },
  errors: {
    IMPORT_NOT_FOUND: {
      status: 404,
      message: { en: 'The import does not exist.', zh: '找不到该导入。' },
    },
    IMPORT_RUNNING: {
      status: 409,
      message: {
        en: 'Another import of your account is running. Wait until it has ended, or cancel it.',
        zh: '您的账号已有一项导入正在进行，请等待其结束或将其取消。',
      },
    },
    IMPORT_INTERRUPTED: {
      status: 500,
      message: {
        en: 'The server ended several times at the same conversation of this archive.',
        zh: '服务器在处理该归档的同一对话时多次中断。',
      },
    },
    ARCHIVE_DAMAGED: {
      status: 400,
      message: {
        en: 'The ZIP archive is damaged or incomplete. Download it again.',
        zh: 'ZIP 归档已损坏或不完整，请重新下载。',
      },
    },
    ARCHIVE_ENCRYPTED: {
      status: 400,
      message: {
        en: 'The ZIP archive is encrypted. Unpack it, and pack it again without a password.',
        zh: 'ZIP 归档已加密，请解压后以无密码方式重新打包。',
      },
    },
    ARCHIVE_EXCESSIVE: {
      status: 400,
      message: {
        en: 'The ZIP archive has too many entries or unpacks to far more than an export contains.',
        zh: 'ZIP 归档的条目过多，或解压后远超正常导出的大小。',
      },
    },
    ARCHIVE_MISSING: {
      status: 400,
      message: {
        en: 'The server no longer has the archive. Upload it again.',
        zh: '服务器上已没有该归档，请重新上传。',
      },
    },
    ARCHIVE_WITHOUT_CONVERSATIONS: {
      status: 400,
      message: {
        en: 'The file contains no conversations of ChatGPT, Claude, Open WebUI or LibreChat.',
        zh: '文件中没有 ChatGPT、Claude、Open WebUI 或 LibreChat 的对话。',
      },
    },
    CONVERSATION_TOO_LARGE: {
      status: 400,
      message: {
        en: 'The conversation is larger than {max_mb} MB.',
        zh: '该对话超过 {max_mb} MB。',
      },
    },
    CONVERSATION_TOO_COMPLEX: {
      status: 400,
      message: {
        en: 'The conversation has too many parts to be read.',
        zh: '该对话的内容项过多，无法读取。',
      },
    },
    CONVERSATION_CUT_OFF: {
      status: 400,
      message: {
        en: 'The file ends in the middle of the conversation. Download it again.',
        zh: '文件在该对话中途结束，请重新下载。',
      },
    },
    CONVERSATION_NOT_JSON: {
      status: 400,
      message: { en: 'The conversation is not valid JSON.', zh: '该对话不是有效的 JSON。' },
    },
    CONVERSATION_UNKNOWN: {
      status: 400,
      message: {
        en: 'The entry has the form of no known conversation.',
        zh: '该条目不符合任何已知的对话格式。',
      },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    imports: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
