import type { Shared, TypeOf } from '#plugin-api'
import type { AuthCaller } from '../../identity/auth/types.ts'
import type { agentSkill, newSkill } from './schemas.ts'

/** The lease of a change of a package, exclusive across all processes until a time (Unix milliseconds). */
export interface PackageChange {
  id: string
  until: number
}

/**
 * A package of skills, which are stored in `<home>/skill-packages/<_id>/skills/`; everybody's without a list of grants.
 * Times are Unix seconds.
 */
export interface SkillPackageDocument extends Shared {
  _id: string
  name: string
  /** The normalized name, which is unique. */
  name_key: string
  description: string | null
  created_by_id: string
  /** A username. */
  created_by: string
  created_at: number
  updated_at: number
  change: PackageChange | null
}

/** A skill of a workspace; the model does not see a skill that is not enabled. */
export type AgentSkill = TypeOf<typeof agentSkill>

/** The facts of a skill in a folder; `updated_at` is Unix seconds. */
export type SkillFacts = Omit<AgentSkill, 'enabled'>

/** A skill that was written, as a new one or in the place of another. */
export interface PlacedSkill extends SkillFacts {
  outcome: 'made' | 'replaced'
}

/** A file of a skill in JSON, as text or in Base64. */
export type SkillFile = TypeOf<typeof newSkill>['files'][number]

/** An account that reads packages. */
export type Reader = Pick<AuthCaller, 'id' | 'role' | 'groups'>

/** An account that changes packages. */
export type Changer = Reader & Pick<AuthCaller, 'username' | 'permissions'>

declare module '#kernel/types' {
  interface Collections {
    skills: {
      skill_packages: SkillPackageDocument
    }
  }
}
