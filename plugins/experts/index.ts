import { plugin } from '#kernel'
import { bundledExperts } from './catalog/index.ts'
import { expertErrors } from './errors.ts'
import { createExperts, type Experts } from './experts.ts'
import { createPublishedExperts, type PublishedExperts, publishedExpertIndexes } from './published-experts.ts'
import { expertRoutes } from './routes.ts'
import './types.ts'

declare module '#kernel/types' {
  interface Services {
    experts: Experts
    publishedExperts: PublishedExperts
  }
}

export default plugin({
  name: 'experts',
  summary: 'Experts that agents are made from, bundled with the server and published by users',
  depends: ['users', 'auth', 'providers', 'agents'],
  errors: expertErrors,
  setup(host) {
    host.collection('published_experts', { indexes: publishedExpertIndexes })
    host.limit('published_experts', ({ collections }, created_by_id) =>
      collections.published_experts.countDocuments({ created_by_id }),
    )
    host.service('experts', createExperts)
    host.service('publishedExperts', createPublishedExperts)
    for (const expert of bundledExperts) host.extend('agents.experts', expert)
    host.routes(expertRoutes)
    host.on('agent.deleted', ({ agent_id }, { publishedExperts }) => publishedExperts.forgetSource(agent_id))
    host.on('user.deleted', ({ user_id }, { publishedExperts }) => publishedExperts.removeAllOf(user_id))
    host.job({
      name: 'experts-cleanup',
      every_seconds: 3600,
      run: ({ publishedExperts }, signal) => publishedExperts.clean(signal),
    })
  },
})
