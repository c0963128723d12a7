// Owns the links to conversations and the copies that they show; the conversations themselves belong to `chat`.
import { definePlugin } from '#plugin-api'
import { sharedMessageIndexes, shareIndexes, snapshotIndexes } from './documents.ts'
import { shareReaderGuard } from './guards.ts'
import { manifest } from './manifest.ts'
import { shareRoutes } from './routes.ts'
import { createShares, type Shares } from './shares.ts'
import { createSnapshotFiles, type SnapshotFiles } from './snapshot-files.ts'
import { createSnapshots, type Snapshots } from './snapshots.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    shares: {
      shares: Shares
      snapshots: Snapshots
      snapshotFiles: SnapshotFiles
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('shares', { indexes: shareIndexes })
    host.collection('share_snapshots', { indexes: snapshotIndexes })
    host.collection('shared_messages', { indexes: sharedMessageIndexes })
    host.service('snapshotFiles', createSnapshotFiles)
    host.service('snapshots', createSnapshots)
    host.service('shares', createShares)
    host.limit('shares', ({ shares }, user_id) => shares.count(user_id))
    host.limit('shared_bytes', ({ snapshots }, user_id) => snapshots.countBytes(user_id))
    host.guard('share_reader', shareReaderGuard)
    host.routes(shareRoutes)
    host.on('thread.deleted', async ({ thread_id }, { shares }) => {
      await shares.removeAllOfThread(thread_id)
    })
    host.extend('users.removal', async ({ user_id }, { shares }) => {
      await shares.removeAllOfUser(user_id)
    })
    host.job({
      name: 'shares.cleaning',
      every_seconds: 60,
      async run({ shares, snapshots }) {
        await shares.clean()
        await snapshots.clean()
      },
    })
  },
})
