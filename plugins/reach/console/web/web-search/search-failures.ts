/** Why a search engine did not answer. */
export interface SearchFailure {
  kind: string
  label: string
  /** Advice to an administrator. */
  guidance: string
  /** The HTTP status of the answer. */
  status?: number
  /** The words of the engine. */
  detail?: string
}

/** Lists the failures of engines in the error of a test; none for other errors. */
export function readSearchFailures(error: unknown): readonly SearchFailure[] {
  const { code, details } =
    (error as { error?: { code?: string; details?: { failures?: SearchFailure[] } } } | null)?.error ?? {}
  return code === 'WEB_SEARCH_FAILED' ? (details?.failures ?? []) : []
}
