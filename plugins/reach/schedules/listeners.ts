import type { Cradle } from './manifest.ts'
import type { ScheduleOwner } from './types.ts'

/**
 * Returns who reads the answers in a thread of schedules: `one`, the account itself, unless they are delivered to a
 * conversation with other listeners.
 */
export async function findListeners(
  { user_id, agent_id, thread_id }: ScheduleOwner & { thread_id: string },
  { extensions, schedules }: Pick<Cradle, 'extensions' | 'schedules'>,
): Promise<'one' | 'many'> {
  for (const { deliver } of await schedules.listInThread({ user_id, agent_id }, thread_id)) {
    if (!deliver) continue
    const matches = await extensions['schedules.destinations'].ask({ agent_id, ...deliver })
    if (!matches.some((destination) => destination?.listeners === 'one')) return 'many'
  }
  return 'one'
}
