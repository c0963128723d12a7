import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { refresh, send } from '../server/send.ts'

/** The files that are deleted at the same time. */
const AT_ONCE = 4

/**
 * Deletes files of an agent's workspace, and shows what is left. A file that is gone already counts as deleted; throws
 * the first other failure, and then leaves the files that follow.
 */
export async function deleteFiles(id: string, paths: readonly string[]): Promise<void> {
  const waiting = [...paths]
  const deleteNext = async () => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift())
      try {
        await send<unknown>(
          client.DELETE('/agents/{id}/files', { params: { path: { id }, query: { path } } }),
        )
      } catch (error) {
        if (readFailure(error).code === 'NOT_FOUND') continue
        waiting.length = 0
        throw error
      }
  }
  const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, deleteNext))
  await refresh('/agents/{id}/files', '/agents/{id}/skills', '/workspaces', '/auth/me')
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}
