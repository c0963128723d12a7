import { plugin } from '#kernel'
import { auditCommand } from './audit-command.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { type AuditWriter, createAuditWriter } from './audit-writer.ts'
import { auditIndexes } from './documents.ts'
import { auditRoutes } from './routes.ts'
import { type AuditVerification, createAuditVerification } from './verification.ts'

declare module '#kernel/types' {
  interface Services {
    auditWriter: AuditWriter
    auditLog: AuditLog
    auditVerification: AuditVerification
  }
}

export default plugin({
  name: 'audit',
  summary: 'A chained log of everything that changes something, and of who signs in',
  depends: ['auth'],
  setup(host) {
    host.collection('audit_log', { indexes: auditIndexes })
    host.collection('audit_head')
    host.service('auditWriter', createAuditWriter)
    host.service('auditLog', createAuditLog)
    host.service('auditVerification', createAuditVerification)
    host.routes(auditRoutes)
    host.command(auditCommand)
    host.on('action.audited', (record, { auditWriter }) => auditWriter.append(record))
  },
})
