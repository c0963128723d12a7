import { objectOf } from '../schema.ts'
import { createFormCheck, filledText } from './form.ts'

/** Work that recurs on one server process at a time, whichever holds the job's lease. */
export interface Job<Cradle = never> {
  name: string
  every_seconds: number
  run: (cradle: Cradle, signal: AbortSignal) => unknown
}

/** Checks the form of a job that a plugin declares. */
export const assertJob = createFormCheck<Job>(
  objectOf(
    {
      name: filledText,
      every_seconds: { type: 'number', exclusiveMinimum: 0 },
      run: true,
    },
    ['name', 'every_seconds', 'run'],
  ),
  ['run'],
)
