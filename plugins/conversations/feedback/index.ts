// Owns votes on answers and their copies of questions and answers; the conversations belong to `chat`.
import { definePlugin } from '#plugin-api'
import { manifest } from './manifest.ts'
import { feedbackRoutes } from './routes.ts'
import { createVotes, type Votes, voteIndexes } from './votes.ts'

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
    host.extend('users.removal', ({ user_id }, { votes }) => votes.removeAllOf(user_id))
    host.extend('retention.prunings', (question, { votes }) => votes.prune(question))
  },
})
