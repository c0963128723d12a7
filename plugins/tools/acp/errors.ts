import type { ErrorTable } from '#plugin-api'

/** Errors of changing runners. */
export const acpErrors = {
  ACP_RUNNER_BUILT_IN: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'The external agent "{name}" is built in and cannot be deleted. Disable it instead.',
      zh: '外部智能体“{name}”为内置，不能删除，可以将其停用。',
    },
  },
  ACP_COMMAND_FORBIDDEN: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'Only administrators can set the program of an external agent.',
      zh: '只有管理员可以设置外部智能体所运行的程序。',
    },
  },
} satisfies ErrorTable

/** Thrown if a runner fails; the message continues "the external agent <name> …" and is for the model. */
export class RunnerFailure extends Error {}
