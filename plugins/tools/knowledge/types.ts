import type { LeaseDocument, Shared, StoredGrant } from '#plugin-api'

/** A knowledge base; times are Unix seconds. */
export interface BaseDocument extends Shared {
  _id: string
  user_id: string
  owner_username: string
  name: string
  description: string | null
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

/** The address that sent a content, and the headers that ask it for a newer one (RFC 9110, section 8.8). */
export interface Validators {
  url: string
  etag?: string
  last_modified?: string
}

/** The schedule of fetching a document again. */
export interface RefetchPlan {
  days: number
  /** Unix milliseconds. */
  due_at: number
  /** The failures since it was fetched last, and the reason of the latest one. */
  failures: number
  error: DocumentError | null
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
  /** Unix seconds; missing or null until an address is fetched. */
  fetched_at?: number | null
  validators?: Validators | null
  /** Missing or null if it is not fetched again. */
  refetch?: RefetchPlan | null
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
   * without an end; it `is_hard` once it took long. `payer_id` is the account that asked for it, if not the owner.
   */
  work?: {
    queued_at: number
    wake_at: number
    attempts: number
    readings?: number
    is_hard?: boolean
    payer_id?: string
  }
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

/** The removals from the index whose text its files may still contain: the first, in Unix milliseconds, and their number. */
export interface Removals {
  since: number
  count: number
}

/** Work on the passages of a document in an index; it is kept until no others of the document remain there. */
export interface RunDocument {
  /** The ids of the document and of the index. */
  _id: string
  document_id: string
  index_id: string
  started_at: number
}

/** The settings of all knowledge bases; `next` is the index that replaces `active` once it contains every document. */
export interface SettingsDocument {
  _id: 'settings'
  active: IndexDescription
  next: IndexDescription | null
  removals?: Removals
}

declare module '#kernel/types' {
  interface Events {
    /** A knowledge base is new or gone, or has changed; with its owner and its grants, before and after. */
    'knowledge_base.changed': { knowledge_base_id: string; user_id: string; grants: StoredGrant[] }
  }
  interface Collections {
    knowledge: {
      knowledge_bases: BaseDocument
      knowledge_documents: KnowledgeDocument
      knowledge_settings: SettingsDocument
      knowledge_runs: RunDocument
      knowledge_leases: LeaseDocument
    }
  }
}
