import type { Client } from '@modelcontextprotocol/client'
import { ConnectorFailure } from './failure.ts'

/** The most pages of a list that are read. */
const MAX_PAGES = 64
/** The library's own limits do not apply: calls have a deadline of their own, which does not count a person's time. */
export const NO_TIMEOUT_MS = 2_000_000_000

/**
 * Accepts each result: the library's own schema refuses a whole list for one odd tool, and describes each fault of a
 * result, however many there are.
 */
export const ANY_RESULT = {
  '~standard': {
    version: 1,
    vendor: 'svc',
    validate: (value: unknown) => ({ value }),
  },
} as const

/** Lists at most so many tools of a server. A cursor that is no text, or was sent before, ends the list. */
export async function listTools(client: Client, limit: number, signal: AbortSignal): Promise<unknown[]> {
  const tools: unknown[] = []
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES && tools.length < limit; page += 1) {
    const params = cursor === undefined ? {} : { cursor }
    const options = { signal, timeout: NO_TIMEOUT_MS }
    const listed = await client.request({ method: 'tools/list', params }, ANY_RESULT, options)
    const { tools: listedTools, nextCursor } = Object(listed) as Record<string, unknown>
    if (!Array.isArray(listedTools))
      throw new ConnectorFailure('protocol', 'The server did not answer with a list of its tools.')
    tools.push(...listedTools)
    if (typeof nextCursor !== 'string' || nextCursor === '' || cursors.has(nextCursor)) break
    cursors.add(nextCursor)
    cursor = nextCursor
  }
  return tools.slice(0, limit)
}
