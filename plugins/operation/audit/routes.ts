import { MAX_PAGE_ROWS, nullable, objectOf, pageQuery, pageReply, type Route, rowOf } from '#plugin-api'
import { MAX_FIELD_CHARS } from './entry.ts'
import { MAX_EXPORT_ROWS, toCsv } from './export.ts'
import { type Cradle, route } from './manifest.ts'
import type { Verdict } from './verification.ts'

const text = { type: 'string' } as const
const exact = (field: keyof typeof MAX_FIELD_CHARS, description: string) =>
  ({ type: 'string', maxLength: MAX_FIELD_CHARS[field], description }) as const
const second = (description: string) => ({ type: 'integer', minimum: 0, description }) as const

const filter = {
  since: second('Unix seconds, inclusive'),
  until: second('Unix seconds, inclusive'),
  actor: exact('actor', 'A username'),
  action: exact('action', 'Such as agent.create'),
  target: exact('target', 'The object of the action'),
}

const auditQuery = objectOf({
  ...filter,
  limit: { ...pageQuery.limit, default: 100 },
  cursor: {
    type: 'string',
    pattern: '^[1-9]\\d{0,14}$',
    description: 'The id of the last row of the previous page, as in its Link header',
  },
})

const auditRow = {
  title: 'AuditRow',
  ...rowOf({
    id: { ...text, description: 'Rises by one with each row', examples: ['1042'] },
    ts: { type: 'integer', description: 'Unix seconds', examples: [1_767_225_600] },
    actor: {
      ...nullable(text),
      description:
        'A username; for a command, os: and the name of the system user; null if nobody was signed in',
      examples: ['ada'],
    },
    action: { ...text, examples: ['agent.create'] },
    target: {
      ...nullable(text),
      description: 'The object of the action; null if it has none',
      examples: ['01KDVMF00000000000000000AG'],
    },
    payload: {
      description: 'The body of the call without its secrets, long parts cut with …; null if there is none',
      examples: [{ name: 'numbers' }],
    },
    status: {
      type: 'integer',
      description: 'The HTTP status, or the exit code of a command',
      examples: [201],
    },
    ip: { ...nullable(text), description: 'Null for a command', examples: ['203.0.113.7'] },
    request_id: { ...nullable(text), description: 'As in `X-Request-Id`; null for a command' },
    hash: {
      ...text,
      description: 'SHA-256 over the row and the hash of the previous row',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    },
    credential: {
      ...nullable(text),
      description: 'The name of the API key that the call was made with; null without one',
      examples: ['nightly build'],
    },
    object: {
      ...nullable(text),
      description: 'The name of the object, behind the names of what it belongs to; null if it is not known',
      examples: ['Data analyst / Weekly report'],
    },
    object_exists: { type: 'boolean', description: 'False if the object was deleted, or has no name' },
  }),
} as const

const listRows = route({
  method: 'GET',
  path: '/admin/audit-log',
  operation_id: 'listAuditRows',
  summary: 'List the audit log',
  description:
    'Lists every change by a call or a command and every sign-in, failed ones included, the newest first. Rows are never changed; the hash of each covers the row before it, so that `svc admin audit --verify` notices a change. Bodies of calls are shown without their secrets.',
  guard: 'admin',
  query: auditQuery,
  response: { 200: { type: 'array', items: auditRow } },
}).handle(async ({ query }, { auditLog }) => {
  const bounded = { ...query, limit: Math.min(query.limit, MAX_PAGE_ROWS) }
  return pageReply(bounded, await auditLog.page(bounded))
})

const exportRows = route({
  method: 'GET',
  path: '/admin/audit-log/export',
  operation_id: 'exportAuditRows',
  summary: 'Export the audit log',
  description: `Downloads the matching rows as CSV in UTF-8, the newest first, at most ${MAX_EXPORT_ROWS} of them.`,
  guard: 'admin',
  query: objectOf(filter),
  stream: 'download',
  response: { 200: { type: 'string' } },
}).handle(async ({ query }, { auditLog }) => ({
  filename: 'audit-log.csv',
  media_type: 'text/csv; charset=utf-8',
  content: toCsv(auditLog, query),
}))

const fault = rowOf({
  id: { ...text, description: 'The id of the first row that differs', examples: ['1042'] },
  fault: { title: 'AuditFault', enum: ['changed', 'missing', 'inserted', 'cut_off'] },
  message: { ...text, examples: ['row 1042 was changed'] },
})

const count = { type: 'integer', minimum: 0 } as const

const verificationStep = {
  title: 'AuditVerification',
  ...rowOf({
    rows: { ...count, description: 'The intact rows so far', examples: [1041] },
    total: { ...count, description: 'The rows when the verification began', examples: [5000] },
    verdict: {
      ...nullable(
        rowOf({
          whole: { type: 'boolean', description: 'True if no row was changed, inserted or removed' },
          rows: { ...count, description: 'The intact rows, up to the first broken one' },
          removed: {
            ...count,
            description: 'The rows before them, which were removed because they were old',
          },
          hash: { ...nullable(text), description: 'The hash of the newest intact row; null without one' },
          broken: nullable(fault),
        }),
      ),
      description: 'Null until the verification has ended',
    },
  }),
} as const

const verifyLog = route({
  method: 'GET',
  path: '/admin/audit-log/verification',
  operation_id: 'verifyAuditLog',
  summary: 'Verify the audit log',
  description:
    'Reads the whole log and checks that no row was changed, inserted or removed, as `svc admin audit --verify` does. Sends the progress as server-sent events, and the verdict with the last one.',
  guard: 'admin',
  stream: 'events',
  response: { 200: verificationStep },
}).handle(async ({ signal }, { auditVerification, collections }) => {
  const total = await collections.audit_log.estimatedDocumentCount()
  return reportSteps(auditVerification.steps({ signal }), total)
})

/** Yields an event for each step, and one with the verdict. */
async function* reportSteps(steps: AsyncGenerator<number, Verdict>, total: number) {
  yield { data: { rows: 0, total, verdict: null } }
  for (;;) {
    const { done, value } = await steps.next()
    if (done) {
      yield { data: { rows: value.rows, total, verdict: value } }
      return
    }
    yield { data: { rows: value, total, verdict: null } }
  }
}

/** The routes of the log. */
export const auditRoutes: Route<Cradle>[] = [listRows, exportRows, verifyLog]
