import type { IndexDescription } from 'mongodb'
import type { ExtensionPoints } from '#kernel'
import type { Cradle } from './manifest.ts'

/** A file that a guest of a shared agent has sent, by agent and path. */
export interface GuestUploadDocument {
  _id: string
  agent_id: string
  user_id: string
  path: string
}

/** Which guest has sent which file: they may read it, and nobody has to take a message's word for it. */
export interface GuestUploads {
  record(upload: { agent_id: string; user_id: string; path: string }): Promise<void>
  /** Adds the paths of a guest's uploads, or the one that is asked for. */
  name: ExtensionPoints['agents.named_files']
  /** Forgets the uploads at a path and below it: whatever comes there next is not theirs. */
  forget(agent_id: string, path: string): Promise<void>
  removeAllOf(filter: { agent_id: string } | { user_id: string }): Promise<void>
}

/** The indexes by which uploads are found and removed. */
export const guestUploadIndexes: IndexDescription[] = [
  { key: { agent_id: 1, user_id: 1, path: 1 } },
  { key: { agent_id: 1, path: 1 } },
  { key: { user_id: 1 } },
]

/** The most uploads that a guest is listed. */
const MOST_LISTED = 1000

/** Makes the service. */
export function createGuestUploads({
  collections: { guest_uploads: uploads },
}: Pick<Cradle, 'collections'>): GuestUploads {
  return {
    async record({ agent_id, user_id, path }) {
      const _id = `${agent_id}/${path}`
      await uploads.replaceOne({ _id }, { agent_id, user_id, path }, { upsert: true })
    },
    async name({ agent_id, user_id, path }) {
      const found = uploads.find({ agent_id, user_id, ...(path !== undefined && { path }) })
      return (await found.sort({ path: 1 }).limit(MOST_LISTED).toArray()).map((upload) => upload.path)
    },
    async forget(agent_id, path) {
      // "0" is the character behind the slash.
      const below = { $gt: `${path}/`, $lt: `${path}0` }
      await uploads.deleteMany({ agent_id, $or: [{ path }, { path: below }] })
    },
    async removeAllOf(filter) {
      await uploads.deleteMany(filter)
    },
  }
}
