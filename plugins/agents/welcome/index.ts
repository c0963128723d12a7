import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { welcomeRoutes } from './routes.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.routes(welcomeRoutes)
  },
})
