import type { LeaseDocument } from '#kernel'

/** A knowledge base; times are Unix seconds. */
export interface BaseDocument {
  _id: string
  user_id: string
  owner_username: string
  name: string
  description: string | null
  is_shared: boolean
  /** True if its owner's new threads use it. */
  is_default: boolean
  created_at: number
  updated_at: number
  /** Set while it is being removed; it is hidden from everyone. */
  deleted_at?: number
}

/** The state of a document's newest content. */
export type DocumentStatus = 'queued' | 'parsing' | 'indexing' | 'ready' | 'failed'

/** The reason for which a document failed; `details` are the values in its text. */
export interface DocumentError {
  code: string
  details: Record<string, string | number>
}

/** The passages of a document in one index; a later run replaces an earlier one. */
export interface IndexedRun {
  run: string
  chunks: number
  /** The content whose passages they are. */
  version: string
}

/** A document of a knowledge base. */
export interface KnowledgeDocument {
  _id: string
  base_id: string
  /** The owner of the base. */
  user_id: string
  /** Unique within the base. */
  path: string
  filename: string
  media_type: string
  /** Bytes. */
  size: number
  /** The SHA-256 of the content; null until it is fetched. */
  hash: string | null
  url: string | null
  /** The newest content, and the name of its file. */
  version: string
  /** The newest content whose text is stored. */
  text_version: string | null
  pages: number | null
  status: DocumentStatus
  error: DocumentError | null
  progress: number
  /** The passages that are found, by the id of the index. */
  indexes: Record<string, IndexedRun>
  /**
   * Set while it waits for the queue; times are Unix milliseconds. `readings` counts how often reading it has begun
   * without an end.
   */
  work?: { queued_at: number; wake_at: number; attempts: number; readings?: number }
  created_at: number
  updated_at: number
  /** Unix milliseconds of the last change of its row. */
  changed_at: number
  /** Set while it is being removed; it is hidden from everyone. */
  deleted_at?: number
}

/** An index: derived from the documents, and replaced as a whole if it is made in another way. */
export interface IndexDescription {
  id: string
  embedding_model: string | null
  /** The length of the vectors; null without an embedding model. */
  dimensions: number | null
  chunk_tokens: number
  chunk_overlap: number
  /** The texts that the model expects in front of a question and of a passage; missing if there is none. */
  question_prefix?: string
  passage_prefix?: string
}

/** The settings of all knowledge bases; `next` is the index that replaces `active` once it contains every document. */
export interface SettingsDocument {
  _id: 'settings'
  active: IndexDescription
  next: IndexDescription | null
}

declare module '#kernel/types' {
  interface Collections {
    knowledge: {
      knowledge_bases: BaseDocument
      knowledge_documents: KnowledgeDocument
      knowledge_settings: SettingsDocument
      knowledge_leases: LeaseDocument
    }
  }
}
