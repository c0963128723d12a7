import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { replayCommand } from './replay-command.ts'
import { trajectoryRoutes } from './routes.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.routes(trajectoryRoutes)
    host.command(replayCommand)
  },
})
