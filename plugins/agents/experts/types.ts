import type { TypeOf } from '#kernel'
import type { Character } from './character.ts'
import type { newlyPublishedExpert, publishedExpertDetail } from './schemas.ts'

type PublishedExpertDetail = TypeOf<typeof publishedExpertDetail>

/**
 * An agent's workspace and character that its owner published for all accounts. Its files are stored below
 * `<home>/experts/<id>`; times are Unix seconds.
 */
export interface PublishedExpertDocument
  extends Omit<PublishedExpertDetail, 'id' | 'expert_id' | 'icon' | 'color'>,
    Character {
  _id: string
  created_by_id: string
  /** The model of an installed copy, if its owner may use it. */
  default_model?: string | null
}

/** A published expert in a list. */
export type PublishedExpertSummary = Omit<
  PublishedExpertDocument,
  'files' | 'system_prompt' | 'welcome_message' | 'config'
>

/** A file of a workspace that was not published although somebody may need it. */
export type LeftOut = TypeOf<typeof newlyPublishedExpert>['left_out'][number]

declare module '#kernel/types' {
  interface Collections {
    experts: {
      published_experts: PublishedExpertDocument
    }
  }
}
