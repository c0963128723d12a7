import { type Cradle, plugin } from '#kernel'
import { polishErrors } from './errors.ts'
import { createPolisher, type PolishConfig, type Polisher } from './polisher.ts'
import { polishRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface Services {
    polisher: Polisher
  }
}

export default plugin({
  name: 'polish',
  summary: 'Improves prompts before they are sent',
  depends: ['auth', 'providers', 'agents'],
  config: {
    max_seconds: { type: 'integer', minimum: 1, maximum: 600, default: 30 },
  },
  errors: polishErrors,
  setup(host) {
    host.service('polisher', (cradle) => createPolisher(cradle as Cradle<PolishConfig>))
    host.routes(polishRoutes)
  },
})
