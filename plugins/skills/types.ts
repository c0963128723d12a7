import type { AuthCaller } from '../auth/types.ts'

/** A change of a package that is under way alone on all processes, until a time in Unix milliseconds at most. */
export interface PackageChange {
  id: string
  until: number
}

/** One package of skills; the skills lie in `<home>/skill-packages/<_id>/skills/`. Times are Unix seconds. */
export interface SkillPackageDocument {
  _id: string
  name: string
  /** The name as it is compared, unique. */
  name_key: string
  description: string | null
  created_by_id: string
  /** A username. */
  created_by: string
  created_at: number
  updated_at: number
  change: PackageChange | null
}

/** A skill as it lies in a folder; `updated_at` is Unix seconds. */
export interface SkillFacts {
  slug: string
  name: string
  description: string
  files: number
  bytes: number
  updated_at: number
}

/** A skill that was written, and whether another one was there. */
export interface PlacedSkill extends SkillFacts {
  outcome: 'made' | 'replaced'
}

/** A skill of a workspace; the model does not see one that is not enabled. */
export interface AgentSkill extends SkillFacts {
  enabled: boolean
}

/** A file of a skill in JSON, as text or in Base64. */
export type SkillFile = { path: string; executable?: boolean } & (
  | { content: string }
  | { content_base64: string }
)

/** Whoever changes packages. */
export type Changer = Pick<AuthCaller, 'id' | 'username' | 'role'>

declare module '#kernel/types' {
  interface Collections {
    skills: {
      skill_packages: SkillPackageDocument
    }
  }
}
