import { definePlugin } from '#plugin-api'
import { acpCommand } from './acp-command.ts'
import { chatCommand } from './chat-command.ts'
import { connectorCommands } from './connector-commands.ts'
import { openOnHome } from './home-login.ts'
import { importCommand } from './import-command.ts'
import { knowledgeCommands } from './knowledge-commands.ts'
import { manifest } from './manifest.ts'
import { scheduleCommands } from './schedule-commands.ts'
import { searchCommand } from './search-command.ts'
import { explain, signIn } from './signed-in.ts'

/** Signs the commands of other plugins in. */
const terminalAccounts = { signIn, openOnHome, explain }

declare module '#kernel/types' {
  interface Services {
    terminal: {
      terminalAccounts: typeof terminalAccounts
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.provide('terminalAccounts', () => terminalAccounts)
    host.command(chatCommand)
    host.command(acpCommand)
    host.command(searchCommand)
    host.command(importCommand)
    for (const command of [...scheduleCommands, ...knowledgeCommands, ...connectorCommands])
      host.command(command)
  },
})
