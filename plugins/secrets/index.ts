import { plugin } from '#kernel'
import { rotateCommand } from './rotate-command.ts'

export default plugin({
  name: 'secrets',
  summary: 'Replacement of the key that stored secrets are encrypted with',
  setup(host) {
    host.command(rotateCommand)
  },
})
