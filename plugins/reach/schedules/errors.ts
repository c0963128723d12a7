import type { ErrorTable } from '#kernel'

/** The errors of schedules; the list of runs shows the errors of runs. */
export const scheduleErrors = {
  SCHEDULE_RUNNING: {
    status: 409,
    message: {
      en: 'A run of this schedule has not ended yet.',
      zh: '此计划任务的上一次运行尚未结束。',
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
    message: { en: 'The previous run had not ended yet.', zh: '上一次运行尚未结束。' },
  },
  ACCOUNT_DISABLED: {
    status: 409,
    message: { en: 'The account was disabled.', zh: '账号已被停用。' },
  },
  TURN_STOPPED: {
    status: 409,
    message: { en: 'Somebody stopped the run.', zh: '运行被人工停止。' },
  },
} satisfies ErrorTable
