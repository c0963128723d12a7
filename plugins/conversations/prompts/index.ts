// Owns saved prompts. The server lists their variables; the client that sends a prompt asks for the values.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createPrompts, type Prompts, promptIndexes } from './prompts.ts'
import { promptRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    prompts: {
      prompts: Prompts
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('prompts', { indexes: promptIndexes })
    host.service('prompts', createPrompts)
    host.limit('prompts', ({ prompts }, user_id) => prompts.count(user_id))
    host.routes(promptRoutes)
    host.extend('users.removal', ({ user_id }, { prompts }) => prompts.removeAllOf(user_id))
  },
})
