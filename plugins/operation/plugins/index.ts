// Owns the administration of plugins over the API: their list, settings and switches, installing and removing them, and
// the restart with which changes take effect. What is installed in a home belongs to `scaffold`.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { createPluginInstalls, type PluginInstalls } from './plugin-installs.ts'
import { createPluginSettings, type PluginSettings } from './plugin-settings.ts'
import { adminRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    plugins: {
      pluginSettings: PluginSettings
      pluginInstalls: PluginInstalls
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.service('pluginSettings', createPluginSettings)
    host.service('pluginInstalls', createPluginInstalls)
    host.routes(adminRoutes)
  },
})
