import type { components } from '#client'
import { useAllRows } from '../server/pages.ts'

/** A saved prompt. */
export type Prompt = components['schemas']['Prompt']

const QUERY = { query: { limit: 200 } }

/** The prompts of the account by name, then those that others share. */
export const usePrompts = ({ enabled = true }: { enabled?: boolean } = {}) =>
  useAllRows('/prompts', QUERY, { enabled })
