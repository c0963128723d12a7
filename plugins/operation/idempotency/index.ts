// Keeps the replies of POST requests that clients may repeat: the kernel hands over the calls.
import { definePlugin } from '#kernel'
import { createKeptReplies, type KeptReplies, type KeptReplyDocument } from './kept-replies.ts'
import { manifest } from './manifest.ts'

declare module '#kernel/types' {
  interface Collections {
    idempotency: { kept_replies: KeptReplyDocument }
  }
  interface PrivateServices {
    idempotency: { keptReplies: KeptReplies }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('kept_replies', {
      indexes: [{ key: { account_id: 1 } }, { key: { delete_at: 1 }, expireAfterSeconds: 0 }],
      sealed: { reply: 'idempotency:{_id}' },
    })
    host.service('keptReplies', createKeptReplies)
    host.limit('idempotency_keys', ({ keptReplies }, account_id) => keptReplies.count(account_id))
    host.extend('kernel.repetition', (call, { keptReplies }) => keptReplies.perform(call))
    host.extend('users.removal', ({ user_id }, { keptReplies }) => keptReplies.forget(user_id))
  },
})
