import { createFormCheck } from './form.ts'

/** Work that recurs on one server process at a time, whichever holds the job's lease. */
export interface Job<Cradle = never> {
  name: string
  every_seconds: number
  run: (cradle: Cradle, signal: AbortSignal) => unknown
}

/** Checks the form of a job that a plugin declares. */
export const assertJob = createFormCheck<Job>(
  {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1 },
      every_seconds: { type: 'number', exclusiveMinimum: 0 },
      run: true,
    },
    required: ['name', 'every_seconds', 'run'],
    additionalProperties: false,
  },
  ['run'],
)
