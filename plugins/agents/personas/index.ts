import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { instructPersona } from './profiles.ts'
import { personaRoutes } from './routes.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.routes(personaRoutes)
    host.extend('agents.instructions', instructPersona)
  },
})
