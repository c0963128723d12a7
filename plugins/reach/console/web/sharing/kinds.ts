import type { Access } from './grants.ts'

/** A kind of things that can be shared. */
interface SharedKind {
  /** The path of its grants. */
  path: string
  /** The lists and objects that a change of grants changes. */
  refreshed: string
  access: readonly Access[]
}

const ALL = ['use', 'edit'] as const

/** The kinds of things that can be shared. */
export const KINDS = {
  agent: { path: '/agents/{id}/grants', refreshed: '/agents', access: ALL },
  knowledge_base: { path: '/knowledge-bases/{id}/grants', refreshed: '/knowledge-bases', access: ALL },
  connector: { path: '/connectors/{id}/grants', refreshed: '/connectors', access: ALL },
  project: { path: '/projects/{id}/grants', refreshed: '/projects', access: ALL },
  prompt: { path: '/prompts/{id}/grants', refreshed: '/prompts', access: ALL },
  skill_package: { path: '/skill-packages/{id}/grants', refreshed: '/skill-packages', access: ALL },
  expert: {
    path: '/experts/published/{expert_id}/grants',
    refreshed: '/experts/published',
    access: ALL,
  },
  provider: { path: '/admin/providers/{id}/grants', refreshed: '/providers', access: ['use'] },
} as const satisfies Record<string, SharedKind>

export type Kind = keyof typeof KINDS

/** Something that can be shared, and what the account may do with it. */
export interface SharedThing {
  kind: Kind
  id: string
  name: string
  /** The username of its owner; null if it belongs to the administrators. */
  owner: string | null
  is_owner: boolean
}
