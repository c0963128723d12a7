import { plugin } from '#kernel'
import { welcomeRoutes } from './routes.ts'

export default plugin({
  name: 'welcome',
  summary: 'What an agent greets its users with, and examples of what it can be asked to do',
  depends: ['auth', 'agents'],
  setup(host) {
    host.routes(welcomeRoutes)
  },
})
