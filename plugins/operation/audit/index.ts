// Owns the audit log: stores the records of audited routes and commands, and makes tampering detectable.
import { definePlugin, measureCollections } from '#plugin-api'
import { auditCommand } from './audit-command.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import { type AuditPruning, type AuditWriter, createAuditPruning, createAuditWriter } from './audit-writer.ts'
import { auditIndexes } from './documents.ts'
import { manifest } from './manifest.ts'
import { createObjectNames, type ObjectNames } from './object-names.ts'
import { auditRoutes } from './routes.ts'
import { type AuditVerification, createAuditVerification } from './verification.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    audit: {
      auditWriter: AuditWriter
      auditLog: AuditLog
      objectNames: ObjectNames
      auditVerification: AuditVerification
      auditPruning: AuditPruning
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.extensionPoint('audit.names', { noun: 'names' })
    host.collection('audit_log', { indexes: auditIndexes })
    host.collection('audit_head')
    host.service('auditWriter', createAuditWriter)
    host.service('objectNames', createObjectNames)
    host.service('auditLog', createAuditLog)
    host.service('auditVerification', createAuditVerification)
    host.service('auditPruning', createAuditPruning)
    host.routes(auditRoutes)
    host.command(auditCommand)
    host.extend('retention.prunings', (question, { auditPruning }) => auditPruning(question))
    host.extend('overview.counts', async (_, { collections }) => ({
      bytes: { audit: await measureCollections(collections.audit_log) },
    }))
    host.extend('kernel.audit', (record, { auditWriter }) => auditWriter.append(record))
  },
})
