import { definePlugin, measureCollections } from '#plugin-api'
import { budgetRoutes } from './budget-routes.ts'
import { type BudgetWarnings, createBudgetWarnings } from './budget-warnings.ts'
import { createQuotas, type Quotas } from './quotas.ts'
import { usageRoutes } from './routes.ts'
import type { QuotaWindow } from './schemas.ts'
import { createServerSpending, type ServerSpending } from './server-spending.ts'
import { listUnreportedWarnings, unreportedIndex } from './unreported-warnings.ts'
import { createUsageCounters, type UsageCounters } from './usage-counters.ts'
import { createUsageExports, type UsageExports } from './usage-export.ts'
import { createUsageRecords, type UsageRecords } from './usage-records.ts'
import { createUsageReports, type UsageReports } from './usage-reports.ts'
import './types.ts'
import { manifest } from './manifest.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    usage: {
      quotas: Quotas
      quotaWindow: QuotaWindow
      usageCounters: UsageCounters
      serverSpending: ServerSpending
      budgetWarnings: BudgetWarnings
      usageRecords: UsageRecords
      usageReports: UsageReports
      usageExports: UsageExports
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('usage', { indexes: [{ key: { user_id: 1, ts: 1 } }, { key: { ts: 1 } }] })
    host.collection('usage_counters', { indexes: [{ key: { changed_at: 1 } }, unreportedIndex] })
    host.collection('server_spending')
    host.extensionPoint('usage.quota_window', { noun: 'setting', nameOf: () => 'quota window' })
    host.service('quotaWindow', ({ extensions }) => extensions['usage.quota_window'].list()[0]?.({}) ?? 'all')
    host.service('usageCounters', createUsageCounters)
    host.service('serverSpending', createServerSpending)
    host.service('budgetWarnings', createBudgetWarnings)
    host.service('usageRecords', createUsageRecords)
    host.service('quotas', createQuotas)
    host.service('usageReports', createUsageReports)
    host.service('usageExports', createUsageExports)
    host.routes(usageRoutes)
    host.routes(budgetRoutes)
    host.extend('auth.budgets', ({ account }, { quotas }) => quotas.readBudget(account))
    host.extend('providers.currency', (_, { config }) => config.currency)
    host.extend('console.currency', (_, { config }) => config.currency)
    host.extend('providers.reservations', (call, { quotas }) => quotas.reserve(call))
    host.extend('providers.usage', async (call, { usageRecords, quotas }) => {
      await usageRecords.record(call)
      quotas.noteEnding(call.account.user_id)
    })
    host.extend('users.removal', ({ user_id }, { usageRecords }) => usageRecords.forget(user_id))
    host.extend('triggers.checks', ({ account }, { quotas }) => quotas.assertAnyLeft(account))
    host.extend('webhooks.sources', listUnreportedWarnings)
    host.extend('retention.prunings', (question, { usageRecords }) => usageRecords.prune(question))
    host.extend('overview.counts', async (_, { collections: { usage, usage_counters } }) => ({
      bytes: { usage: await measureCollections(usage, usage_counters) },
    }))
    // Backups read counters before rows.
    host.extend('backup.restored', async (_, { collections: { usage, usage_counters } }) => {
      for await (const { _id: user_id, changed_at } of usage_counters.find({ changed_at: { $exists: true } }))
        await usage.deleteMany({ user_id, ts: { $gt: Math.floor(changed_at! / 1000) } })
    })
    host.job({ name: 'usage.recovery', every_seconds: 60, run: ({ usageRecords }) => usageRecords.recover() })
  },
  async start({ usageRecords, serverSpending, signals }) {
    signals.on('usage.budget', serverSpending.load)
    signals.onMissed(serverSpending.load)
    await serverSpending.load()
    await usageRecords.recover()
  },
  stop: ({ usageRecords }) => usageRecords.close(),
})
