import { type Cradle as CradleOf, type DefineRoute, defineManifest, defineRoute } from '#plugin-api'

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
  errors: {
    SCHEDULE_RUNNING: {
      status: 409,
      message: {
        en: 'A run of this schedule is still in progress.',
        zh: '此定时任务的上一次运行尚未结束。',
      },
    },
    MISSED: {
      status: 409,
      message: {
        en: 'No server was running at this time, or for an hour after it.',
        zh: '到期时及其后一小时内没有服务器在运行。',
      },
    },
    RUN_ACTIVE: {
      status: 409,
      message: { en: 'The previous run was still in progress.', zh: '上一次运行尚未结束。' },
    },
    ACCOUNT_DISABLED: {
      status: 409,
      message: { en: 'The account was disabled.', zh: '账号已被停用。' },
    },
    TURN_STOPPED: {
      status: 409,
      message: { en: 'The run was stopped manually.', zh: '运行已被手动停止。' },
    },
  },
  events: ['schedule.run_ended'],
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
