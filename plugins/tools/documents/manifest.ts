import { type Cradle as CradleOf, defineManifest } from '#plugin-api'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'documents',
  summary: 'The reading of documents, for agents, knowledge bases, web pages and channels',
  config: {
    read_seconds: { type: 'number', exclusiveMinimum: 0, maximum: 3600, default: 180 },
  },
  errors: {
    DOCUMENT_KIND_UNSUPPORTED: {
      status: 415,
      message: {
        en: '{filename} ({kind}) cannot be read. Save it as {format} or {alternative}.',
        zh: '无法读取 {filename}（{kind}）。请将其另存为 {format} 或 {alternative}。',
      },
    },
    DOCUMENT_ENCRYPTED: {
      status: 422,
      message: {
        en: 'The document is password-protected. Save it without a password.',
        zh: '文档受密码保护，请另存为无密码的文档。',
      },
    },
    DOCUMENT_DAMAGED: {
      status: 422,
      message: {
        en: 'The document is damaged, or its format does not match its name.',
        zh: '文档已损坏，或其格式与文件名不符。',
      },
    },
    DOCUMENT_EMPTY: {
      status: 422,
      message: {
        en: 'The document contains no text. If it is a scan, run text recognition on it first.',
        zh: '文档中没有文字。如果是扫描件，请先进行文字识别。',
      },
    },
    DOCUMENT_TOO_LARGE: {
      status: 422,
      message: {
        en: 'The document is too large to read: too many pages, cells or characters, too large when unpacked, or nested too deeply.',
        zh: '文档内容过多，无法读取：页数、单元格或字符过多，解压后过大，或嵌套过深。',
      },
    },
    DOCUMENT_TIMEOUT: {
      status: 422,
      message: { en: 'Reading the document timed out.', zh: '读取文档超时。' },
    },
  },
})

declare module '#kernel/types' {
  interface Manifests {
    documents: typeof manifest
  }
}

/** The services that factories and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>
