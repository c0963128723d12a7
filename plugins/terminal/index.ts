import { plugin } from '#kernel'
import { chatCommand } from './chat-command.ts'

export default plugin({
  name: 'terminal',
  summary: 'A chat client for the terminal',
  setup(host) {
    host.command(chatCommand)
  },
})
