import { plugin } from '#kernel'
import { trajectoryErrors } from './errors.ts'
import { replayCommand } from './replay-command.ts'
import { trajectoryRoutes } from './routes.ts'

export default plugin({
  name: 'trajectory',
  summary:
    'What happened in a conversation step by step: lists, figures, a stream, and exports that can be run again',
  depends: ['auth', 'agents', 'chat'],
  errors: trajectoryErrors,
  setup(host) {
    host.routes(trajectoryRoutes)
    host.command(replayCommand)
  },
})
