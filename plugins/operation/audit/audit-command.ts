import { type Command, type CommandInput, JSON_OPTION, printJson, printTable } from '#plugin-api'
import type { AuditLog, AuditQuery } from './audit-log.ts'
import type { Cradle } from './manifest.ts'
import type { AuditVerification } from './verification.ts'

const DEFAULT_LIMIT = '50'

/** `svc admin audit`: prints rows of the log, or verifies its hash chain. */
export const auditCommand: Command<Cradle> = {
  name: 'admin audit',
  summary: 'List changes and sign-ins, newest first, or verify the log',
  options: [
    { flags: '--actor <name>', summary: 'only entries of this account' },
    { flags: '--action <action>', summary: 'only entries of this action, e.g. auth.login' },
    { flags: '--limit <n>', summary: `maximum number of entries (default: ${DEFAULT_LIMIT})` },
    {
      flags: '--verify',
      summary: 'verify the whole log; exit code 1 if an entry was changed, inserted or removed',
    },
    JSON_OPTION,
  ],
  run: (input, { auditLog, auditVerification }) =>
    input.options.verify ? verify(input, auditVerification) : list(input, auditLog),
}

async function verify({ options, stdout }: CommandInput, { verify }: AuditVerification): Promise<number> {
  const verdict = await verify()
  const { whole, rows, removed, hash, broken } = verdict
  const removedNote = removed > 0 ? ` Removed before them: ${removed}.` : ''
  if (options.json) printJson(stdout, verdict)
  else if (broken) stdout.write(`The audit log is broken: ${broken.message}. Intact rows before: ${rows}.\n`)
  else stdout.write(`The audit log is intact. Rows: ${rows}.${removedNote} Newest hash: ${hash ?? '-'}\n`)
  return whole ? 0 : 1
}

async function list({ options, stdout, stderr }: CommandInput, auditLog: AuditLog): Promise<number> {
  const limit = String(options.limit ?? DEFAULT_LIMIT)
  if (!/^[1-9]\d{0,8}$/.test(limit)) {
    stderr.write(`svc: --limit must be a positive integer, not "${limit}"\n`)
    return 1
  }
  const query: AuditQuery = { limit: Number(limit) }
  if (typeof options.actor === 'string') query.actor = options.actor
  if (typeof options.action === 'string') query.action = options.action
  const { rows } = await auditLog.page(query)
  if (options.json) {
    printJson(stdout, rows)
    return 0
  }
  printTable(stdout, [
    ['id', 'time (UTC)', 'actor', 'action', 'status', 'ip', 'target'],
    ...rows.map(({ id, ts, actor, action, status, ip, target }) => [
      id,
      formatTime(ts),
      actor ?? '-',
      action,
      String(status),
      ip ?? '-',
      target ?? '-',
    ]),
  ])
  return 0
}

const formatTime = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
