import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#kernel'
import { scheduleErrors } from './errors.ts'

/** The manifest of this plugin. */
export const manifest = defineManifest({
  name: 'schedules',
  summary: 'Scheduled tasks: prompts that agents carry out at fixed times, once or in intervals',
  tag: {
    name: 'Schedules',
    order: 43,
    description:
      'Prompts that an agent carries out by itself at given times. Each account has its own, with its own agents and with those that are shared with it.',
  },
  depends: ['users', 'auth', 'providers', 'agents', 'chat'],
  errors: scheduleErrors,
  limits: { schedules: { default: 50, description: 'Schedules of an account, with all agents' } },
})

declare module '#kernel/types' {
  interface Manifests {
    schedules: typeof manifest
  }
}

/** The services that the factories, handlers and hooks of this plugin receive. */
export type Cradle = CradleOf<typeof manifest>

/** Declares a route of this plugin. */
export const route: DefineRoute<Cradle> = defineRoute
