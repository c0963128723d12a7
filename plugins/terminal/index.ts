import { plugin } from '#kernel'
import { acpCommand } from './acp-command.ts'
import { chatCommand } from './chat-command.ts'

export default plugin({
  name: 'terminal',
  summary: 'Chat clients for the terminal and for editors',
  setup(host) {
    host.command(chatCommand)
    host.command(acpCommand)
  },
})
