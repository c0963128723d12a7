import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { rotateCommand } from './rotate-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(rotateCommand)
  },
})
