import { t } from '../i18n/words.ts'
import { client } from '../server/client.ts'
import { readFailure } from '../server/failure.ts'
import { refresh, send } from '../server/send.ts'
import { applyChanges, compareGrants, type Grant, granteeOf } from './grants.ts'
import { KINDS, type SharedThing } from './kinds.ts'

/** Grants that the server has refused one by one; they are shown beside their rows. */
export class RefusedGrants extends Error {
  readonly code = 'VALIDATION_FAILED'

  readonly grantees: readonly string[]

  constructor(grantees: readonly string[]) {
    super(t('sharing.some_refused'))
    this.grantees = grantees
  }
}

/** Returns the path of the grants of a thing; all kinds have the same calls. */
const callOf = ({ kind, id }: Pick<SharedThing, 'kind' | 'id'>) => {
  const path = { id, expert_id: id }
  return { path: KINDS[kind].path as '/agents/{id}/grants', init: { params: { path } } }
}

/** Reads with whom a thing is shared. */
export function readGrants(thing: Pick<SharedThing, 'kind' | 'id'>): Promise<Grant[]> {
  const { path, init } = callOf(thing)
  return send(client.GET(path, init))
}

/**
 * Stores what differs between two lists, on top of what others have changed since the first of them was read. Throws
 * RefusedGrants for grants that the server refuses.
 */
export async function storeGrants(
  thing: Pick<SharedThing, 'kind' | 'id'>,
  former: readonly Grant[],
  current: readonly Grant[],
): Promise<Grant[]> {
  const { path, init } = callOf(thing)
  const body = applyChanges(await readGrants(thing), compareGrants(former, current))
  try {
    const stored = await send(client.PUT(path, { ...init, body }))
    await refresh(KINDS[thing.kind].refreshed)
    return stored
  } catch (error) {
    const rows = readFailure(error).issues.map((issue) => Number(issue.path.split('/')[1]))
    const refused = body.filter((_, index) => rows.includes(index))
    throw refused.length > 0 ? new RefusedGrants(refused.map(granteeOf)) : error
  }
}
