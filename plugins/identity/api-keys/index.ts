// Owns the API keys of accounts. What a key may do is decided by the guards of `auth`, from its scopes.
import { definePlugin } from '#plugin-api'
import { type ApiKeys, createApiKeys } from './api-keys.ts'
import { apiKeyCommands } from './commands.ts'
import { manifest } from './manifest.ts'
import { apiKeyRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    'api-keys': {
      apiKeys: ApiKeys
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('api_keys', {
      indexes: [
        { key: { user_id: 1, name: 1 }, unique: true },
        { key: { user_id: 1, created_at: -1, _id: -1 } },
        { key: { delete_at: 1 }, expireAfterSeconds: 0 },
      ],
    })
    host.service('apiKeys', createApiKeys)
    host.limit('api_keys', ({ apiKeys }, user_id) => apiKeys.count(user_id))
    host.routes(apiKeyRoutes)
    for (const command of apiKeyCommands) host.command(command)
    host.extend('auth.bearer', ({ token }, { apiKeys }) => apiKeys.findBearer(token))
    host.extend('auth.live_credentials', ({ ids }, { apiKeys }) => apiKeys.listLive(ids))
    host.extend('auth.password_reset', ({ user_id }, { apiKeys }) => apiKeys.removeAllOf(user_id))
    host.extend('users.removal', ({ user_id }, { apiKeys }) => apiKeys.removeAllOf(user_id))
  },
  stop: ({ apiKeys }) => apiKeys.idle(),
})
