import { plugin } from '#kernel'
import { instructPersona } from './persona-instructions.ts'
import { personaRoutes } from './routes.ts'

export default plugin({
  name: 'personas',
  summary: 'Personas: how an agent speaks and acts, by MBTI type',
  depends: ['auth', 'agents'],
  setup(host) {
    host.routes(personaRoutes)
    host.on('agent.instructed', instructPersona)
  },
})
