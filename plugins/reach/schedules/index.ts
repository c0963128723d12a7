// Owns schedules and their runs. Turns run in `chat`; conversations of other platforms are found, and answers delivered,
// by whatever extends `schedules.destinations` and `schedules.deliveries`.
import { createDeclarable, definePlugin, listNames, managedIndex } from '#plugin-api'
import { createExecution, type Execution } from './execution.ts'
import { findListeners } from './listeners.ts'
import { manifest } from './manifest.ts'
import { scheduleRoutes } from './routes.ts'
import { createRuns, type Runs, runIndexes } from './runs.ts'
import { createScheduleTool } from './schedule-tool.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { createSchedules, type Schedules, scheduleIndexes } from './schedules.ts'
import { listUnreportedRuns } from './unreported-runs.ts'
import './types.ts'

declare module '#kernel/types' {
  interface PrivateServices {
    schedules: {
      schedules: Schedules
      runs: Runs
      execution: Execution
      scheduler: Scheduler
    }
  }
}

export default definePlugin({
  ...manifest,
  setup(host) {
    host.collection('schedules', { indexes: [...scheduleIndexes, managedIndex] })
    host.collection('schedule_runs', { indexes: runIndexes })
    host.extensionPoint('schedules.destinations', { noun: 'destinations' })
    host.extensionPoint('schedules.deliveries', { noun: 'delivery' })
    host.service('schedules', createSchedules)
    host.service('runs', createRuns)
    host.service('execution', createExecution)
    host.service('scheduler', createScheduler)
    host.limit('schedules', ({ schedules }, user_id) => schedules.count(user_id))
    host.routes(scheduleRoutes)
    host.extend(
      'agents.tools',
      createScheduleTool(() => host.cradle),
    )
    host.extend('memory.listeners', (thread, cradle) =>
      thread.channel_type === 'schedule' ? findListeners(thread, cradle) : undefined,
    )
    host.on('turn.ended', ({ thread_id }, { execution }) => execution.noteTurn(thread_id))
    host.on('approval.resolved', ({ thread_id }, { execution }) => execution.noteTurn(thread_id))
    host.on('channel.deleted', ({ channel_id }, { schedules }) => schedules.pauseAllOf(channel_id))
    host.extend('agents.removal', async ({ agent_id }, { schedules, runs }) => {
      await schedules.removeAllOf({ agent_id })
      await runs.removeAllOf({ agent_id })
    })
    host.extend(
      'declared.kinds',
      createDeclarable({ name: 'schedule', collection: () => host.cradle.collections.schedules }),
    )
    host.extend('audit.names', ({ ids }, { collections }) =>
      listNames(collections.schedules, ids, { kind: 'schedule', field: 'name' }),
    )
    host.extend('webhooks.sources', listUnreportedRuns)
    host.extend('users.removal', async ({ user_id }, { schedules, runs }) => {
      await schedules.removeAllOf({ user_id })
      await runs.removeAllOf({ user_id })
    })
  },
  ready: ({ scheduler }) => scheduler.begin(),
  stop: ({ scheduler }) => scheduler.end(),
})
