import type { components } from '#client'
import { useAllRows } from '../server/pages.ts'

type ListedKind = components['schemas']['ListedModelKind']

/** All models of a kind that the account can use; without one, the models that chat. */
export const useModels = ({ enabled = true, kind = 'chat' }: { enabled?: boolean; kind?: ListedKind } = {}) =>
  useAllRows('/models', { query: { limit: 200, kind } }, { enabled }).rows ?? []
