import { definePlugin } from '#plugin-api'
import { exportFormat } from './export-format.ts'
import { manifest } from './manifest.ts'
import { replayCommand } from './replay-command.ts'
import { trajectoryRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface Services {
    trajectory: {
      exportFormat: typeof exportFormat
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.provide('exportFormat', () => exportFormat)
    host.routes(trajectoryRoutes)
    host.command(replayCommand)
  },
})
