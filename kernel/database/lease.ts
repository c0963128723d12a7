import type { Collection } from 'mongodb'
import { isDuplicateKey } from './driver-errors.ts'

/** The holder of a lease and its end, in Unix milliseconds. */
export interface LeaseDocument {
  _id: string
  holder: string
  until: number
}

/** Takes or renews a lease until `until`; false while another holder has it. */
export async function acquireLease(
  leases: Collection<LeaseDocument>,
  { name, holder, now, until }: { name: string; holder: string; now: number; until: number },
): Promise<boolean> {
  const free = { _id: name, $or: [{ holder }, { until: { $lt: now } }] }
  try {
    await leases.updateOne(free, { $set: { holder, until } }, { upsert: true })
    return true
  } catch (error) {
    // The upsert collides with the lease of the process that holds it.
    if (isDuplicateKey(error)) return false
    throw error
  }
}
