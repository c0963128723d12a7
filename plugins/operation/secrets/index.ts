// Owns no secret: every plugin stores its own. This one has the command that re-encrypts all of them with a new key.
import { definePlugin } from '#kernel'
import { manifest } from './manifest.ts'
import { rotateCommand } from './rotate-command.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(rotateCommand)
  },
})
