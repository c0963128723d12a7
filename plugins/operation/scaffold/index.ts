import { definePlugin } from '#kernel'
import { checkCommand } from './check-command.ts'
import { manifest } from './manifest.ts'
import { newCommand } from './new-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(newCommand)
    host.command(checkCommand)
  },
})
