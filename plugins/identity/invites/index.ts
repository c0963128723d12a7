// Owns the invites, and creates through `users` the account of a person who redeems one.
import { definePlugin } from '#plugin-api'
import { createInvites, type Invites } from './invites.ts'
import { createRedemptions, type Redemptions } from './redemptions.ts'
import { inviteRoutes } from './routes.ts'
import './invite.ts'
import { manifest } from './manifest.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    invites: {
      invites: Invites
      redemptions: Redemptions
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('invites', {
      indexes: [
        { key: { code_hash: 1 }, unique: true },
        { key: { created_at: -1, _id: -1 } },
        { key: { created_by_id: 1 } },
        { key: { user_id: 1 } },
        { key: { delete_at: 1 }, expireAfterSeconds: 0 },
      ],
    })
    host.service('invites', createInvites)
    host.service('redemptions', createRedemptions)
    host.routes(inviteRoutes)
    host.extend('users.removal', ({ user_id }, { invites }) => invites.forgetUser(user_id))
  },
})
