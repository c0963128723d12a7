import type { IndexDescription } from 'mongodb'
import type { ExtensionPoints } from '#plugin-api'
import type { Cradle } from './manifest.ts'

/** A file that a guest of a shared agent has uploaded; the id is made from agent and path. */
export interface GuestUploadDocument {
  _id: string
  agent_id: string
  user_id: string
  path: string
}

/** The files that each guest has uploaded, and may therefore read. */
export type GuestUploads = ReturnType<typeof createGuestUploads>

/** Indexes to find and to remove uploads. */
export const guestUploadIndexes: IndexDescription[] = [
  { key: { agent_id: 1, user_id: 1, path: 1 } },
  { key: { agent_id: 1, path: 1 } },
  { key: { user_id: 1 } },
]

/** The most uploads in the list of a guest. */
const MAX_LISTED = 1000

/** Creates the service. */
export function createGuestUploads({ collections: { guest_uploads: uploads } }: Pick<Cradle, 'collections'>) {
  return {
    async record({ agent_id, user_id, path }: Omit<GuestUploadDocument, '_id'>): Promise<void> {
      const _id = `${agent_id}/${path}`
      await uploads.replaceOne({ _id }, { agent_id, user_id, path }, { upsert: true })
    },

    /** Lists the paths of a guest's uploads, or only `path` if it is one of them. */
    async listPaths({
      agent_id,
      user_id,
      path,
    }: Parameters<ExtensionPoints['agents.named_files']>[0]): Promise<string[]> {
      const matching = uploads.find({ agent_id, user_id, ...(path !== undefined && { path }) })
      return (await matching.sort({ path: 1 }).limit(MAX_LISTED).toArray()).map((upload) => upload.path)
    },

    /** Forgets the uploads at a path and below it, so that the guest may not read later files of these names. */
    async forget(agent_id: string, path: string): Promise<void> {
      // "0" is the character after the slash.
      const below = { $gt: `${path}/`, $lt: `${path}0` }
      await uploads.deleteMany({ agent_id, $or: [{ path }, { path: below }] })
    },

    async removeAllOf(filter: { agent_id: string } | { user_id: string }): Promise<void> {
      await uploads.deleteMany(filter)
    },
  }
}
