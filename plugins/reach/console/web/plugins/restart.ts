import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { queries } from '../server/queries.ts'
import { send } from '../server/send.ts'

/** The time in which a server is expected to be back, in milliseconds. */
const PATIENCE_MS = 90_000
const POLL_MS = 1_000

/** Asks for a restart; returns the id of the process that ends. */
export const requestRestart = async (): Promise<string> => (await send(client.POST('/admin/restart'))).node_id

/** Resolves when the process has ended and a server answers again, with what the page shows read anew. */
export async function untilRestarted(node_id: string): Promise<void> {
  for (const limit = Date.now() + PATIENCE_MS; Date.now() < limit; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    if (!(await isBack(node_id))) continue
    await queries.invalidateQueries()
    return
  }
  throw { code: 'RESTART_TIMEOUT', message: t('plugins.restart_slow') }
}

/** True if a server answers that does not count the old process among its own; without counts, if any answers. */
async function isBack(node_id: string): Promise<boolean> {
  try {
    const { data, response } = await client.GET('/admin/overview', { cache: 'no-store' })
    if (data) return data.nodes.length > 0 && data.nodes.every(({ id }) => id !== node_id)
    return response.status === 404 && (await client.GET('/health/live')).response.ok
  } catch {
    return false
  }
}
