import { objectOf, reply } from '#plugin-api'
import { type Cradle, route } from './manifest.ts'
import { startedTurn } from './schemas.ts'

/** The largest request, in bytes. */
const MAX_BYTES = 1024 * 1024

/** The route that other services call. */
export const hookRoute = route({
  method: 'POST',
  path: '/hooks/triggers/:trigger_id',
  operation_id: 'receiveTrigger',
  summary: 'Start a turn by a trigger',
  description:
    'The address that you enter at another service. The body is JSON, or a form with JSON in `payload` or with plain fields. It is verified as it came, before it is parsed; signed times must be within five minutes. A request that is repeated (`X-GitHub-Delivery`, the `id` of an event of Stripe, `webhook-id`, `Idempotency-Key`, otherwise the same body within ten minutes) starts no second turn and is answered with the first one. 200 answers the test that GitHub sends at the beginning.',
  guard: 'public',
  params: {
    type: 'object',
    properties: { trigger_id: { type: 'string', description: 'The id of a trigger' } },
  },
  raw: { max_bytes: MAX_BYTES },
  response: { 200: { title: 'TriggerPing', ...objectOf({}) }, 202: startedTurn },
  errors: [
    'NOT_FOUND',
    'AUTH_FAILED',
    'BAD_JSON',
    'RATE_LIMITED',
    'TRIGGER_BUSY',
    'TRIGGER_ACCOUNT_DISABLED',
    'AGENT_NOT_FOUND',
    'AGENT_NOT_RUNNING',
    'TOKEN_QUOTA_EXCEEDED',
    'BUDGET_EXCEEDED',
    'LIMIT_REACHED',
    'THREAD_BUSY',
    'TOO_MANY_TURNS',
    'SHUTTING_DOWN',
  ],
  audit: { none: 'Another service calls it. The list of requests of the trigger shows what came.' },
}).handle<Cradle>(async ({ params, headers, query, bytes }, { reception }) => {
  const turn = await reception.receive(params.trigger_id, { headers, query, bytes })
  return turn === 'ping' ? reply(200, {}) : reply(202, turn)
})
