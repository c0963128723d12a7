import { definePlugin } from '#kernel'
import { acpCommand } from './acp-command.ts'
import { chatCommand } from './chat-command.ts'
import { manifest } from './manifest.ts'

export default definePlugin({
  ...manifest,
  setup(host) {
    host.command(chatCommand)
    host.command(acpCommand)
  },
})
