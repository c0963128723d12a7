/** The products whose exports are imported. */
export const IMPORT_KINDS = ['chatgpt', 'claude', 'openwebui', 'librechat'] as const

/** A product whose exports are imported. */
export type ImportKind = (typeof IMPORT_KINDS)[number]

/** A conversation of an export, with the messages that its product showed, oldest first. */
export interface Conversation {
  kind: ImportKind
  /** The id in its product. */
  id: string
  title: string | null
  /** Unix milliseconds. */
  created_at?: number | undefined
  updated_at?: number | undefined
  is_archived: boolean
  is_pinned: boolean
  messages: ConversationMessage[]
}

/** One message of a conversation. */
export interface ConversationMessage {
  role: 'user' | 'assistant'
  /** Markdown. */
  text: string
  /** Unix milliseconds. */
  ts?: number | undefined
  /** The name of the model in its product. */
  model?: string | undefined
  files: ConversationFile[]
}

/** A file of a message: its content, or its possible names in the archive. */
export interface ConversationFile {
  name: string
  media_type?: string | undefined
  content?: Buffer
  /** Names of the archive, the most exact first. */
  names?: string[]
}
