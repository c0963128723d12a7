import type { ErrorTable } from '#kernel'

/** What changing runners can be refused with. */
export const acpErrors = {
  ACP_RUNNER_BUILT_IN: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'The runner "{name}" is built in and cannot be deleted; switch it off instead.',
      zh: '“{name}”是内置运行器，不能删除，可以将其停用。',
    },
  },
  ACP_COMMAND_FORBIDDEN: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'Only an administrator may say which program a runner is.',
      zh: '只有管理员可以设置运行器所执行的程序。',
    },
  },
} satisfies ErrorTable

/** Why a runner did not do what it was asked to, in words for the model. */
export class RunnerFailure extends Error {}
