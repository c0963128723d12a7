import { nullable, objectOf, pageQuery } from '#kernel'
import { TEXT_LIMIT } from './entry.ts'

const text = { type: 'string' } as const
const exact = (field: keyof typeof TEXT_LIMIT, description: string) =>
  ({ type: 'string', maxLength: TEXT_LIMIT[field], description }) as const
const second = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

export const auditQuery = objectOf({
  since: second('Unix seconds, inclusive'),
  until: second('Unix seconds, inclusive'),
  actor: exact('actor', 'A username'),
  action: exact('action', 'Such as agent.create'),
  target: exact('target', 'What was acted on'),
  limit: { ...pageQuery.limit, default: 100 },
  cursor: {
    type: 'string',
    pattern: '^[1-9]\\d{0,14}$',
    description: 'The id of the last row of the page before, as in its header Link',
  },
})

export const auditRow = {
  title: 'AuditRow',
  ...objectOf(
    {
      id: text,
      ts: { type: 'integer', description: 'Unix seconds' },
      actor: nullable({
        ...text,
        description:
          'A username; os: and the name of the system user for a command; null if nobody has signed in',
      }),
      action: text,
      target: nullable(text),
      payload: {
        description: 'What of the body is no secret, long parts cut with …; null where there is none',
      },
      status: { type: 'integer', description: 'The HTTP status, or the exit code of a command' },
      ip: nullable(text),
      request_id: nullable(text),
      hash: { ...text, description: 'SHA-256 over the row and the hash of the row before' },
    },
    ['id', 'ts', 'actor', 'action', 'target', 'payload', 'status', 'ip', 'request_id', 'hash'],
  ),
} as const
