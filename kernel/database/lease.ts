import type { Collection, MongoBulkWriteError } from 'mongodb'
import { isOnlyDuplicates } from './driver-errors.ts'

/** The holder of a lease and its end, in Unix milliseconds. */
export interface LeaseDocument {
  _id: string
  holder: string
  until: number
}

interface LeaseRequest {
  name: string
  holder: string
  now: number
  until: number
}

/** Takes or renews a lease until `until`; false while another holder has it. */
export async function acquireLease(
  leases: Collection<LeaseDocument>,
  request: LeaseRequest,
): Promise<boolean> {
  return (await acquireLeases(leases, [request])).has(request.name)
}

/** Takes or renews leases in one command; resolves with the names of those that their holders have now. */
export async function acquireLeases(
  leases: Collection<LeaseDocument>,
  requests: readonly LeaseRequest[],
): Promise<Set<string>> {
  const names = requests.map(({ name }) => name)
  const upserts = requests.map(({ name, holder, now, until }) => ({
    updateOne: {
      filter: { _id: name, $or: [{ holder }, { until: { $lt: now } }] },
      update: { $set: { holder, until } },
      upsert: true,
    },
  }))
  try {
    await leases.bulkWrite(upserts, { ordered: false })
    return new Set(names)
  } catch (error) {
    // An upsert collides with the lease of another process that holds it.
    if (!isOnlyDuplicates(error)) throw error
    const refused = [(error as MongoBulkWriteError).writeErrors].flat().map(({ index }) => names[index])
    return new Set(names.filter((name) => !refused.includes(name)))
  }
}
