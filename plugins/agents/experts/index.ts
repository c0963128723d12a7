import { createDeclarable, createShareable, definePlugin, grantRoutes, managedIndex } from '#plugin-api'
import type { PublishedExpertDocument } from './character.ts'
import { bundledExperts, createExperts, type Experts } from './experts.ts'
import { manifest } from './manifest.ts'
import { createPublishedExperts, type PublishedExperts, publishedExpertIndexes } from './published-experts.ts'
import { expertRoutes } from './routes.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    experts: {
      experts: Experts
      publishedExperts: PublishedExperts
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('published_experts', { indexes: [...publishedExpertIndexes, managedIndex] })
    host.limit('published_experts', ({ collections }, created_by_id) =>
      collections.published_experts.countDocuments({ created_by_id }),
    )
    host.service('experts', createExperts)
    host.service('publishedExperts', createPublishedExperts)
    for (const expert of bundledExperts) host.extend('agents.experts', expert)
    host.routes(expertRoutes)
    host.routes(
      grantRoutes({
        kind: 'expert',
        path: '/experts/published/:expert_id',
        title: 'PublishedExpert',
        noun: 'a published expert',
        missing: 'NOT_FOUND',
      }),
    )
    host.extend('agents.removal', ({ agent_id }, { publishedExperts }) =>
      publishedExperts.forgetSource(agent_id),
    )
    host.extend(
      'declared.kinds',
      createDeclarable({
        name: 'expert',
        collection: () => host.cradle.collections.published_experts,
        filterOf: (key) => ({ $or: [{ _id: key }, { slug: key }] }),
      }),
    )
    host.extend(
      'groups.shareables',
      createShareable<PublishedExpertDocument>({
        name: 'expert',
        label: { en: 'Published expert', zh: '已发布的专家' },
        access: ['use', 'edit'],
        is_open: true,
        collection: () => host.cradle.collections.published_experts,
        owner: 'created_by_id',
        nameOf: ({ name }) => name,
        find: (caller, key) => host.cradle.publishedExperts.find(caller, key),
        changed: () => undefined,
      }),
    )
    host.extend('users.removal', ({ user_id }, { publishedExperts }) => publishedExperts.removeAllOf(user_id))
    host.job({
      name: 'experts-cleanup',
      every_seconds: 3600,
      run: ({ publishedExperts }, signal) => publishedExperts.clean(signal),
    })
  },
})
