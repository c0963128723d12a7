// Owns nothing: the cases are in a file, the turns belong to an account that is removed afterwards.
import { definePlugin } from '#plugin-api'
import { evalCommand } from './eval-command.ts'
import { manifest } from './manifest.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(evalCommand)
  },
})
