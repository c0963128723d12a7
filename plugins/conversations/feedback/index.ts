// Owns votes on answers and their copies of questions and answers; the conversations belong to `chat`.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { feedbackRoutes } from './routes.ts'
import { createVotes, type Votes, voteIndexes } from './votes.ts'

/** The icon of the page: a thumb. */
const THUMB =
  'M7 10v12M15 5.88 14 10h5.83a2 2 0 0 1 1.92 2.56l-2.33 8A2 2 0 0 1 17.5 22H4a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2h2.76a2 2 0 0 0 1.79-1.11L12 2a3.13 3.13 0 0 1 3 3.88Z'

declare module '#kernel/types' {
  interface PrivateServices {
    feedback: {
      votes: Votes
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('feedback', { indexes: voteIndexes })
    host.service('votes', createVotes)
    host.limit('feedback', ({ votes }, user_id) => votes.count(user_id))
    host.routes(feedbackRoutes)
    host.extend('console.slots', {
      slot: 'message.actions',
      module: new URL('./console/thumbs.js', import.meta.url).href,
      when: { role: 'assistant' },
    })
    host.extend('console.slots', {
      slot: 'admin.pages',
      module: new URL('./console/page.js', import.meta.url).href,
      path: '/feedback',
      label: { en: 'Feedback', zh: '回答评价' },
      icon: THUMB,
      when: { permission: 'feedback' },
    })
    host.extend('users.removal', ({ user_id }, { votes }) => votes.removeAllOf(user_id))
    host.extend('retention.prunings', (question, { votes }) => votes.prune(question))
  },
})
