import type { Character } from './character.ts'

/** An agent's workspace and character as its owner gave them to all accounts; times are Unix seconds. */
export interface PublishedExpertDocument extends Character {
  _id: string
  /** Unique among published experts, and the id of no registered one. */
  slug: string
  name: string
  description: string | null
  created_by_id: string
  /** Username. */
  created_by: string
  source_agent_id: string | null
  /** The model that an installed copy gets if its owner may use it. */
  default_model?: string | null
  /** The paths of its files below `<home>/experts/<id>`, sorted, with slashes. */
  files: string[]
  created_at: number
  updated_at: number
}

/** What a list of published experts tells of each. */
export type PublishedExpertSummary = Omit<
  PublishedExpertDocument,
  'files' | 'system_prompt' | 'welcome_message' | 'config'
>

/** The reason why a file was not published; `not_found` if `include_files` names no file that can be published. */
export type LeftOutReason =
  | 'secret'
  | 'credentials'
  | 'link'
  | 'too_large'
  | 'not_a_file'
  | 'unreadable'
  | 'not_found'
  | 'written_by_turn'

/** Something of a workspace that was not published, and that a person may miss. */
export interface LeftOut {
  path: string
  reason: LeftOutReason
}

declare module '#kernel/types' {
  interface Collections {
    experts: {
      published_experts: PublishedExpertDocument
    }
  }
}
